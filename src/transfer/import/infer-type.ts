/** The type of a column, from what its sampled values are: a pure decision. */

import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import {
  type ColumnSample,
  kindsOf,
  mostFrequent,
  NUMBER_KINDS,
  type SampledLengths,
} from "./column-sample.ts";
import type { ValueKind } from "./value-kinds.ts";
import { type InferenceHints, valueNotes } from "./value-notes.ts";

/** From so many floats on, arrays of one length are taken for vectors without being told. */
const LIKELY_DIMENSIONS_MIN = 8;

/** Share of arrays that must have one length to be inferred as vectors. */
const LIKELY_SHARE_MIN = 0.9;

/** What was decided of a column. */
export interface InferredType {
  /** Absent: the server decides by the first value that it gets. */
  readonly type?: AttributeType;
  /** Why it cannot be imported. */
  readonly fault?: string;
  /** The fault is that its values are objects. */
  readonly isNested?: boolean;
  /** What users should know. */
  readonly notes?: readonly string[];
}

/** Decides; where values differ in kind, the most frequent kind counts. */
export function inferType(sample: ColumnSample, hints: InferenceHints): InferredType {
  if (sample.valueCount === 0) return { notes: ["has no values in the sample"] };
  const [kind, count] = mostFrequent(sample.counts);
  if (kind === "object") {
    return { fault: nestedFault(hints.name, sample.members), isNested: true };
  }
  if (kind === "wide") return { fault: wideFault(sample, hints) };
  const decided = hints.isVector ? inferVector(sample, kind) : inferKind(sample, kind, hints);
  if (decided.type === undefined) return decided;
  const notes = [...(decided.notes ?? []), ...valueNotes(sample, decided.type, hints)];
  const isString = decided.type.kind === "scalar" && decided.type.of === "string";
  const others = sample.valueCount - (isString ? stringCount(sample) : count);
  const isMixed = others > 0 && !hints.isText && !isNumberMix(sample);
  if (isMixed) notes.push(`${others} of ${sample.valueCount} sampled values are of another kind`);
  return { ...decided, notes };
}

function inferKind(
  sample: ColumnSample,
  kind: ValueKind["kind"],
  { isText }: InferenceHints,
): InferredType {
  if (isNumberMix(sample)) return scalar(numberType(sample));
  if (isText && kindsOf(sample).length > 1) return scalar("string");
  switch (kind) {
    case "bool":
    case "datetime":
      return scalar(kind);
    case "sparse":
      return { type: { kind: "sparse" } };
    case "array":
      return inferArray(sample);
    case "string":
    case "uuid":
      return scalar("string");
    default:
      return scalar(numberType(sample));
  }
}

function stringCount({ counts }: ColumnSample): number {
  const kinds = ["string", "uuid", "datetime"] as const;
  return kinds.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
}

/** Whether all values are numbers. */
function isNumberMix(sample: ColumnSample): boolean {
  return kindsOf(sample).every((kind) => NUMBER_KINDS.includes(kind));
}

function numberType({ counts }: ColumnSample): ScalarKind {
  if (counts.has("float")) return "float";
  return counts.has("uint") ? "uint" : "int";
}

function inferArray(sample: ColumnSample): InferredType {
  const elements = new Map(sample.elements);
  elements.delete("empty");
  if (elements.size === 0) return { notes: ["has empty arrays alone in the sample"] };
  if (elements.has("int") && elements.has("float")) elements.delete("int");
  const [element] = mostFrequent(elements);
  if (element === "vectors") return inferMultiVector(sample);
  if (element === "mixed" || element === "empty") {
    return { fault: "arrays must have elements of one kind: strings, numbers or bools" };
  }
  const likely = element === "float" ? likelyLength(sample) : undefined;
  if (likely !== undefined) return vectorOf(sample, likely);
  const isDate = element === "datetime" || element === "uuid";
  return { type: { kind: "array", of: isDate ? "string" : element } };
}

