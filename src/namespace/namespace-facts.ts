/** What a namespace knows about itself at one sequence number, beside its documents. Pure. */

import { must } from "../base/assert.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import type { WriteBatch } from "../log/wal-records.ts";
import type { Manifest } from "../manifest/manifest.ts";
import {
  type ActiveTextOptions,
  type ManifestState,
  NO_ACTIVE_TEXT_OPTIONS,
} from "../manifest/manifest-state.ts";
import { encryptionContextText } from "../model/encryption-context.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import { EMPTY_SCHEMA, type Schema } from "../model/schema.ts";
import { afterDataWrite, afterSchemaChange } from "../write/schema/namespace-settings.ts";
import { activeTextOptionsAfter } from "./active-text-options.ts";

/** Facts of one namespace. */
export interface NamespaceFacts {
  /** Of the last WAL entry applied; 0 before the first. */
  readonly sequence: SequenceNumber;
  readonly schema: Schema;
  /** Undefined while the namespace does not exist. */
  readonly settings: NamespaceSettings | undefined;
  readonly deleted: boolean;
  /** Full-text settings that indexes still have, though the schema says otherwise. */
  readonly activeTextOptions: ActiveTextOptions;
}

/** A namespace before its first entry. */
export const NO_FACTS: NamespaceFacts = {
  sequence: 0 as SequenceNumber,
  schema: EMPTY_SCHEMA,
  settings: undefined,
  deleted: false,
  activeTextOptions: NO_ACTIVE_TEXT_OPTIONS,
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
  let { schema, settings, deleted, activeTextOptions } = facts;
  const keepsServing = hasStored || batchImports(batch);
  let wroteDocuments = false;
  let changedSchema = false;
  for (const record of batch) {
    switch (record.kind) {
      case "schema":
        if (keepsServing) {
          const sequence = sequenceNumber(facts.sequence + 1);
          activeTextOptions = activeTextOptionsAfter(activeTextOptions, {
            before: schema,
            after: record.schema,
            sequence,
          });
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
  return { ...facts, schema, settings, deleted, activeTextOptions };
}

/** What a manifest keeps of the facts of a namespace that exists. */
export function stateOf({ schema, settings, activeTextOptions }: NamespaceFacts): ManifestState {
  return { schema, settings: must(settings, "a namespace that does not exist"), activeTextOptions };
}

/** The facts up to the last entry that a manifest covers. */
export function factsOf({ state, indexedUpTo }: Manifest): NamespaceFacts {
  return { ...state, sequence: indexedUpTo, deleted: false };
}

function batchImports(batch: WriteBatch): boolean {
  return batch.some(({ kind }) => kind === "import");
}

/** The customer-managed key with which a namespace writes, if any, with its context: to compare. */
export function keyOf({ settings }: Pick<NamespaceFacts, "settings">): string | undefined {
  const encryption = settings?.encryption;
  if (encryption?.kind !== "customer_managed") return undefined;
  return `${encryption.keyName} ${encryptionContextText(encryption.context ?? {})}`;
}
