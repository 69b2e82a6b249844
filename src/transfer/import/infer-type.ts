/** The type of a column, from what its sampled values are: a pure decision. */

import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import type { ArrayElements, ValueKind } from "./value-kinds.ts";

/** From so many floats on, arrays of one length are taken for vectors without being told. */
const LIKELY_DIMENSIONS_MIN = 8;

/** What was decided of a column. */
export interface InferredType {
  /** Absent: the server decides by the first value that it gets. */
  readonly type?: AttributeType;
  /** Why it cannot be imported. */
  readonly fault?: string;
  /** What users should know. */
  readonly note?: string;
}

/** Counts what the sampled values of one column are. */
export class ColumnSample {
  readonly counts = new Map<ValueKind["kind"], number>();
  readonly elements = new Map<ArrayElements["kind"], number>();
  readonly lengths = new Set<number>();
  readonly dimensions = new Set<number>();
  readonly base64Bytes = new Set<number | undefined>();
  members: readonly string[] = [];

  /** Takes one value. */
  add(value: ValueKind): void {
    increment(this.counts, value.kind);
    if (value.kind === "array") {
      increment(this.elements, value.elements.kind);
      this.lengths.add(value.length);
      if (value.elements.kind === "vectors") this.dimensions.add(value.elements.dimensions);
    } else if (value.kind === "object") this.members = value.members;
    else if (value.kind === "string") this.base64Bytes.add(value.base64Bytes);
  }

  /** Values that say something. */
  get valueCount(): number {
    let count = 0;
    for (const [kind, times] of this.counts) {
      if (kind !== "null" && kind !== "broken") count += times;
    }
    return count;
  }
}

/** What is known beside the values. */
export interface InferenceHints {
  /** What the column is called in the file, for messages. */
  readonly name: string;
  /** The user, or the column's name, says that it has vectors. */
  readonly isVector: boolean;
  /** Values are texts of a table: what does not fit one kind is a string. */
  readonly isText: boolean;
}

/** Decides; where values differ in kind, the most frequent kind counts. */
export function inferType(sample: ColumnSample, hints: InferenceHints): InferredType {
  if (sample.valueCount === 0) return { note: "has no values in the sample" };
  const [kind, count] = mostFrequent(sample.counts);
  if (kind === "object") return { fault: nestedFault(hints.name, sample.members) };
  const decided = hints.isVector ? inferVector(sample, kind) : inferKind(sample, kind, hints);
  const others = sample.valueCount - count;
  if (others === 0 || hints.isText || decided.type === undefined) return decided;
  if (isNumberMix(sample)) return decided;
  const note = `${others} of ${sample.valueCount} sampled values are of another kind`;
  return { ...decided, note };
}

function inferKind(
  sample: ColumnSample,
  kind: ValueKind["kind"],
  { isText }: InferenceHints,
): InferredType {
  if (isNumberMix(sample)) return { type: { kind: "scalar", of: numberType(sample) } };
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
      return { type: { kind: "scalar", of: numberType(sample) } };
  }
}

/** Whether all values are numbers. */
function isNumberMix(sample: ColumnSample): boolean {
  return kindsOf(sample).every((kind) => kind === "int" || kind === "uint" || kind === "float");
}

function numberType({ counts }: ColumnSample): ScalarKind {
  if (counts.has("float")) return "float";
  return counts.has("uint") ? "uint" : "int";
}

function inferArray(sample: ColumnSample): InferredType {
  const elements = new Map(sample.elements);
  elements.delete("empty");
  if (elements.size === 0) return { note: "has empty arrays alone in the sample" };
  if (elements.has("int") && elements.has("float")) elements.delete("int");
  const [element] = mostFrequent(elements);
  if (element === "vectors") return inferMultiVector(sample);
  if (element === "mixed" || element === "empty") {
    return { fault: "arrays must have elements of one kind: strings, numbers or bools" };
  }
  const [length] = sample.lengths;
  const isVector =
    element === "float" && sample.lengths.size === 1 && length >= LIKELY_DIMENSIONS_MIN;
  if (isVector) return { type: { kind: "vector", dimensions: length, element: "f32" } };
  const isDate = element === "datetime" || element === "uuid";
  return { type: { kind: "array", of: isDate ? "string" : element } };
}

function inferVector(sample: ColumnSample, kind: ValueKind["kind"]): InferredType {
  if (kind === "array") {
    const [element] = mostFrequent(sample.elements);
    if (element === "vectors") return inferMultiVector(sample);
    if (element !== "int" && element !== "float") return { fault: "its arrays are not of numbers" };
    if (sample.lengths.size > 1) return { fault: lengthsFault("vectors", [...sample.lengths]) };
    const [dimensions] = sample.lengths;
    return { type: { kind: "vector", dimensions, element: "f32" } };
  }
  const [bytes] = sample.base64Bytes;
  if (
    kind === "string" &&
    sample.base64Bytes.size === 1 &&
    bytes !== undefined &&
    bytes % 4 === 0
  ) {
    return { type: { kind: "vector", dimensions: bytes / 4, element: "f32" } };
  }
  if (kind === "sparse") return { type: { kind: "sparse" } };
  return { fault: "has no vectors: arrays of numbers, or float32 as base64" };
}

function inferMultiVector({ dimensions }: ColumnSample): InferredType {
  if (dimensions.size > 1) return { fault: lengthsFault("lists of vectors", [...dimensions]) };
  const [only] = dimensions;
  return { type: { kind: "multi_vector", dimensions: only } };
}

function lengthsFault(what: string, lengths: readonly number[]): string {
  const range = `${Math.min(...lengths)} to ${Math.max(...lengths)}`;
  return `its ${what} have ${range} dimensions: all must have the same`;
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

function kindsOf(sample: ColumnSample): ValueKind["kind"][] {
  return [...sample.counts.keys()].filter((kind) => kind !== "null" && kind !== "broken");
}

function mostFrequent<K>(counts: ReadonlyMap<K, number>): [K, number] {
  const silent = ["null", "broken"] as readonly unknown[];
  const said = [...counts].filter(([kind]) => !silent.includes(kind));
  return said.reduce((best, one) => (one[1] > best[1] ? one : best));
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