/** The length of arrays that are vectors, if they are likely to be some. */
function likelyLength({ lengths }: ColumnSample): number | undefined {
  const [length, count] = mostFrequent(countsOf(lengths));
  const share = count / sumOf(lengths);
  return length >= LIKELY_DIMENSIONS_MIN && share >= LIKELY_SHARE_MIN ? length : undefined;
}

/** Rows with a vector of another length are bad. */
function vectorOf({ lengths }: ColumnSample, dimensions: number): InferredType {
  const notes = otherLengths("vectors", lengths, dimensions);
  return { type: { kind: "vector", dimensions, element: "f32" }, notes };
}

function inferVector(sample: ColumnSample, kind: ValueKind["kind"]): InferredType {
  if (kind === "array") {
    const [element] = mostFrequent(sample.elements);
    if (element === "vectors") return inferMultiVector(sample);
    if (element !== "int" && element !== "float") return { fault: "its arrays are not of numbers" };
    const dimensions = commonLength(sample.lengths);
    if (dimensions === undefined) return { fault: lengthsFault("vectors", sample.lengths) };
    return vectorOf(sample, dimensions);
  }
  const bytes = kind === "string" ? commonLength(sample.base64Bytes) : undefined;
  if (bytes !== undefined && bytes > 0 && bytes % 4 === 0) {
    const notes = otherLengths("vectors", sample.base64Bytes, bytes);
    return { type: { kind: "vector", dimensions: bytes / 4, element: "f32" }, notes };
  }
  if (kind === "sparse") return { type: { kind: "sparse" } };
  return { fault: "has no vectors: arrays of numbers, or float32 as base64" };
}

function inferMultiVector({ dimensions: lengths }: ColumnSample): InferredType {
  const dimensions = commonLength(lengths);
  if (dimensions === undefined) return { fault: lengthsFault("lists of vectors", lengths) };
  const notes = otherLengths("lists of vectors", lengths, dimensions);
  return { type: { kind: "multi_vector", dimensions }, notes };
}

/** The length that more than half of the values have. */
function commonLength(lengths: SampledLengths): number | undefined {
  if (lengths.size === 0) return undefined;
  const [length, count] = mostFrequent(countsOf(lengths));
  return 2 * count > sumOf(lengths) ? length : undefined;
}

function otherLengths(what: string, lengths: SampledLengths, usual: number): string[] {
  const others = [...lengths].filter(([length]) => length !== usual);
  if (others.length === 0) return [];
  const [[, { place }]] = others;
  const count = sumOf(new Map(others));
  return [
    `${count} of ${sumOf(lengths)} sampled ${what} have another length, the first in ${place}: ` +
      "such rows are rejected",
  ];
}

function countsOf(lengths: SampledLengths): Map<number, number> {
  return new Map([...lengths].map(([length, { count }]) => [length, count]));
}

function sumOf(lengths: SampledLengths): number {
  return [...lengths.values()].reduce((sum, { count }) => sum + count, 0);
}

function lengthsFault(what: string, lengths: SampledLengths): string {
  const all = [...lengths.keys()];
  const range = `${Math.min(...all)} to ${Math.max(...all)}`;
  return `its ${what} have ${range} dimensions, and no length has a majority`;
}

function wideFault(
  { examples }: ColumnSample,
  { isText, isJson, declare }: InferenceHints,
): string {
  const { text, place } = examples.get("wide") ?? { text: "", place: "" };
  const asText = isText || isJson ? "" : `, or all digits as text with ${declare("string")}`;
  return (
    `has integers beyond 64 bits, as ${text} in ${place}: take the nearest float64 with ` +
    `${declare("float")}${asText}`
  );
}

function nestedFault(name: string, members: readonly string[]): string {
  const [first = "name"] = members;
  const flat = `.${name}_${first} = .${name}.${first}`;
  return (
    `has objects {${members.slice(0, 4).join(", ")}}, and documents are flat: give their members ` +
    `attributes of their own, as with jq -c '${flat} | del(.${name})'`
  );
}

function scalar(of: ScalarKind): InferredType {
  return { type: { kind: "scalar", of } };
}
