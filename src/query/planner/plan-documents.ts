/** Plans queries for documents: ranking, limits and what is returned. */

import { clipName } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { nearestAttribute, unknownAttribute } from "../../model/attribute-schema.ts";
import { type AttributeType, formatAttributeType } from "../../model/attribute-type.ts";
import type { DocumentQuery, LimitPer, RankBy, ScoreExpression } from "../../model/query.ts";
import { bindScore, rankAttribute, rankFault, type ScoreScope } from "../bind/bind-score.ts";
import { bindVectorTarget } from "../bind/bind-vector.ts";
import { atPlace } from "../bind/fault-place.ts";
import type { OrderKey } from "../documents/document-order.ts";
import { matchesAll } from "../filter/and.ts";
import type {
  ComputedNode,
  DocumentPlan,
  Predicate,
  RankNode,
  VectorTarget,
} from "../operator/plan.ts";
import { LATE_PROBING, PROBING } from "../operator/query-options.ts";
import { OPERATORS } from "../operators.ts";
import type { OrderRankNode } from "../order/order-rank.ts";
import type { ScoreRankNode } from "../score/score-rank.ts";
import type { ProbePlan } from "../vector/cluster-probe.ts";
import type { LateProbePlan } from "../vector/late-probe.ts";
import type { LateProbeNode } from "../vector/late-probe-rank.ts";
import type { VectorProbeNode } from "../vector/vector-probe-rank.ts";
import type { VectorScanNode } from "../vector/vector-scan-rank.ts";
import { planComputed } from "./plan-computed.ts";

/** Plans a query for the documents of `predicate`, in steps. */
export function* planDocuments(
  query: DocumentQuery,
  predicate: Predicate,
  scope: ScoreScope,
): Steps<DocumentPlan> {
  checkMetric(query, scope);
  const { rankBy } = query;
  const rank: RankNode =
    rankBy.kind === "score"
      ? yield* planScore(rankBy.expression, scope)
      : planRank(rankBy, query, predicate, scope);
  const limitPer = query.limitPer && bindLimitPer(query.limitPer, query, scope);
  const attributes = returnedAttributes(query, scope);
  const computed: [string, ComputedNode][] = [];
  for (const [name, node] of query.computed) {
    const place = `compute_attributes.${clipName(name)}`;
    computed.push([name, yield* atPlace(place, planComputed(node, query, scope))]);
  }
  const { offset, limit } = query;
  return { kind: "documents", predicate, rank, offset, limit, limitPer, attributes, computed };
}

/** Plans a ranking of the documents of `predicate`. */
function planRank(
  rankBy: Exclude<RankBy, { kind: "score" }>,
  query: DocumentQuery,
  predicate: Predicate,
  scope: ScoreScope,
): VectorRankingNode | OrderRankNode {
  switch (rankBy.kind) {
    case "vector":
      return planVectors(rankBy, query, predicate, scope);
    case "order": {
      const keys = rankBy.keys.map((key) => bindOrderKey(key, scope));
      const operator = OPERATORS.predicate(predicate);
      const within = operator.intervalOf?.(predicate, keys[0].attribute, OPERATORS);
      return { kind: "order", keys, ...(within === undefined ? {} : { within }) };
    }
  }
}

function* planScore(expression: ScoreExpression, scope: ScoreScope): Steps<ScoreRankNode> {
  return { kind: "score", score: yield* bindScore(expression, scope) };
}

/** Rankings by distance. */
type VectorRankingNode = VectorScanNode | VectorProbeNode | LateProbeNode;

function planVectors(
  { method, attribute, operand }: Extract<RankBy, { kind: "vector" }>,
  query: DocumentQuery,
  predicate: Predicate,
  scope: ScoreScope,
): VectorRankingNode {
  const target = bindVectorTarget(attribute, operand, method, scope);
  // Candidates of a filter are mostly few; without one nearly all documents are candidates.
  const access = matchesAll(predicate) ? "scan" : "gather";
  const wanted = wantedOf(query);
  const rank = { method, access, target } as const;
  const isApproximate = method === "ANN" && wanted !== undefined;
  if (isSeveral(target)) {
    return isApproximate
      ? { kind: "late_probe", ...rank, target, probe: planLateProbe(wanted, scope) }
      : { kind: "vector_scan", ...rank, wanted: undefined };
  }
  return isApproximate
    ? { kind: "vector_probe", ...rank, probe: planProbe(wanted, scope) }
    : { kind: "vector_scan", ...rank, wanted };
}

