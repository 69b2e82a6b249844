/** Binds query vectors to vector attributes. */

import { assert } from "../../base/assert.ts";
import { invalid } from "../../base/errors.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { VectorOperand } from "../../model/query.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { VectorTarget } from "../operator/plan.ts";
import type { FilterScope } from "./bind-filter.ts";
import { rankAttribute, rankFault } from "./bind-score.ts";

/** What a query vector is for; `ANN` needs the attribute's index. */
export type VectorUse = "ANN" | "kNN" | "VectorDist";

/** Checks attribute, index and dimensions. Operands must be embedded already. */
export function bindVectorTarget(
  attribute: string,
  operand: VectorOperand,
  use: VectorUse,
  scope: FilterScope,
): VectorTarget {
  const schema = rankAttribute(attribute, scope);
  assert(operand.kind !== "embed", "a text that was not embedded");
  if (use === "ANN") requireAnn(attribute, schema, scope);
  const query = queryVectors(attribute, schema, operand);
  const metric = schema.ann?.distanceMetric ?? scope.schema.distanceMetric;
  if (metric === undefined) throw rankFault(attribute, "the namespace has no distance_metric");
  return { attribute, metric, query };
}

function requireAnn(attribute: string, { type, ann }: AttributeSchema, scope: FilterScope): void {
  const isVector = type.kind === "vector" || type.kind === "multi_vector";
  if (!isVector) return;
  if (ann === undefined) {
    const form = type.kind === "vector" ? "`ann: true`" : "`ann: {late_interaction: true}`";
    throw rankFault(attribute, `ANN needs ${form} in the attribute's schema; use kNN with filters`);
  }
  scope.requireIndex(attribute, "ann");
}

function queryVectors(
  attribute: string,
  { type }: AttributeSchema,
  operand: Exclude<VectorOperand, { kind: "embed" }>,
): VectorTarget["query"] {
  if (type.kind !== "vector" && type.kind !== "multi_vector") {
    throw rankFault(attribute, `not a vector attribute, but ${formatAttributeType(type)}`);
  }
  const isMulti = type.kind === "multi_vector";
  if (isMulti !== (operand.kind === "vectors")) {
    throw rankFault(
      attribute,
      `expects ${isMulti ? "an array of vectors" : "one vector"}, since its type is ` +
        formatAttributeType(type),
    );
  }
  const vectors = operand.kind === "vectors" ? operand.values : [operand.values];
  if (vectors.length === 0) throw rankFault(attribute, "needs at least one query vector");
  for (const { length } of vectors) {
    if (length === type.dimensions) continue;
    throw invalid(
      `💔 query vector for attribute "${attribute}" has ${length} dimensions, ` +
        `expected ${type.dimensions} dimensions`,
    );
  }
  return operand.values;
}
