/** Prints plans for people. The text may change between versions. */

import type { AttributeType } from "../model/attribute-type.ts";
import { formatDatetime } from "../model/datetime.ts";
import type { ScalarValue } from "../model/value.ts";
import type {
  AggregatePlan,
  DocumentPlan,
  Plan,
  ProbePlan,
  RankNode,
  ScoreNode,
  VectorNode,
} from "./plan.ts";
import type { AttributeTest, Predicate, ValueSet } from "./predicate.ts";
import type { Snapshot } from "./snapshot.ts";

/** Describes a plan over a snapshot, one step a line, what is done first at the bottom. */
export function explainPlan(plan: Plan, snapshot: Snapshot): string {
  const { segments } = snapshot;
  const live = segments.reduce((sum, segment) => sum + segment.liveCount, 0);
  const steps = plan.kind === "documents" ? documentSteps(plan, snapshot) : aggregateSteps(plan);
  const filter = predicateLines(plan.predicate, "Filter");
  return [...steps, ...filter, `Scan: ${live} live documents in ${segments.length} segments`].join(
    "\n",
  );
}

function documentSteps(plan: DocumentPlan, snapshot: Snapshot): string[] {
  const { attributes, computed, limit, offset, limitPer } = plan;
  const returned = [...attributes.map(([name]) => name), ...computed.map(([name]) => name)];
  const per =
    limitPer === undefined ? "" : `, at most ${limitPer.limit} per ${limitPer.attributes.join()}`;
  return [
    `Return: ${["id", ...returned].join(", ")}`,
    `Limit: ${limit}, offset ${offset}${per}`,
    ...rankLines(plan.rank, snapshot),
  ];
}

function rankLines(rank: RankNode, snapshot: Snapshot): string[] {
  switch (rank.kind) {
    case "order":
      return [`Order: ${rank.keys.map((key) => `${key.attribute} ${key.direction}`).join(", ")}`];
    case "vector": {
      const { method, access, target } = rank;
      const how = access === "scan" ? "exact scan of all vectors" : "exact scan of the matches";
      const steps = [`Rank: ${method} on ${target.attribute} (${target.metric}), ${how}`];
      return rank.probe === undefined
        ? steps
        : [...steps, ...probeLines(rank, rank.probe, snapshot)];
    }
    case "score":
      return ["Rank: score, descending", ...scoreLines(rank.score).map(indent)];
  }
}

/** Nothing where no segment has clusters. */
function probeLines(
  { target }: VectorNode,
  { exactMatchesMax, matchesMin, perRoot }: ProbePlan,
  { segments }: Snapshot,
): string[] {
  const clustered = segments.filter(({ view }) => view.isClustered(target.attribute)).length;
  if (clustered === 0) return [];
  const wanted = `${perRoot}·√matches of them, at least ${matchesMin}`;
  return [
    `  but in ${clustered} of ${segments.length} segments the nearest clusters only, if more than`,
    `  ${exactMatchesMax} match there: those with ${wanted}`,
  ];
}

function scoreLines(node: ScoreNode): string[] {
  switch (node.kind) {
    case "bm25": {
      const terms = node.terms.map((term) => `${term.term} (in ${term.documentFrequency})`);
      if (node.prefix !== undefined) terms.push(`${node.prefix}*`);
      const average = node.averageLength.toFixed(2);
      return [`BM25 on ${node.attribute}, average length ${average}: ${terms.join(", ")}`];
    }
    case "sparse":
      return [`SparseKNN on ${node.attribute}: ${node.entries.map(([name]) => name).join(", ")}`];
    case "sum":
    case "max":
      return [
        node.kind === "sum" ? "Sum" : "Max",
        ...node.clauses.flatMap((clause) => scoreLines(clause).map(indent)),
      ];
    case "floor":
      return [`Max with ${node.floor}`, ...scoreLines(node.clause).map(indent)];
    case "product":
      return [`Product with ${node.weight}`, ...scoreLines(node.clause).map(indent)];
    case "attribute":
      return [`Attribute ${node.attribute}`];
    case "dist":
      return [`Dist of ${node.attribute} from ${node.origin}`];
    case "saturate":
    case "decay": {
      const name = node.kind === "saturate" ? "Saturate" : "Decay";
      const curve = `${name} with midpoint ${node.midpoint}, exponent ${node.exponent}`;
      return [curve, ...scoreLines(node.clause).map(indent)];
    }
    case "filter":
      return predicateLines(node.predicate, "1 if");
  }
}

