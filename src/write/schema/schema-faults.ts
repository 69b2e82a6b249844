/** Errors of schema changes that several files raise, with the texts that clients match on. */

import { DatabaseError, invalid } from "../../base/errors.ts";
import { type AttributeType, formatAttributeType } from "../../model/attribute-type.ts";
import type { DistanceMetric } from "../../model/schema.ts";

/** The error for a declaration that an attribute cannot take. */
export function updateFault(attribute: string, reason: string): DatabaseError {
  const message = `🙅 invalid schema update for attribute '${attribute}': ${reason}`;
  return new DatabaseError("invalid", message, { attribute });
}

/** The error for a declared type that differs from the existing one. */
export function typeChange(attribute: string, from: string, to: string): DatabaseError {
  return updateFault(attribute, `cannot change attribute type from ${from} to ${to}`);
}

/** The error for a dense vector attribute that is declared without its index. */
export function missingAnn(name: string, type: AttributeType): DatabaseError {
  if (name !== "vector") return invalid(`💔 vector attribute '${name}' must have ann:true`);
  const example = `"vector": { "type": "${formatAttributeType(type)}", "ann": true }`;
  return invalid(
    `💔 the \`vector\` attribute must have \`ann\` set to \`true\`, eg: \`${example}\``,
  );
}

/** The error for a namespace that gets vectors without a metric. */
export function missingMetric(): DatabaseError {
  return invalid("💔 distance_metric must be specified for write to namespace with a vector", {
    hint: 'add "distance_metric": "cosine_distance" or "euclidean_squared" beside the documents',
  });
}

/** Refuses a metric that is not the namespace's (400). */
export function checkMetric(expected: DistanceMetric, got: DistanceMetric | undefined): void {
  if (got !== undefined && got !== expected) {
    throw invalid(`💔 distance metric mismatch, expected ${expected}, got ${got}`);
  }
}
