/** Binds ranking expressions to a schema and weighs their terms with the namespace's statistics. */

import { clipName } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import {
  attributeSchema,
  fullTextAttributes,
  unknownAttribute,
} from "../../model/attribute-schema.ts";
import type { ScalarKind } from "../../model/attribute-type.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { ScoreExpression } from "../../model/query.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import { inverseDocumentFrequency, queryWeight, termWeight } from "../../text/bm25.ts";
import type { ScoreNode } from "../operator/plan.ts";
import type { LateProbing, Probing } from "../operator/query-options.ts";
import type { AttributeScoreNode } from "../score/attribute.ts";
import type { Bm25Node } from "../score/bm25.ts";
import type { DecayNode } from "../score/decay.ts";
import type { DistNode } from "../score/dist.ts";
import type { FilterScoreNode } from "../score/filter-score.ts";
import type { FloorNode } from "../score/floor.ts";
import type { MaxNode } from "../score/max.ts";
import type { ProductNode } from "../score/product.ts";
import type { SaturateNode } from "../score/saturate.ts";
import type { SparseNode } from "../score/sparse.ts";
import type { SumNode } from "../score/sum.ts";
import { bindFilter, type FilterScope } from "./bind-filter.ts";
import { printOperand, scalarOperand } from "./operands.ts";
import { analyzeQuery, textOperand, textOperandType } from "./text-query.ts";
import type { TextStatistics } from "./text-statistics.ts";

/** What expressions are bound to. */
export interface ScoreScope extends FilterScope {
  /** How far ANN searches walk; as `PROBING` says if absent. */
  readonly probing?: Probing | undefined;
  /** The same of searches by several vectors; as `LATE_PROBING` says if absent. */
  readonly lateProbing?: LateProbing | undefined;
  readonly textStatistics: (attribute: string) => TextStatistics;
  readonly documentFrequency: (attribute: string, term: string) => number;
}

/** Binds an expression, in steps; throws `invalid` or `building`. */
export function bindScore(expression: ScoreExpression, scope: ScoreScope): Steps<ScoreNode> {
  return bind(expression, scope, "signed_refused");
}

/** Whether a negative value would reach the sum: signed attributes need something that clamps. */
type SignRule = "signed_refused" | "signed_allowed";

/** The nodes that expressions become. */
type BoundScore =
  | Bm25Node
  | SparseNode
  | SumNode
  | MaxNode
  | FloorNode
  | ProductNode
  | AttributeScoreNode
  | DistNode
  | SaturateNode
  | DecayNode
  | FilterScoreNode;

function* bind(expression: ScoreExpression, scope: ScoreScope, sign: SignRule): Steps<BoundScore> {
  switch (expression.kind) {
    case "bm25":
      return bindBm25(expression, scope);
    case "sparse":
      return bindSparse(expression, scope);
    case "sum":
    case "max": {
      const clauses: BoundScore[] = [];
      for (const clause of expression.clauses) {
        clauses.push(yield* bind(clause, scope, sign));
        yield;
      }
      return { kind: expression.kind, clauses };
    }
    case "floor": {
      const { floor } = expression;
      return {
        kind: "floor",
        floor,
        clause: yield* bind(expression.clause, scope, "signed_allowed"),
      };
    }
    case "product": {
      const { weight } = expression;
      return { kind: "product", weight, clause: yield* bind(expression.clause, scope, sign) };
    }
    case "attribute":
      return bindAttribute(expression.attribute, scope, sign);
    case "dist":
      return bindDist(expression.attribute, expression.origin, scope);
    case "saturate":
    case "decay":
      return yield* bindCurve(expression, scope);
    case "filter":
      return { kind: "filter", predicate: yield* bindFilter(expression.filter, scope) };
  }
}

/** The schema of an attribute named in `rank_by`, or the error for an unknown one. */
export function rankAttribute(name: string, scope: FilterScope): AttributeSchema {
  const schema = attributeSchema(name, scope.schema);
  if (schema === undefined) {
    throw unknownAttribute(name, scope.schema, `invalid rank_by field "${clipName(name)}"`);
  }
  return schema;
}

/** Builds the error for an attribute that a ranking cannot use. */
export function rankFault(attribute: string, fault: string): DatabaseError {
  return invalid(`💔 invalid rank_by field "${clipName(attribute)}": ${fault}`);
}

function bindBm25(
  expression: Extract<ScoreExpression, { kind: "bm25" }>,
  scope: ScoreScope,
): Bm25Node {
  const { attribute, query } = expression;
  const { fullTextSearch, type } = rankAttribute(attribute, scope);
  if (fullTextSearch === undefined) {
    throw rankFault(
      attribute,
      `BM25 needs \`full_text_search\` in the schema of the ${formatAttributeType(type)} ` +
        `attribute; ${fullTextAttributes(scope.schema)}`,
    );
  }
  const operand = textOperand(query, fullTextSearch);
  if (operand === undefined) {
    throw invalid(
      `💔 invalid input ${printOperand(query)} for rank_by field "${attribute}", ` +
        `expecting ${textOperandType(fullTextSearch)}`,
    );
  }
  scope.requireIndex(attribute, "full_text_search");
  const mode = expression.lastAsPrefix ? "last_as_prefix" : "whole";
  const { tokens, prefix } = analyzeQuery(operand, fullTextSearch, mode);
  const frequencies = new Map<string, number>();
  for (const { term } of tokens) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const { documentCount, termCount } = scope.textStatistics(attribute);
  const terms = [...frequencies].map(([term, frequency]) => {
    const found = scope.documentFrequency(attribute, term);
    const idf = inverseDocumentFrequency(documentCount, found);
    const weightInQuery = queryWeight(frequency, fullTextSearch.k3);
    const weight = termWeight(idf, weightInQuery, fullTextSearch.k1);
    return { term, documentFrequency: found, weight, weightInQuery };
  });
  const averageLength = documentCount === 0 ? 0 : termCount / documentCount;
  const saturation = { k1: fullTextSearch.k1, b: fullTextSearch.b };
  return { kind: "bm25", attribute, terms, prefix, averageLength, saturation };
}

