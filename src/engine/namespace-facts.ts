/** What a namespace knows about itself at one sequence number, beside its documents. Pure. */

import { DatabaseError } from "../base/errors.ts";
import type { SequenceNumber } from "../base/ids.ts";
import { EMPTY_SCHEMA, type Schema } from "../model/schema.ts";
import {
  afterDataWrite,
  afterSchemaChange,
  decodeSettings,
  type NamespaceSettings,
} from "../write/namespace-settings.ts";
import { decodeSchema, encodeSchema } from "../write/schema-codec.ts";
import type { WriteBatch } from "../write/wal-records.ts";

/** Facts of one namespace. */
export interface NamespaceFacts {
  /** Of the last WAL entry applied; 0 before the first. */
  readonly sequence: SequenceNumber;
  readonly schema: Schema;
  /** Undefined while the namespace does not exist. */
  readonly settings: NamespaceSettings | undefined;
  readonly deleted: boolean;
}

/** A namespace before its first entry. */
export const NO_FACTS: NamespaceFacts = {
  sequence: 0 as SequenceNumber,
  schema: EMPTY_SCHEMA,
  settings: undefined,
  deleted: false,
};

/** The facts after a batch that was committed at `timeMs`. The sequence number stays. */
export function factsAfter(
  facts: NamespaceFacts,
  batch: WriteBatch,
  timeMs: number,
): NamespaceFacts {
  let { schema, settings, deleted } = facts;
  let wroteDocuments = false;
  let changedSchema = false;
  for (const record of batch) {
    switch (record.kind) {
      case "schema":
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
  return { ...facts, schema, settings, deleted };
}

/** The facts as JSON-able data, for the manifest. */
export function encodeFacts({ schema, settings }: NamespaceFacts): unknown {
  return { schema: encodeSchema(schema), settings };
}

/** Reads what `encodeFacts` made, after JSON. Throws `corrupt`. */
export function decodeFacts(stored: unknown, sequence: SequenceNumber): NamespaceFacts {
  if (typeof stored !== "object" || stored === null) {
    throw new DatabaseError("corrupt", "a manifest without state");
  }
  const { schema, settings } = stored as { schema?: unknown; settings?: unknown };
  return {
    sequence,
    schema: decodeSchema(schema),
    settings: decodeSettings(settings),
    deleted: false,
  };
}

function batchImports(batch: WriteBatch): boolean {
  return batch.some(({ kind }) => kind === "import");
}
