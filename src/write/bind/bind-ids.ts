/** Document ids as written to one column, and the search for ids that a request names twice. */

import { clip } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { TextBytes } from "../../codec/text-bytes.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { ColumnData, DocumentIds } from "../../model/columns.ts";
import { ID_BYTES_MAX } from "../../model/contract-limits.ts";
import { parseUuid, UUID_BYTES, writeUuidBytes } from "../../model/uuid.ts";
import { type LooseColumn, looseCount } from "../../model/write-request.ts";
import { STEP_VALUES, unsigned } from "./bind-scalars.ts";
import { duplicateIds } from "./duplicate-ids.ts";

/** Which list of a request ids come from; decides how a fault is located. */
export type IdOrigin =
  | { readonly layout: "rows"; readonly operation: "upsert" | "patch" }
  | { readonly layout: "columns"; readonly operation: "upsert" | "patch" }
  | { readonly layout: "deletes" };

/** Duplicates that an error lists at most. */
const LISTED_DUPLICATES_MAX = 100;

const UINT64_MAX = 2n ** 64n - 1n;

/** How a UUID may look, for messages. */
const UUID_FORM = "a UUID has 32 hexadecimal digits, as in 01234567-89ab-cdef-0123-456789abcdef";

/**
 * Binds ids to `idType`, or, where the namespace has none yet, to the type of the first: uint for
 * integers, string for strings.
 */
export function* bindIds(
  loose: LooseColumn,
  idType: IdType | undefined,
  origin: IdOrigin,
): Steps<DocumentIds> {
  const count = looseCount(loose);
  const isText = loose.integers === undefined && typeof loose.values[0] === "string";
  const type = idType ?? (isText ? "string" : "uint");
  switch (type) {
    case "uint":
      return { idType: type, count, ids: yield* bindUints(loose, origin) };
    case "string":
      return { idType: type, count, ids: yield* bindStrings(loose, origin) };
    case "uuid":
      return { idType: type, count, ids: yield* bindUuids(loose, origin) };
  }
}

/** Refuses a request that names a document more than once in its lists (400). */
export function* checkDuplicateIds(lists: readonly (DocumentIds | undefined)[]): Steps<void> {
  const found = yield* duplicateIds(
    lists.filter((list) => list !== undefined),
    LISTED_DUPLICATES_MAX + 1,
  );
  if (found.length === 0) return;
  const listed = found.slice(0, LISTED_DUPLICATES_MAX).join(", ");
  const more = found.length > LISTED_DUPLICATES_MAX ? ", …" : "";
  throw invalid(
    "💔 This upsert contains duplicate document IDs and was not written. You should ensure that " +
      "individual upserts do not include duplicate documents. The duplicated IDs in this batch " +
      `were the following: ${listed}${more}`,
  );
}

function* bindUints(loose: LooseColumn, origin: IdOrigin): Steps<ColumnData> {
  const { integers, integersOnly } = loose;
  // The parser lets no negative id through.
  if (integers !== undefined) return { kind: "u64", values: unsigned(integers) };
  const { values } = loose;
  const result = new BigUint64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (typeof value === "number" && integersOnly && value >= 0) result[i] = BigInt(value);
    else if (typeof value === "bigint" && value >= 0n && value <= UINT64_MAX) result[i] = value;
    else if (typeof value === "string") throw mixed("uint", "string", placed(origin, i, value));
    else throw noId(origin, i);
  }
  return { kind: "u64", values: result };
}

function* bindStrings({ values }: LooseColumn, origin: IdOrigin): Steps<ColumnData> {
  const text = new TextBytes(values.length * 16);
  const offsets = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (typeof value !== "string")
      throw isInteger(value) ? mixed("string", "uint", placed(origin, i, value)) : noId(origin, i);
    // A UTF-16 unit takes a byte at least: what is far too long is never copied.
    const bytes = value.length > ID_BYTES_MAX ? Buffer.byteLength(value) : text.append(value);
    if (bytes > ID_BYTES_MAX) {
      throw invalid(
        `💔 ${idPlace(origin, i)}: the id is ${bytes} bytes long, ` +
          `ids have at most ${ID_BYTES_MAX} bytes`,
      );
    }
    offsets[i + 1] = text.length;
  }
  return { kind: "string", offsets, bytes: yield* text.finish() };
}

function* bindUuids({ values }: LooseColumn, origin: IdOrigin): Steps<ColumnData> {
  const bytes = new Uint8Array(values.length * UUID_BYTES);
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && i % STEP_VALUES === 0) yield;
    const value = values[i];
    if (typeof value !== "string") {
      throw isInteger(value) ? mixed("uuid", "uint", placed(origin, i, value)) : noId(origin, i);
    }
    const uuid = parseUuid(value);
    if (uuid === undefined) {
      throw invalid("💔 namespace ID type is uuid, but a written ID could not be parsed as uuid", {
        hint: `${placed(origin, i, value)}, and ${UUID_FORM}`,
      });
    }
    writeUuidBytes(uuid, bytes, i * UUID_BYTES);
  }
  return { kind: "uuid", bytes };
}

function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || typeof value === "number";
}

function mixed(expected: IdType, got: IdType, hint: string): Error {
  return invalid(
    `💔 namespace ID type is ${expected}, but you sent ${got}; ` +
      "you are not allowed to mix ID types in the same namespace",
    { hint },
  );
}

/** Where an id is, and what it is. */
function placed(origin: IdOrigin, index: number, id: unknown): string {
  const shown = typeof id === "string" ? JSON.stringify(clip(id)) : String(id);
  return `${idPlace(origin, index)} is ${shown}`;
}

/** Values that no id type has are a fault of the body's shape. */
function noId(origin: IdOrigin, index: number): Error {
  const text = "data did not match any variant of untagged enum";
  if (origin.layout === "rows") return malformed(idPlace(origin, index), `${text} Id`);
  const list = origin.layout === "deletes" ? "deletes" : `${origin.operation}_columns.id`;
  return malformed(list, `${text} IdVec`);
}

function idPlace(origin: IdOrigin, index: number): string {
  switch (origin.layout) {
    case "rows":
      return `${origin.operation}_rows[${index}].id`;
    case "columns":
      return `${origin.operation}_columns.id[${index}]`;
    case "deletes":
      return `deletes[${index}]`;
  }
}