function bindSparse(
  { attribute, entries }: Extract<ScoreExpression, { kind: "sparse" }>,
  scope: ScoreScope,
): SparseNode {
  const { type } = rankAttribute(attribute, scope);
  if (type.kind !== "sparse") {
    throw rankFault(attribute, `SparseKNN needs type {}f16, not ${formatAttributeType(type)}`);
  }
  return {
    kind: "sparse",
    attribute,
    entries: [...entries].map(([name, weight]) => [name, halfWeight(attribute, name, weight)]),
  };
}

/** A weight as the attribute's type would store it, so that equal weights have equal products. */
function halfWeight(attribute: string, name: string, weight: number): number {
  const half = Math.f16round(weight);
  if (Number.isFinite(half)) return half;
  throw rankFault(
    attribute,
    `the weight of "${clipName(name)}" is out of range of f16 (-65504 to 65504), was ${weight}`,
  );
}

const NUMBERS: readonly string[] = ["int", "uint", "float", "datetime"] satisfies ScalarKind[];

function numberKind(attribute: string, operator: string, scope: ScoreScope): ScalarKind {
  const { type } = rankAttribute(attribute, scope);
  if (type.kind === "scalar" && NUMBERS.includes(type.of)) return type.of;
  throw rankFault(
    attribute,
    `${operator} needs an int, uint, float or datetime attribute, not ${formatAttributeType(type)}`,
  );
}

function bindAttribute(attribute: string, scope: ScoreScope, sign: SignRule): AttributeScoreNode {
  const kind = numberKind(attribute, "Attribute", scope);
  if (kind !== "uint" && sign === "signed_refused") {
    throw rankFault(
      attribute,
      `values of type ${kind} may be negative, and scores must be non-negative; ` +
        `use ["Max", 0, ["Attribute", "${attribute}"]]`,
    );
  }
  return { kind: "attribute", attribute };
}

function bindDist(attribute: string, operand: JsonValue, scope: ScoreScope): DistNode {
  const kind = numberKind(attribute, "Dist", scope);
  const origin = scalarOperand(operand, kind);
  if (origin === undefined) {
    const fault = `Dist expects an origin of type ${kind}, but got ${printOperand(operand)}`;
    throw rankFault(attribute, fault);
  }
  return { kind: "dist", attribute, origin };
}

function* bindCurve(
  expression: Extract<ScoreExpression, { kind: "saturate" | "decay" }>,
  scope: ScoreScope,
): Steps<SaturateNode | DecayNode> {
  const { kind, exponent } = expression;
  const clause = yield* bind(expression.clause, scope, "signed_allowed");
  const midpoint = midpointOf(expression, clause, scope);
  if (!(midpoint > 0 && midpoint < Number.POSITIVE_INFINITY)) {
    throw invalid(`💔 midpoint of ${nameOf(kind)} must be greater than 0, was ${midpoint}`);
  }
  if (!(exponent > 0 && exponent < Number.POSITIVE_INFINITY)) {
    throw invalid(`💔 exponent of ${nameOf(kind)} must be greater than 0, was ${exponent}`);
  }
  return { kind, clause, midpoint, exponent };
}

const DURATION = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d|w)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Durations, in milliseconds, only make sense for distances between datetimes. */
function midpointOf(
  { kind, midpoint }: Extract<ScoreExpression, { kind: "saturate" | "decay" }>,
  clause: BoundScore,
  scope: ScoreScope,
): number {
  if (typeof midpoint === "number" || typeof midpoint === "bigint") return Number(midpoint);
  const duration = typeof midpoint === "string" ? DURATION.exec(midpoint) : null;
  if (duration === null) {
    throw invalid(
      `💔 midpoint of ${nameOf(kind)} must be a number, or a duration such as "7d" ` +
        `(units ms, s, m, h, d, w), was ${printOperand(midpoint)}`,
    );
  }
  const type = clause.kind === "dist" ? rankAttribute(clause.attribute, scope).type : undefined;
  if (type?.kind !== "scalar" || type.of !== "datetime") {
    throw invalid(
      `💔 midpoint ${printOperand(midpoint)} of ${nameOf(kind)} is a duration, which needs a Dist ` +
        "of a datetime attribute; use a number",
    );
  }
  return Number(duration[1]) * UNIT_MS[duration[2]];
}

function nameOf(kind: "saturate" | "decay"): string {
  return kind === "saturate" ? "Saturate" : "Decay";
}
