/**
 * What a plan is known to look at, so that bytes which are not in memory are asked for together.
 * Each need is a look that may throw `NotResident`; what it gives is of no interest.
 */

import type { Ordinal } from "../base/ids.ts";
import type { ScalarValue } from "../model/value.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import type { SegmentView, TextView } from "../segment/segment-view.ts";
import type { ComputedNode, Plan, RankNode, ScoreNode } from "./plan.ts";
import type { AttributeTest, Predicate } from "./predicate.ts";

/** A look at something. */
export type Need = () => void;

/** All looks of a plan at one segment that do not depend on what other looks find. */
export function planNeeds(plan: Plan, view: SegmentView): Need[] {
  const needs = predicateNeeds(plan.predicate, view);
  if (plan.kind === "aggregate") {
    for (const { attribute } of plan.groups) needs.push(...columnNeeds(attribute, view));
    for (const [, node] of plan.aggregates) {
      if (node.kind === "sum") needs.push(...columnNeeds(node.attribute, view));
    }
    return needs;
  }
  needs.push(() => void view.ids, ...rankNeeds(plan.rank, view));
  for (const attribute of plan.limitPer?.attributes ?? []) {
    needs.push(...columnNeeds(attribute, view));
  }
  if (plan.attributes.length > 0) needs.push(() => void view.attributes);
  for (const [name, type] of plan.attributes) {
    if (type.kind === "vector") needs.push(...vectorNeeds(name, view));
  }
  for (const [, node] of plan.computed) needs.push(...computedNeeds(node, view));
  return needs;
}

function rankNeeds(rank: RankNode, view: SegmentView): Need[] {
  switch (rank.kind) {
    case "vector": {
      const { attribute } = rank.target;
      const needs = vectorNeeds(attribute, view);
      if (rank.probe !== undefined) needs.push(() => void view.clusters(attribute));
      return needs;
    }
    case "score":
      return scoreNeeds(rank.score, view);
    case "order":
      return rank.keys.flatMap(({ attribute }) => columnNeeds(attribute, view));
  }
}

function computedNeeds(node: ComputedNode, view: SegmentView): Need[] {
  switch (node.kind) {
    case "vector_dist":
      return vectorNeeds(node.target.attribute, view);
    case "score":
      return scoreNeeds(node.score, view);
    case "highlight":
      return [() => void view.attributes];
  }
}

function scoreNeeds(node: ScoreNode, view: SegmentView): Need[] {
  switch (node.kind) {
    case "bm25": {
      const terms = node.terms.map(({ term }) => term);
      return [() => touchTerms(view.text(node.attribute), terms, node.prefix)];
    }
    case "sparse":
      return [
        () => {
          const sparse = view.sparse(node.attribute);
          attemptAll(
            node.entries.map(
              ([name]) =>
                () =>
                  sparse?.postings(name),
            ),
          );
        },
      ];
    case "sum":
    case "max":
      return node.clauses.flatMap((clause) => scoreNeeds(clause, view));
    case "floor":
    case "product":
    case "saturate":
    case "decay":
      return scoreNeeds(node.clause, view);
    case "attribute":
    case "dist":
      return columnNeeds(node.attribute, view);
    case "filter":
      return predicateNeeds(node.predicate, view);
  }
}

/** All looks of a predicate at one segment. */
export function predicateNeeds(predicate: Predicate, view: SegmentView): Need[] {
  switch (predicate.kind) {
    case "and":
    case "or":
      return predicate.predicates.flatMap((part) => predicateNeeds(part, view));
    case "not":
      return predicateNeeds(predicate.predicate, view);
    case "reference":
      return [];
    case "test":
      return testNeeds(predicate, view);
  }
}

function testNeeds({ attribute, test }: AttributeTest, view: SegmentView): Need[] {
  switch (test.kind) {
    case "tokens":
      return [
        ...columnNeeds(attribute, view),
        () => touchTerms(view.text(attribute), test.terms, test.prefix),
      ];
    case "sequence": {
      const terms = test.sequence.map(({ term }) => term);
      return [
        ...columnNeeds(attribute, view),
        () => touchTerms(view.text(attribute), terms, undefined),
      ];
    }
    case "scalar":
      if (attribute === "id" && test.set.kind === "list") return idNeeds(test.set.values, view);
      return columnNeeds(attribute, view);
    default:
      return columnNeeds(attribute, view);
  }
}

/** All ids are found in the same bytes. */
function idNeeds(values: readonly ScalarValue[], view: SegmentView): Need[] {
  const [first] = values;
  return typeof first === "bigint" || typeof first === "string"
    ? [() => void view.ordinalOf(first)]
    : [];
}

function columnNeeds(attribute: string, view: SegmentView): Need[] {
  if (attribute === "id") return [() => void view.ids];
  return [() => void view.column(attribute)?.column, () => void view.column(attribute)?.dictionary];
}

function vectorNeeds(attribute: string, view: SegmentView): Need[] {
  return [() => void view.column(attribute)?.column];
}

function touchTerms(
  text: TextView | undefined,
  terms: readonly string[],
  prefix: string | undefined,
): void {
  if (text === undefined) return;
  const looks: Need[] = terms.map((term) => () => void text.postings(term));
  if (prefix !== undefined) {
    for (let code = text.lowerBound(prefix); code < text.termCount; code++) {
      if (!text.term(code).startsWith(prefix)) break;
      looks.push(() => void text.postingsAt(code));
    }
  }
  attemptAll(looks);
}

/** Looks at the values of some documents, all together. */
export function touchValues(
  view: SegmentView,
  ordinals: readonly Ordinal[],
  attributes: readonly string[],
): void {
  attemptAll(
    ordinals.flatMap((ordinal) =>
      attributes.map((attribute) => () => void view.column(attribute)?.value(ordinal)),
    ),
  );
}
