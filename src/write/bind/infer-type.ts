/** The type of an attribute that a document has and the schema does not know yet. */

import { invalid } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { isJsonNumbers, type JsonNumbers, type JsonValue } from "../../model/json-value.ts";
import type { AttributeSchema, DistanceMetric } from "../../model/schema.ts";
import { missingMetric } from "../schema/schema-faults.ts";
import { vectorLength } from "./bind-vectors.ts";
import { checkElements } from "./check-elements.ts";
import { type LooseSource, valueFault, wrongType } from "./loose-source.ts";

/** What decides whether vectors may be inferred. */
export interface InferenceOptions {
  readonly isNewNamespace: boolean;
  readonly distanceMetric: DistanceMetric | undefined;
}

const EMPTY_ARRAYS: AttributeType = { kind: "array", of: "unknown" };

/**
 * Infers an attribute from its values: string, int, bool, arrays of these, `[N]f32` for the name
 * `vector`, `[][N]f32` for nested number arrays. Undefined if all values are null. What cannot be
 * inferred is an error that says how to declare it.
 */
export function inferAttribute(
  source: LooseSource,
  options: InferenceOptions,
): AttributeSchema | undefined {
  const type = inferType(source);
  if (type === undefined) return undefined;
  if (type.kind !== "vector" && type.kind !== "multi_vector") return { type, filterable: true };
  if (!options.isNewNamespace) {
    throw invalid("💔 Vector provided for namespace without vector attribute");
  }
  if (options.distanceMetric === undefined) throw missingMetric();
  const ann = { distanceMetric: options.distanceMetric, lateInteraction: false };
  return type.kind === "vector" ? { type, filterable: false, ann } : { type, filterable: false };
}

function inferType(source: LooseSource): AttributeType | undefined {
  if (source.integers !== undefined) return { kind: "scalar", of: "int" };
  if (source.vectors !== undefined && source.attribute === "vector") {
    const { dimensions } = source.vectors;
    checkDimensions(source, 0, dimensions);
    return { kind: "vector", dimensions, element: "f32" };
  }
  let inferred: AttributeType | undefined;
  for (let i = 0; i < source.values.length; i++) {
    const value = source.values[i];
    if (value === null || value === undefined) continue;
    inferred = inferFrom(source, i);
    if (inferred !== EMPTY_ARRAYS) return inferred;
  }
  return inferred;
}

function inferFrom(source: LooseSource, index: number): AttributeType {
  const value = source.values[index];
  if (source.attribute === "vector") return inferVector(source, index);
  if (typeof value === "string") return { kind: "scalar", of: "string" };
  if (typeof value === "boolean") return { kind: "scalar", of: "bool" };
  if (typeof value === "bigint") return { kind: "scalar", of: "int" };
  if (typeof value === "number") {
    if (source.integersOnly) return { kind: "scalar", of: "int" };
    throw decimals(source, index, "float");
  }
  if (isJsonNumbers(value)) {
    if (value.integers) return { kind: "array", of: "int" };
    throw decimals(source, index, "[]float");
  }
  if (value instanceof Float32Array) throw decimals(source, index, "[]float");
  if (Array.isArray(value)) return inferArray(source, index, value);
  throw valueFault(
    source,
    index,
    "the type of an object is not inferred",
    "attributes stand beside `id`, each on its own; a sparse vector is declared in the schema, " +
      'as in {"type": "{}f16", "sparse_knn": {"distance_metric": "dot_product"}}',
  );
}

function inferArray(
  source: LooseSource,
  index: number,
  value: readonly (JsonValue | Float32Array)[],
): AttributeType {
  if (value.length === 0) return EMPTY_ARRAYS;
  checkElements(source, index, value);
  const first = value[0];
  if (typeof first === "string") return { kind: "array", of: "string" };
  if (typeof first === "boolean") return { kind: "array", of: "bool" };
  if (first instanceof Float32Array || isJsonNumbers(first) || Array.isArray(first)) {
    return multiVector(source, index, first);
  }
  if (typeof first === "number" || value.some((element) => typeof element === "number")) {
    throw decimals(source, index, "[]float");
  }
  if (typeof first === "bigint") return { kind: "array", of: "int" };
  throw valueFault(source, index, "the type of an array of objects is not known");
}

function multiVector(
  source: LooseSource,
  index: number,
  first: Float32Array | JsonNumbers | JsonValue[],
): AttributeType {
  const isNumbers = !Array.isArray(first) || first.every(isNumber);
  const dimensions = vectorLength(first);
  if (!isNumbers || typeof dimensions === "string" || dimensions === 0) {
    throw valueFault(source, index, "arrays of arrays must be non-empty vectors of numbers");
  }
  checkDimensions(source, index, dimensions);
  return { kind: "multi_vector", dimensions };
}

function inferVector(source: LooseSource, index: number): AttributeType {
  const value = source.values[index];
  if (Array.isArray(value) && value.length > 0 && !isNumber(value[0])) {
    return inferArray(source, index, value);
  }
  const dimensions = vectorLength(value);
  if (typeof dimensions === "string") {
    throw wrongType(source, index, "a vector (an array of numbers, or base64)", dimensions);
  }
  if (dimensions === 0) throw valueFault(source, index, "the vector has 0 dimensions");
  checkDimensions(source, index, dimensions);
  return { kind: "vector", dimensions, element: "f32" };
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function checkDimensions(source: LooseSource, index: number, dimensions: number): void {
  if (dimensions <= VECTOR_DIMENSIONS_MAX) return;
  const fault = `vectors have at most ${VECTOR_DIMENSIONS_MAX} dimensions, was ${dimensions}`;
  throw valueFault(source, index, fault);
}

function decimals(source: LooseSource, index: number, type: string): Error {
  return wrongType(
    source,
    index,
    "int (a signed 64-bit integer), the type inferred for numbers",
    `declare the attribute as "${type}" in the schema to store decimals`,
  );
}
