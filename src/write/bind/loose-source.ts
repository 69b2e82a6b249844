/** One attribute as written, with what binding needs to say where a fault is. */

import { clip } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { isJsonNumbers, type JsonObject } from "../../model/json-value.ts";
import {
  type LooseColumn,
  type LooseDocuments,
  type LooseValue,
  looseCount,
} from "../../model/write-request.ts";

/** Values to bind. */
export interface LooseSource {
  readonly attribute: string;
  readonly values: readonly (LooseValue | undefined)[];
  readonly count: number;
  /** See `LooseColumn`; the loops that know what they want take these. */
  readonly integers?: LooseColumn["integers"] | undefined;
  readonly numbers?: LooseColumn["numbers"] | undefined;
  readonly vectors?: LooseColumn["vectors"] | undefined;
  /** See `LooseColumn`. */
  readonly integersOnly: boolean;
  readonly filterable: boolean;
  /** Where value `index` stood in the body. */
  place(index: number): string;
}

/** Which operation documents belong to; it is part of their place in the body. */
export type DocumentOperation = "upsert" | "patch" | "patch_by_filter";

/** Where the value of an attribute stood in the body. */
export function placeOf(
  loose: Pick<LooseDocuments, "layout">,
  operation: DocumentOperation,
  attribute: string,
  index: number,
): string {
  if (operation === "patch_by_filter") return `patch_by_filter.patch.${attribute}`;
  return loose.layout === "rows"
    ? `${operation}_rows[${index}].${attribute}`
    : `${operation}_columns.${attribute}[${index}]`;
}

/** Wraps one attribute of the documents of an operation. */
export function sourceOf(
  loose: LooseDocuments,
  operation: DocumentOperation,
  attribute: { readonly name: string; readonly filterable: boolean },
  column: LooseColumn,
): LooseSource {
  return {
    attribute: attribute.name,
    get values() {
      return column.values;
    },
    count: looseCount(column),
    integers: column.integers,
    numbers: column.numbers,
    vectors: column.vectors,
    integersOnly: column.integersOnly,
    filterable: attribute.filterable,
    place: (index) => placeOf(loose, operation, attribute.name, index),
  };
}

/** The error for a value of another type than the attribute's. */
export function wrongType(
  source: LooseSource,
  index: number,
  expected: string,
  hint?: string,
): DatabaseError {
  const value = source.values[index];
  const got = `${looseTypeName(value, source.integersOnly)} ${clip(printLoose(value))}`;
  return valueFault(source, index, `expected ${expected}, but got ${got}`, hint);
}

/** The error for a value that breaks a rule. */
export function valueFault(
  source: LooseSource,
  index: number,
  fault: string,
  hint?: string,
): DatabaseError {
  const advice = hint === undefined ? "" : `; ${hint}`;
  return invalid(
    `💔 invalid value for attribute '${source.attribute}' at ${source.place(index)}: ` +
      `${fault}${advice}`,
  );
}

/** Bit set for each value that is not null; undefined if none is null. */
export function* presenceOf(source: LooseSource): Steps<Uint8Array | undefined> {
  if (source.integers !== undefined || source.numbers !== undefined) return undefined;
  const { values } = source;
  let presence: Uint8Array | undefined;
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_PRESENCE === 0) yield;
    if (values[i] !== null && values[i] !== undefined) continue;
    if (!presence) presence = new Uint8Array((values.length + 7) >> 3).fill(0xff);
    presence[i >> 3] &= ~(1 << (i & 7));
  }
  const spare = values.length & 7;
  if (presence && spare > 0) presence[presence.length - 1] &= (1 << spare) - 1;
  return presence;
}

function looseTypeName(value: LooseValue | undefined, integersOnly: boolean): string {
  if (typeof value === "number") return integersOnly ? "integer" : "decimal";
  if (typeof value === "bigint") return "integer";
  if (typeof value !== "object" || value === null) return typeof value;
  return value instanceof Map ? "object" : "array";
}

/** Values that one step looks at for nulls. */
const STEP_PRESENCE = 1 << 17;

/** How many elements of an array are printed. */
const PRINTED_ELEMENTS = 8;

function printLoose(value: LooseValue | undefined): string {
  if (typeof value === "string") return `"${clip(value)}"`;
  if (value instanceof Map) return printNames(value);
  if (value instanceof Float32Array) return printElements(value);
  if (isJsonNumbers(value)) return printElements(value.values);
  if (Array.isArray(value)) {
    const printed = value.slice(0, PRINTED_ELEMENTS).map((element) => printLoose(element));
    return `[${printed.join(", ")}${value.length > printed.length ? ", …" : ""}]`;
  }
  return String(value);
}

function printNames(value: JsonObject): string {
  const printed: string[] = [];
  for (const name of value.keys()) if (printed.push(clip(name)) === PRINTED_ELEMENTS) break;
  return `{${printed.join(", ")}}`;
}

function printElements(values: Float32Array | Float64Array): string {
  const printed = values.subarray(0, PRINTED_ELEMENTS);
  return `[${printed.join(", ")}${values.length > printed.length ? ", …" : ""}]`;
}
