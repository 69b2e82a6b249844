/**
 * Full-text settings that were changed while stored segments have an index of the old ones. Until
 * an indexer has written all of these anew, everything goes on with the old settings: queries, and
 * the indexes of what is written meanwhile. Then a manifest without the old settings says so, and
 * all change over at once. Pure.
 */

import { DatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { decodeFullText } from "../codec/schema-codec.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import type { Schema } from "../model/schema.ts";
import { sameAnalysis } from "../write/schema/full-text-declaration.ts";

/** Old settings of one attribute. */
export interface ServedText {
  readonly options: FullTextOptions;
  /** The entry that changed the settings first. */
  readonly since: SequenceNumber;
}

/** Old settings by attribute. */
export type ServedTexts = ReadonlyMap<string, ServedText>;

/** All indexes are what the schema says. */
export const NO_SERVED_TEXTS: ServedTexts = new Map();

/** What says how texts are indexed. */
export interface IndexedAs {
  readonly schema: Schema;
  readonly served: ServedTexts;
}

/** The old settings after entry `sequence` has changed the schema, where segments are stored. */
export function servedAfter(
  served: ServedTexts,
  change: { readonly before: Schema; readonly after: Schema; readonly sequence: SequenceNumber },
): ServedTexts {
  const { before, after, sequence } = change;
  if (before === after) return served;
  const next = new Map<string, ServedText>();
  for (const [name, { fullTextSearch: now }] of after.attributes) {
    const was = before.attributes.get(name)?.fullTextSearch;
    if (now === undefined || was === undefined) continue;
    const old = served.get(name) ?? { options: was, since: sequence };
    if (!sameAnalysis(old.options, now)) next.set(name, old);
  }
  return next.size === 0 ? NO_SERVED_TEXTS : next;
}

const schemas = new WeakMap<Schema, { readonly served: ServedTexts; readonly schema: Schema }>();

/**
 * The schema that indexes have. How terms are weighed is no matter of the index, so that is as the
 * newest schema says. Gives the same object for the same facts.
 */
export function servedSchema({ schema, served }: IndexedAs): Schema {
  if (served.size === 0) return schema;
  const known = schemas.get(schema);
  if (known?.served === served) return known.schema;
  const attributes = new Map(schema.attributes);
  for (const [name, { options }] of served) {
    const attribute = attributes.get(name);
    if (attribute?.fullTextSearch === undefined) continue;
    const { k1, b, k3 } = attribute.fullTextSearch;
    attributes.set(name, { ...attribute, fullTextSearch: { ...options, k1, b, k3 } });
  }
  const made = { served, schema: { ...schema, attributes } };
  schemas.set(schema, made);
  return made.schema;
}

/** The schema that indexes have while a change to `after` is being resolved. */
export function servedSchemaAfter(
  facts: IndexedAs & { readonly sequence: SequenceNumber },
  after: Schema,
): Schema {
  const { schema: before, sequence } = facts;
  const served = servedAfter(facts.served, { before, after, sequence });
  return servedSchema({ schema: after, served });
}

/**
 * Tells whether the segments of a newer manifest are indexed by other settings than are served now:
 * those that changed last, or those of before, where the manifest was made meanwhile.
 */
export function isReplaced(now: IndexedAs, newest: IndexedAs): boolean {
  const { attributes } = servedSchema(now);
  return [...servedSchema(newest).attributes].some(([name, { fullTextSearch: theirs }]) => {
    const ours = attributes.get(name)?.fullTextSearch;
    return ours !== undefined && theirs !== undefined && !sameAnalysis(ours, theirs);
  });
}

/** As JSON-able data. */
export function encodeServed(served: ServedTexts): unknown {
  return [...served].map(([name, { options, since }]) => ({ name, options, since }));
}

/** Reads what `encodeServed` made, after JSON; absent: none. Throws `corrupt`. */
export function decodeServed(stored: unknown): ServedTexts {
  if (stored === undefined) return NO_SERVED_TEXTS;
  if (!Array.isArray(stored)) throw damaged();
  const served = new Map<string, ServedText>();
  for (const entry of stored as readonly { [key: string]: unknown }[]) {
    const { name, options, since } = entry ?? {};
    if (typeof name !== "string" || !Number.isSafeInteger(since)) throw damaged();
    served.set(name, {
      options: decodeFullText(options, name),
      since: sequenceNumber(since as number),
    });
  }
  return served;
}

function damaged(): DatabaseError {
  return new DatabaseError("corrupt", "stored full-text settings are damaged");
}
