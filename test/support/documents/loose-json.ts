/** Plain JavaScript as the body parser would hand it over, for tests of what comes after it. */

import { DatabaseError } from "../../../src/base/errors.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json-value.ts";
import type { LooseColumn, LooseDocuments, LooseValue } from "../../../src/model/write-request.ts";

/** Stands for a number in decimal syntax whose value is whole, such as `1.0`. */
export class Decimal {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A JSON value: whole numbers are integers, typed arrays stay as they are. */
export function json(value: unknown): JsonValue {
  if (value instanceof Decimal) return value.value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof Float64Array)
    return { values: value, integers: value.every(Number.isInteger) };
  if (value instanceof Float32Array) return value as unknown as JsonValue;
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return jsonObject(value);
}

/** A JSON object. */
export function jsonObject(value: object): JsonObject {
  return new Map(Object.entries(value).map(([key, member]) => [key, json(member)]));
}

/** A column: numbers stay compact while all of them are whole. */
export function looseColumn(values: readonly unknown[]): LooseColumn {
  const isDecimal = (value: unknown) =>
    value instanceof Decimal || (typeof value === "number" && !Number.isInteger(value));
  const integersOnly = !values.some(isDecimal);
  const keep = (value: unknown) => integersOnly && typeof value === "number";
  return {
    values: values.map((value) => (keep(value) ? (value as LooseValue) : json(value ?? null))),
    integersOnly,
  };
}

/** A column without its block, which holds the same values. */
function listedColumn({ values, integersOnly, given }: LooseColumn): LooseColumn {
  return given === undefined ? { values, integersOnly } : { values, integersOnly, given };
}

/** The same documents without blocks; undefined for none. */
export function listedDocuments(documents: LooseDocuments | undefined): LooseDocuments | undefined {
  if (documents === undefined) return undefined;
  const attributes = new Map<string, LooseColumn>();
  for (const [name, column] of documents.attributes) attributes.set(name, listedColumn(column));
  return { ...documents, ids: listedColumn(documents.ids), attributes };
}

/** Rows with an `id` each. For patches, `given` tells null from absent. */
export function looseRows(rows: readonly Record<string, unknown>[]): LooseDocuments {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  names.delete("id");
  const attributes = new Map<string, LooseColumn>();
  for (const name of names) {
    const given = new Uint8Array((rows.length + 7) >> 3);
    rows.forEach((row, i) => {
      if (Object.hasOwn(row, name)) given[i >> 3] |= 1 << (i & 7);
    });
    const all = rows.every((row) => Object.hasOwn(row, name));
    attributes.set(name, {
      ...looseColumn(rows.map((row) => row[name])),
      ...(all ? {} : { given }),
    });
  }
  const ids = looseColumn(rows.map(({ id }) => id));
  return { count: rows.length, layout: "rows", ids, attributes };
}

/** The operating error that `run` throws. */
export function faultOf(run: () => unknown): DatabaseError {
  try {
    run();
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
