/**
 * What a manifest keeps of a namespace beside its segments, and how it is stored as JSON:
 *
 *     schema             as codec/schema-codec.ts says
 *     settings           as codec/settings-codec.ts says
 *     activeTextOptions  [{name, options, since}] with the members of `ActiveTextOption`
 */

import { DatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { decodeFullText, decodeSchema, encodeSchema } from "../codec/schema-codec.ts";
import { decodeSettings } from "../codec/settings-codec.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { Schema } from "../model/schema.ts";

/** What entries of the log up to `indexedUpTo` amount to, without documents. */
export interface ManifestState {
  readonly schema: Schema;
  readonly settings: NamespaceSettings;
  /** Full-text settings that indexes still have, though the schema says otherwise. */
  readonly activeTextOptions: ActiveTextOptions;
}

/** Old settings of one attribute. */
export interface ActiveTextOption {
  readonly options: FullTextOptions;
  /** The entry that changed the settings first. */
  readonly since: SequenceNumber;
}

/** Old settings by attribute. */
export type ActiveTextOptions = ReadonlyMap<string, ActiveTextOption>;

/** All indexes are what the schema says. */
export const NO_ACTIVE_TEXT_OPTIONS: ActiveTextOptions = new Map();

/** Turns a state into JSON-able data. */
export function encodeManifestState({
  schema,
  settings,
  activeTextOptions,
}: ManifestState): unknown {
  const texts = [...activeTextOptions].map(([name, { options, since }]) => ({
    name,
    options,
    since,
  }));
  return { schema: encodeSchema(schema), settings, activeTextOptions: texts };
}

/** Reads what `encodeManifestState` made, after JSON. Throws `corrupt`. */
export function decodeManifestState(stored: unknown): ManifestState {
  if (typeof stored !== "object" || stored === null) {
    throw new DatabaseError("corrupt", "there is no state");
  }
  const { schema, settings, activeTextOptions } = stored as { readonly [key: string]: unknown };
  return {
    schema: decodeSchema(schema),
    settings: decodeSettings(settings),
    activeTextOptions: decodeActiveTextOptions(activeTextOptions),
  };
}

function decodeActiveTextOptions(stored: unknown): ActiveTextOptions {
  if (!Array.isArray(stored)) throw damaged();
  const activeTextOptions = new Map<string, ActiveTextOption>();
  for (const entry of stored as readonly { [key: string]: unknown }[]) {
    const { name, options, since } = entry ?? {};
    if (typeof name !== "string" || !isCount(since)) throw damaged();
    activeTextOptions.set(name, {
      options: decodeFullText(options, name),
      since: sequenceNumber(since),
    });
  }
  return activeTextOptions;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function damaged(): DatabaseError {
  return new DatabaseError("corrupt", "stored full-text settings are damaged");
}