function aggregateSteps({ aggregates, groups, groupLimit }: AggregatePlan): string[] {
  const functions = aggregates.map(([label, node]) =>
    node.kind === "count" ? `${label} = Count` : `${label} = Sum(${node.attribute})`,
  );
  const keys = groups.map(({ name, attribute, each }) =>
    each === "value" ? name : `${name} = each element of ${attribute}`,
  );
  const steps = [`Aggregate: ${functions.join(", ")}`];
  return keys.length === 0
    ? steps
    : [...steps, `Group: ${keys.join(", ")}, at most ${groupLimit} groups`];
}

function predicateLines(predicate: Predicate, label: string): string[] {
  switch (predicate.kind) {
    case "and":
    case "or": {
      const { kind, predicates } = predicate;
      if (predicates.length === 0) return kind === "and" ? [] : [`${label}: nothing matches`];
      const parts = predicates.flatMap((part) => predicateLines(part, "part").map(indent));
      return [`${label}: ${kind === "and" ? "all" : "any"} of`, ...parts];
    }
    case "not":
      return [`${label}: not`, ...predicateLines(predicate.predicate, "part").map(indent)];
    case "test":
      return [`${label}: ${testText(predicate)}`];
    case "reference":
      return [`${label}: ${predicate.attribute} ${predicate.operator} new ${predicate.reference}`];
  }
}

function testText({ attribute, type, test }: AttributeTest): string {
  switch (test.kind) {
    case "present":
      return `${attribute} is not null`;
    case "scalar":
      return `${attribute} ${setText(test.set, type)}${test.nullMatches ? " or is null" : ""}`;
    case "any_element":
      return `some element of ${attribute} ${setText(test.set, type)}`;
    case "array_equals":
      return `${attribute} is an array of ${test.values.length} given elements`;
    case "vector_equals":
      return `${attribute} is a given vector`;
    case "tokens": {
      const terms = test.prefix === undefined ? test.terms : [...test.terms, `${test.prefix}*`];
      return `${attribute} has ${test.mode} of the terms ${terms.join(", ")}`;
    }
    case "sequence": {
      const terms = test.sequence.map(({ term }) => term).join(" ");
      return `${attribute} has the sequence ${terms} (verified on stored text)`;
    }
  }
}

/** Most values of a list that are printed. */
const PRINTED_VALUES_MAX = 10;

function setText(set: ValueSet, type: AttributeType): string {
  const print = (value: ScalarValue): string => printValue(value, type);
  switch (set.kind) {
    case "list": {
      const shown = set.values.slice(0, PRINTED_VALUES_MAX).map(print).join(", ");
      const rest = set.values.length - PRINTED_VALUES_MAX;
      return `is one of ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
    }
    case "interval": {
      const low = set.low && `${set.low.inclusive ? ">=" : ">"} ${print(set.low.value)}`;
      const high = set.high && `${set.high.inclusive ? "<=" : "<"} ${print(set.high.value)}`;
      return [low, high].filter((end) => end !== undefined).join(" and ");
    }
    case "strings":
      return `matches ${set.description}`;
  }
}

function printValue(value: ScalarValue, type: AttributeType): string {
  const isDatetime = (type.kind === "scalar" || type.kind === "array") && type.of === "datetime";
  if (isDatetime && typeof value === "bigint") return formatDatetime(value);
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function indent(line: string): string {
  return `  ${line}`;
}
