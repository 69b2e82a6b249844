/**
 * What opening a namespace asks first: one listing of all that is under its name, so that the
 * manifest, the log after it and the tombstones can be read in one round. A name with very many
 * objects is looked up step by step instead.
 */

import type { NamespaceName } from "../../base/ids.ts";
import { coveredUpTo } from "../../log/coverage-marks.ts";
import { baseVersionOf } from "../../segment/format/segment-id.ts";
import type { PrefixListing } from "../../storage/listed-object-store.ts";
import {
  type NamespaceGeneration,
  namespacePrefix,
  parseSegmentKey,
  parseWalKey,
} from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";
import {
  deletedGenerations,
  type FoundGenerations,
  findGenerations,
  generationsIn,
} from "../generations/namespace-generations.ts";

/** Last entries of a log that an opening asks for before it knows which ones it needs. */
export const OPENING_ENTRIES_AHEAD_MAX = 64;
/** Pages of the listing that an opening begins with; a longer one is left, as it is not needed. */
const OPENING_LIST_PAGES_MAX = 4;
/** Tombstones that an opening asks for before it knows which ones it needs. */
const OPENING_TOMBSTONES_AHEAD_MAX = 64;

/** What the store says about a name. */
export interface NamespaceListing extends FoundGenerations {
  /** Everything under the name; undefined if that is more than `OPENING_LIST_PAGES_MAX` pages. */
  readonly listing: PrefixListing | undefined;
}

/**
 * Looks a name up. Costs two listings at the same time, and one after the other for more pages; a
 * name with more pages than the limit is looked up by its prefixes.
 */
export async function listNamespaceObjects(
  store: ObjectStore,
  name: NamespaceName,
): Promise<NamespaceListing> {
  const prefix = namespacePrefix(name);
  const [deleted, keys] = await Promise.all([
    deletedGenerations(store, name),
    listSome(store, prefix),
  ]);
  if (keys === undefined) return { ...(await findGenerations(store, name)), listing: undefined };
  const generations = new Set(keys.map((key) => key.slice(0, key.indexOf("/", prefix.length) + 1)));
  return { ...generationsIn(generations, name, deleted), listing: { prefix, keys } };
}

/** All keys under a prefix; undefined if there are too many. */
async function listSome(store: ObjectStore, prefix: string): Promise<ObjectKey[] | undefined> {
  const keys: ObjectKey[] = [];
  let pages = 0;
  for await (const page of storePages(store, { prefix })) {
    keys.push(...page.keys);
    if (page.truncated && ++pages === OPENING_LIST_PAGES_MAX) return undefined;
  }
  return keys;
}

/**
 * The objects that an opening of a generation almost certainly reads besides its manifest, by their
 * names: the end of its log, without entries that coverage marks cover, and the newest tombstones
 * of each segment. Pure.
 */
export function readsAhead(
  keys: readonly ObjectKey[],
  generation: NamespaceGeneration,
): ObjectKey[] {
  const covered = coveredUpTo(keys, generation);
  const entries: ObjectKey[] = [];
  const tombstones = new Map<string, { readonly key: ObjectKey; readonly version: number }>();
  for (const key of keys) {
    if ((parseWalKey(generation, key) ?? 0) > covered) entries.push(key);
    const name = parseSegmentKey(generation, key) ?? "";
    const version = baseVersionOf(name);
    const [segment, live] = name.split(".");
    if (live === undefined || version === undefined) continue;
    if (version >= (tombstones.get(segment)?.version ?? 0))
      tombstones.set(segment, { key, version });
  }
  const newest = [...tombstones.values()].map(({ key }) => key);
  return [
    ...entries.slice(-OPENING_ENTRIES_AHEAD_MAX),
    ...newest.slice(-OPENING_TOMBSTONES_AHEAD_MAX),
  ];
}
