/**
 * Full-text settings that were changed while stored segments have an index of the old ones. Until
 * an indexer has written all of these anew, everything goes on with the old settings: queries, and
 * the indexes of what is written meanwhile. Then a manifest without the old settings is saved, and
 * queries and writes change over with it. Pure.
 */

import type { SequenceNumber } from "../base/ids.ts";
import {
  type ActiveTextOption,
  type ActiveTextOptions,
  NO_ACTIVE_TEXT_OPTIONS,
} from "../manifest/manifest-state.ts";
import type { Schema } from "../model/schema.ts";
import { sameAnalysis } from "../write/schema/full-text-declaration.ts";

/** What says how texts are indexed. */
export interface IndexedAs {
  readonly schema: Schema;
  readonly activeTextOptions: ActiveTextOptions;
}

/** The old settings after entry `sequence` has changed the schema, where segments are stored. */
export function activeTextOptionsAfter(
  activeTextOptions: ActiveTextOptions,
  change: { readonly before: Schema; readonly after: Schema; readonly sequence: SequenceNumber },
): ActiveTextOptions {
  const { before, after, sequence } = change;
  if (before === after) return activeTextOptions;
  const next = new Map<string, ActiveTextOption>();
  for (const [name, { fullTextSearch: now, column }] of after.attributes) {
    const attributeBefore = before.attributes.get(name);
    const was = attributeBefore?.fullTextSearch;
    if (now === undefined || was === undefined || attributeBefore?.column !== column) continue;
    const old = activeTextOptions.get(name) ?? { options: was, since: sequence };
    if (!sameAnalysis(old.options, now)) next.set(name, old);
  }
  return next.size === 0 ? NO_ACTIVE_TEXT_OPTIONS : next;
}

const schemas = new WeakMap<
  Schema,
  { readonly activeTextOptions: ActiveTextOptions; readonly schema: Schema }
>();

/**
 * The schema that indexes have. BM25 parameters are not part of the index, so they are those of the
 * newest schema. Gives the same object for the same facts.
 */
export function activeSchema({ schema, activeTextOptions }: IndexedAs): Schema {
  if (activeTextOptions.size === 0) return schema;
  const known = schemas.get(schema);
  if (known?.activeTextOptions === activeTextOptions) return known.schema;
  const attributes = new Map(schema.attributes);
  for (const [name, { options }] of activeTextOptions) {
    const attribute = attributes.get(name);
    if (attribute?.fullTextSearch === undefined) continue;
    const { k1, b, k3 } = attribute.fullTextSearch;
    attributes.set(name, { ...attribute, fullTextSearch: { ...options, k1, b, k3 } });
  }
  const made = { activeTextOptions, schema: { ...schema, attributes } };
  schemas.set(schema, made);
  return made.schema;
}

/** The schema that indexes have while a change to `after` is being resolved. */
export function activeSchemaAfter(
  facts: IndexedAs & { readonly sequence: SequenceNumber },
  after: Schema,
): Schema {
  const { schema: before, sequence } = facts;
  const activeTextOptions = activeTextOptionsAfter(facts.activeTextOptions, {
    before,
    after,
    sequence,
  });
  return activeSchema({ schema: after, activeTextOptions });
}

/**
 * Tells whether the segments of a newer manifest are indexed by other settings than are served now:
 * those that changed last, or those of before, where the manifest was made meanwhile.
 */
export function isReplaced(now: IndexedAs, newest: IndexedAs): boolean {
  const { attributes } = activeSchema(now);
  return [...activeSchema(newest).attributes].some(([name, { fullTextSearch: theirs, column }]) => {
    const attribute = attributes.get(name);
    const ours = attribute?.fullTextSearch;
    if (ours === undefined || theirs === undefined || attribute?.column !== column) return false;
    return !sameAnalysis(ours, theirs);
  });
}
