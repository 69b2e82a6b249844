/** Query vectors: number arrays, base64, several of either, or a text to embed. */

import { type DatabaseError, invalid, malformed } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import { isJsonNumbers, type JsonValue } from "../../model/json-value.ts";
import type { VectorOperand } from "../../model/query.ts";
import { base64FloatCount, decodeBase64Floats } from "../json/base64.ts";
import { elementsOf, isNumber, modelNameAt, wrongType } from "../json/json-shape.ts";
import type { ExpressionBudget } from "./expression-budget.ts";

const EXPECTED = 'a vector (numbers or base64), an array of vectors, or ["Embed", text]';

/** Reads a vector operand; `Embed` clauses count against the budget. */
export function parseVectorOperand(
  path: string,
  value: JsonValue,
  budget: ExpressionBudget,
): VectorOperand {
  if (Array.isArray(value) && value[0] === "Embed") return parseEmbed(path, value, budget);
  return parseVectors(path, value);
}

/** Reads a vector operand that cannot be embedded. */
export function parseVectors(path: string, value: JsonValue): VectorOperand {
  if (Array.isArray(value) && value[0] === "Embed") {
    throw malformed(path, "Embed is not supported here, expected a vector");
  }
  if (Array.isArray(value) && value.length > 0 && !isNumber(value[0])) {
    const values = value.map((vector, i) => vectorAt(`${path}[${i}]`, vector));
    return { kind: "vectors", values };
  }
  return { kind: "vector", values: vectorAt(path, value) };
}

function parseEmbed(path: string, value: JsonValue[], budget: ExpressionBudget): VectorOperand {
  const [, text, parameters] = value;
  if (typeof text !== "string") {
    throw malformed(path, 'Embed expects a text, as in ["Embed", text, {"model": name}]');
  }
  if (value.length > 3) throw malformed(path, `invalid length ${value.length}, expected at most 3`);
  budget.addEmbed(path);
  if (parameters === undefined || parameters === null) {
    return { kind: "embed", text, model: undefined };
  }
  if (!(parameters instanceof Map)) throw wrongType(`${path}[2]`, parameters, "a map");
  const model = parameters.get("model") ?? undefined;
  return {
    kind: "embed",
    text,
    model: model === undefined ? undefined : modelNameAt(`${path}[2].model`, model),
  };
}

function vectorAt(path: string, value: JsonValue): Float32Array {
  const vector = typeof value === "string" ? fromBase64(path, value) : fromNumbers(path, value);
  if (vector.length === 0) throw invalid(`💔 ${path}: a query vector cannot be empty`);
  for (let i = 0; i < vector.length; i++) {
    if (!Number.isFinite(vector[i])) throw notFinite(`${path}[${i}]`, vector[i]);
  }
  return vector;
}

function notFinite(path: string, element: number): DatabaseError {
  return invalid(
    `💔 ${path}: every element of a vector must be a finite float32, -3.4e38 to 3.4e38, ` +
      `got ${element}`,
  );
}

function fromBase64(path: string, text: string): Float32Array {
  const count = base64FloatCount(text);
  if (typeof count === "string") throw badBase64(path, count);
  checkDimensions(path, count);
  const vector = new Float32Array(count);
  if (!decodeBase64Floats(text, vector)) throw badBase64(path, "invalid base64");
  return vector;
}

function fromNumbers(path: string, value: JsonValue): Float32Array {
  const elements = isJsonNumbers(value) ? value.values : elementsOf(value);
  if (elements === undefined) throw wrongType(path, value, EXPECTED);
  checkDimensions(path, elements.length);
  const vector = new Float32Array(elements.length);
  for (const [i, element] of elements.entries()) {
    if (!isNumber(element)) throw wrongType(`${path}[${i}]`, element, "a number");
    vector[i] = Number(element);
    if (!Number.isFinite(vector[i])) throw notFinite(`${path}[${i}]`, Number(element));
  }
  return vector;
}

function checkDimensions(path: string, count: number): void {
  if (count > VECTOR_DIMENSIONS_MAX) throw tooManyDimensions(path, count);
}

/** The error for a vector of more dimensions than any has. */
export function tooManyDimensions(path: string, count: number): DatabaseError {
  return invalid(
    `💔 ${path}: a vector has at most ${VECTOR_DIMENSIONS_MAX} dimensions, got ${count}`,
  );
}

function badBase64(path: string, fault: string): DatabaseError {
  return invalid(`💔 ${path}: ${fault}; vectors are standard base64 of little-endian float32`);
}
