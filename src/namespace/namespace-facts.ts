/** What a namespace knows about itself at one sequence number, beside its documents. Pure. */

import { DatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { decodeSchema, encodeSchema } from "../codec/schema-codec.ts";
import {
  decodeServed,
  encodeServed,
  NO_SERVED_TEXTS,
  type ServedTexts,
  servedAfter,
} from "../engine/served-texts.ts";
import type { WriteBatch } from "../log/wal-records.ts";
import { EMPTY_SCHEMA, type Schema } from "../model/schema.ts";
import {
  afterDataWrite,
  afterSchemaChange,
  decodeSettings,
  type NamespaceSettings,
} from "../write/schema/namespace-settings.ts";

/** Facts of one namespace. */
export interface NamespaceFacts {
  /** Of the last WAL entry applied; 0 before the first. */
  readonly sequence: SequenceNumber;
  readonly schema: Schema;
  /** Undefined while the namespace does not exist. */
  readonly settings: NamespaceSettings | undefined;
  readonly deleted: boolean;
  /** Full-text settings that indexes still have, though the schema says otherwise. */
  readonly served: ServedTexts;
}

/** A namespace before its first entry. */
export const NO_FACTS: NamespaceFacts = {
  sequence: 0 as SequenceNumber,
  schema: EMPTY_SCHEMA,
  settings: undefined,
  deleted: false,
  served: NO_SERVED_TEXTS,
};

/**
 * The facts after a batch that was committed at `timeMs` by the next entry; `hasStored`: to a
 * namespace with stored segments. The sequence number stays.
 */
export function factsAfter(
  facts: NamespaceFacts,
  batch: WriteBatch,
  { timeMs, hasStored }: { readonly timeMs: number; readonly hasStored: boolean },
): NamespaceFacts {
  let { schema, settings, deleted, served } = facts;
  const keepsServing = hasStored || batchImports(batch);
  let wroteDocuments = false;
  let changedSchema = false;
  for (const record of batch) {
    switch (record.kind) {
      case "schema":
        if (keepsServing) {
          const sequence = sequenceNumber(facts.sequence + 1);
          served = servedAfter(served, { before: schema, after: record.schema, sequence });
        }
        schema = record.schema;
        changedSchema = true;
        break;
      case "settings":
        settings = record.settings;
        break;
      case "documents":
      case "deletes":
        wroteDocuments = true;
        break;
      case "import":
        break; // The settings of a copy or branch come with their own times.
      case "delete_namespace":
        deleted = true;
        break;
    }
  }
  if (settings !== undefined && wroteDocuments) settings = afterDataWrite(settings, timeMs);
  else if (settings !== undefined && changedSchema && !batchImports(batch)) {
    settings = afterSchemaChange(settings, timeMs);
  }
  return { ...facts, schema, settings, deleted, served };
}

/** The facts as JSON-able data, for the manifest. */
export function encodeFacts({ schema, settings, served }: NamespaceFacts): unknown {
  const facts = { schema: encodeSchema(schema), settings };
  return served.size === 0 ? facts : { ...facts, served: encodeServed(served) };
}

/** Reads what `encodeFacts` made, after JSON. Throws `corrupt`. */
export function decodeFacts(stored: unknown, sequence: SequenceNumber): NamespaceFacts {
  if (typeof stored !== "object" || stored === null) {
    throw new DatabaseError("corrupt", "a manifest without state");
  }
  const { schema, settings, served } = stored as { readonly [key: string]: unknown };
  return {
    sequence,
    schema: decodeSchema(schema),
    settings: decodeSettings(settings),
    deleted: false,
    served: decodeServed(served),
  };
}

function batchImports(batch: WriteBatch): boolean {
  return batch.some(({ kind }) => kind === "import");
}