function isSeveral(target: VectorTarget): target is LateProbeNode["target"] {
  return !(target.query instanceof Float32Array);
}

/** How many results are wanted; undefined if that depends on them, as where keys have limits. */
function wantedOf({ limitPer, offset, limit }: DocumentQuery): number | undefined {
  const wanted = offset + limit;
  return limitPer === undefined && wanted > 0 ? wanted : undefined;
}

function planProbe(wanted: number, { probing = PROBING }: ScoreScope): ProbePlan {
  const { missedShare, atCost, firstClusters, exactMatchesMax, unaskedShare } = probing;
  return {
    ...{ wanted, missedMax: wanted * missedShare, firstClusters, exactMatchesMax, unaskedShare },
    atCost: atCost && { missedMax: wanted * atCost.missedShare, worthRows: atCost.worthRows },
  };
}

function planLateProbe(wanted: number, { lateProbing = LATE_PROBING }: ScoreScope): LateProbePlan {
  const { vectorsMin, vectorsPerResult, vectorShare, exactVectorsMax } = lateProbing;
  const { candidatesMin, candidatesPerResult } = lateProbing;
  return {
    wanted,
    vectors: Math.max(vectorsMin, vectorsPerResult * wanted),
    vectorShare,
    candidates: Math.max(candidatesMin, candidatesPerResult * wanted),
    exactVectorsMax,
  };
}

function checkMetric({ distanceMetric }: DocumentQuery, { schema }: ScoreScope): void {
  const expected = schema.distanceMetric;
  if (distanceMetric === undefined || expected === undefined || distanceMetric === expected) return;
  throw invalid(
    `💔 distance metric mismatch, expected ${expected}, got ${clipName(distanceMetric)}`,
  );
}

function bindOrderKey(key: OrderKey, scope: ScoreScope): OrderKey {
  const { attribute } = key;
  const { type, filterable } = rankAttribute(attribute, scope);
  if (type.kind !== "scalar") {
    throw rankFault(attribute, `cannot order by ${formatAttributeType(type)}`);
  }
  if (!filterable) {
    throw rankFault(attribute, "attribute is not filterable; set `filterable: true` in its schema");
  }
  if (attribute !== "id") scope.requireIndex(attribute, "filterable");
  return key;
}

function bindLimitPer(per: LimitPer, query: DocumentQuery, scope: ScoreScope): LimitPer {
  for (const attribute of per.attributes) {
    const type = scope.schema.attributes.get(attribute)?.type;
    if (type === undefined && attribute !== "id") {
      throw unknownAttribute(attribute, scope.schema, "invalid limit.per");
    }
    if (type !== undefined && type.kind !== "scalar") {
      throw invalid(
        `💔 limit.per cannot use attribute "${attribute}" of type ${formatAttributeType(type)}`,
      );
    }
    if (!isReturned(attribute, query)) {
      throw invalid(
        `💔 limit.per attribute "${attribute}" must be returned: add it to include_attributes`,
      );
    }
  }
  return per;
}

function isReturned(attribute: string, { selection }: DocumentQuery): boolean {
  switch (selection.kind) {
    case "none":
      return false;
    case "all":
      return true;
    case "include":
      return selection.names.has(attribute);
    case "exclude":
      return attribute === "id" || !selection.names.has(attribute);
  }
}

function returnedAttributes(
  { selection }: DocumentQuery,
  { schema }: ScoreScope,
): [string, AttributeType][] {
  const all = [...schema.attributes].map(([name, { type }]): [string, AttributeType] => [
    name,
    type,
  ]);
  switch (selection.kind) {
    case "none":
      return [];
    case "all":
      return all;
    case "exclude":
      return all.filter(([name]) => !selection.names.has(name));
    case "include":
      return [...selection.names]
        .filter((name) => name !== "id")
        .map((name) => {
          const found = schema.attributes.get(name);
          if (found !== undefined) return [name, found.type];
          throw invalid(
            `💔 attribute "${clipName(name)}" not found in schema, cannot be part of ` +
              "`include_attributes`. consider passing `include_attributes=True` to return all " +
              "attribute data instead",
            { hint: nearestAttribute(name, schema) },
          );
        });
  }
}
