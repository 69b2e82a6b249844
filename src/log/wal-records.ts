/**
 * What a WAL entry's records say. An entry holds batches; each is a `batch` record that counts the
 * records after it, which become visible together. Version 1, by kind:
 *
 *     1  batch             u8 version of this list, u32 number of records that follow
 *     2  documents         columns (codec/columns-codec.ts)
 *     3  deletes           columns without attributes: the ids
 *     4  schema            JSON (codec/schema-codec.ts): the whole schema from here on
 *     5  settings          JSON (codec/settings-codec.ts): all settings from here on
 *     6  import            JSON: segments (codec/segment-entry-codec.ts), and whose they were
 *     7  delete_namespace  empty: nothing may follow
 *
 * Within a batch the schema and settings come before the documents that need them. No id is both in
 * `documents` and in `deletes` of one batch.
 */

import { DatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import type { Pieces } from "../base/pieces.ts";
import type { Steps } from "../base/steps.ts";
import { ByteReader, ByteWriter } from "../codec/bytes.ts";
import { decodeColumns, encodeColumnPieces } from "../codec/columns-codec.ts";
import { decodeSchema, encodeSchema } from "../codec/schema-codec.ts";
import { isSegmentEntry } from "../codec/segment-entry-codec.ts";
import { decodeSettings } from "../codec/settings-codec.ts";
import type { DocumentColumns, DocumentIds } from "../model/columns.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { Schema } from "../model/schema.ts";
import type { SegmentEntry } from "../model/segment-entry.ts";
import type { NewWalRecord, WalRecord } from "./wal-entry.ts";

/** One change of a namespace. */
export type WriteRecord =
  | { readonly kind: "documents"; readonly documents: DocumentColumns }
  | { readonly kind: "deletes"; readonly deletes: DocumentIds }
  | { readonly kind: "schema"; readonly schema: Schema }
  | { readonly kind: "settings"; readonly settings: NamespaceSettings }
  | {
      readonly kind: "import";
      /** Name of the namespace that the segments were copied from. */
      readonly source: string;
      readonly segments: readonly SegmentEntry[];
    }
  | { readonly kind: "delete_namespace" };

/** Changes that become visible together. */
export type WriteBatch = readonly WriteRecord[];

const VERSION = FORMAT_VERSIONS.batch.newest;

const KINDS = {
  batch: 1,
  documents: 2,
  deletes: 3,
  schema: 4,
  settings: 5,
  import: 6,
  delete_namespace: 7,
} as const;

/** Encodes batches in their order. Their arrays must not change until the records are written. */
export function* encodeBatches(batches: readonly WriteBatch[]): Steps<NewWalRecord[]> {
  const records: NewWalRecord[] = [];
  for (const batch of batches) {
    const head = new ByteWriter(8);
    head.u8(VERSION);
    head.u32(batch.length);
    records.push({ kind: KINDS.batch, pieces: [head.finish()] });
    for (const record of batch) {
      records.push({ kind: KINDS[record.kind], pieces: yield* encodeRecord(record) });
    }
  }
  return records;
}

/**
 * Decodes the records of an entry; `object` is its key, for errors. Records of a newer version or
 * of an unknown kind are `too_new`, anything else that is wrong is `corrupt`.
 */
export function decodeBatches(records: readonly WalRecord[], object: string): WriteBatch[] {
  const batches: WriteBatch[] = [];
  let next = 0;
  while (next < records.length) {
    const head = records[next++];
    if (head.kind !== KINDS.batch) throw unexpected(head, object);
    const count = batchLength(head, object);
    if (count > records.length - next) {
      throw corrupt(object, `a batch of ${count} records has ${records.length - next}`);
    }
    batches.push(records.slice(next, next + count).map((record) => decodeRecord(record, object)));
    next += count;
  }
  return batches;
}

function batchLength(head: WalRecord, object: string): number {
  const reader = new ByteReader(head.bytes, object);
  const version = reader.u8();
  if (version > VERSION) throw tooNew(object, `batch format ${version}`);
  if (version !== VERSION || head.bytes.length !== 5) throw corrupt(object, "damaged batch head");
  return reader.u32();
}

function* encodeRecord(record: WriteRecord): Steps<Pieces> {
  switch (record.kind) {
    case "documents":
      return yield* encodeColumnPieces(record.documents);
    case "deletes":
      return yield* encodeColumnPieces({ ...record.deletes, attributes: new Map() });
    case "schema":
      return [encodeJson(encodeSchema(record.schema))];
    case "settings":
      return [encodeJson(record.settings)];
    case "import":
      return [encodeJson({ source: record.source, segments: record.segments })];
    case "delete_namespace":
      return [];
  }
}

function decodeRecord({ kind, bytes }: WalRecord, object: string): WriteRecord {
  try {
    switch (kind) {
      case KINDS.documents:
        return { kind: "documents", documents: decodeColumns(bytes) };
      case KINDS.deletes: {
        const { idType, count, ids } = decodeColumns(bytes);
        return { kind: "deletes", deletes: { idType, count, ids } };
      }
      case KINDS.schema:
        return { kind: "schema", schema: decodeSchema(decodeJson(bytes)) };
      case KINDS.settings:
        return { kind: "settings", settings: decodeSettings(decodeJson(bytes)) };
      case KINDS.import:
        return decodeImport(decodeJson(bytes));
      case KINDS.delete_namespace:
        return { kind: "delete_namespace" };
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const message = `cannot read ${object}: record of kind ${kind}: ${error.message}`;
    throw new DatabaseError(error.code, message, { cause: error });
  }
  throw unexpected({ kind, bytes }, object);
}

function decodeImport(stored: unknown): WriteRecord {
  const { source, segments } = (stored ?? {}) as { source?: unknown; segments?: unknown };
  if (typeof source !== "string" || !Array.isArray(segments)) throw damaged("import");
  return {
    kind: "import",
    source,
    segments: segments.map((segment: unknown) => {
      if (!isSegmentEntry(segment)) throw damaged("imported segment");
      return segment;
    }),
  };
}

function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw damaged("JSON");
  }
}

function unexpected({ kind }: WalRecord, object: string): DatabaseError {
  const isKnown = (Object.values(KINDS) as number[]).includes(kind);
  return isKnown
    ? corrupt(object, `a record of kind ${kind} is out of place`)
    : tooNew(object, `record of kind ${kind}`);
}

function damaged(what: string): DatabaseError {
  return new DatabaseError("corrupt", `damaged ${what}`);
}

function corrupt(object: string, reason: string): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${object}: ${reason}`);
}

function tooNew(object: string, what: string): DatabaseError {
  return new DatabaseError("too_new", `cannot read ${object}: ${what} is of a newer server`);
}
