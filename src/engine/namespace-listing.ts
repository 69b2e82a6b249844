/** Pages through the names of all namespaces. */

import type { NamespaceName } from "../base/ids.ts";
import {
  DELETED_PREFIX,
  deletedPrefix,
  NAMESPACES_PREFIX,
  parseNamespacePrefix,
} from "../storage/object-keys.ts";
import { endOf, type ObjectStore } from "../storage/object-store.ts";
import { findGenerations } from "./namespace-generations.ts";

/** What to list. */
export interface ListingRequest {
  /** Start of the wanted names. */
  readonly prefix: string;
  /** The last name of the page before. */
  readonly after: NamespaceName | undefined;
  readonly pageSize: number;
}

/** Names that are looked up at the same time. */
const LOOKUPS_AT_ONCE = 16;

/**
 * Lists names in the byte order of their directories (`<name>-table/`), so `demo-copy` comes before
 * `demo`. `isGone` leaves out names whose objects are still being removed. Of a deleted namespace
 * whose segments others share there are objects left, so names that were ever deleted are looked
 * up: two requests for each.
 */
export async function listNamespaces(
  store: ObjectStore,
  request: ListingRequest,
  isGone: (name: NamespaceName) => boolean,
): Promise<NamespaceName[]> {
  const { prefix, after, pageSize } = request;
  const names: NamespaceName[] = [];
  let startAfter =
    after === undefined
      ? undefined
      : endOf({ keys: [], prefixes: [`${NAMESPACES_PREFIX}${after}-table/`], truncated: true });
  for (;;) {
    const page = await store.list({
      prefix: NAMESPACES_PREFIX + prefix,
      delimiter: "/",
      limit: pageSize,
      ...(startAfter !== undefined && { startAfter }),
    });
    const candidates = page.prefixes.flatMap((found) => {
      const name = parseNamespacePrefix(found);
      // The prefix may have matched the directory's suffix, which is not part of the name.
      return name?.startsWith(prefix) && !isGone(name) ? [name] : [];
    });
    const dead = await findDead(store, candidates);
    for (const name of candidates) {
      if (dead.has(name)) continue;
      names.push(name);
      if (names.length === pageSize) return names;
    }
    startAfter = endOf(page);
    if (!page.truncated || startAfter === undefined) return names;
  }
}

/** Those of some names, which are in order, none of whose generations is alive. */
async function findDead(
  store: ObjectStore,
  names: readonly NamespaceName[],
): Promise<ReadonlySet<NamespaceName>> {
  const suspects = await findOnceDeleted(store, names);
  const dead = new Set<NamespaceName>();
  for (let start = 0; start < suspects.length; start += LOOKUPS_AT_ONCE) {
    const some = suspects.slice(start, start + LOOKUPS_AT_ONCE);
    const found = await Promise.all(some.map((name) => findGenerations(store, name)));
    found.forEach(({ alive }, index) => {
      if (alive === undefined) dead.add(some[index]);
    });
  }
  return dead;
}

/** Those of some names, which are in order, of which a generation is marked as deleted. */
async function findOnceDeleted(
  store: ObjectStore,
  names: readonly NamespaceName[],
): Promise<NamespaceName[]> {
  const [first, last] = [names.at(0), names.at(-1)];
  if (first === undefined || last === undefined) return [];
  const marked = new Set<string>();
  // The text before the first name's marks, as the names themselves sort by their directories.
  let startAfter: string | undefined = deletedPrefix(first).slice(0, -1);
  for (;;) {
    const page = await store.list({
      prefix: DELETED_PREFIX,
      delimiter: "/",
      startAfter,
      limit: names.length + 1,
    });
    for (const found of page.prefixes) marked.add(found);
    startAfter = endOf(page);
    const isPast = (page.prefixes.at(-1) ?? "") >= deletedPrefix(last);
    if (!page.truncated || startAfter === undefined || isPast) break;
  }
  return names.filter((name) => marked.has(deletedPrefix(name)));
}
