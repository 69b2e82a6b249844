/** Pages through the names of all namespaces. */

import type { NamespaceName } from "../../base/ids.ts";
import {
  DELETED_PREFIX,
  DELETING_PREFIX,
  deletedPrefix,
  deletingPrefix,
  manifestPrefix,
  NAMESPACES_PREFIX,
  type NamespaceGeneration,
  namespacePrefix,
  parseNamespacePrefix,
  walPrefix,
} from "../../storage/object-keys.ts";
import { endOf, type ObjectStore } from "../../storage/object-store.ts";
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
 * `demo`. Of a deleted namespace there are objects left while they are removed or others share its
 * segments, and under a name that is being filled there are some before it exists. So names with a
 * deletion intent or mark are looked up: two requests for each, and two more where it is an intent.
 */
export async function listNamespaces(
  store: ObjectStore,
  request: ListingRequest,
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
      return name?.startsWith(prefix) ? [name] : [];
    });
    const deletedNames = await findDeleted(store, candidates);
    for (const name of candidates) {
      if (deletedNames.has(name)) continue;
      names.push(name);
      if (names.length === pageSize) return names;
    }
    startAfter = endOf(page);
    if (!page.truncated || startAfter === undefined) return names;
  }
}

/** Tells whether a listing has this name: one request, and those for names that are looked up. */
export async function isListed(store: ObjectStore, name: NamespaceName): Promise<boolean> {
  const { keys } = await store.list({ prefix: namespacePrefix(name), limit: 1 });
  return keys.length > 0 && !(await findDeleted(store, [name])).has(name);
}

/** Those of some names, which are in order, none of whose generations is live. */
async function findDeleted(
  store: ObjectStore,
  names: readonly NamespaceName[],
): Promise<ReadonlySet<NamespaceName>> {
  const [deleted, announced] = await Promise.all([
    findMarked(store, names, { start: DELETED_PREFIX, prefixOf: deletedPrefix }),
    findMarked(store, names, { start: DELETING_PREFIX, prefixOf: deletingPrefix }),
  ]);
  const suspects = names.filter((name) => deleted.has(name) || announced.has(name));
  const deletedNames = new Set<NamespaceName>();
  for (let start = 0; start < suspects.length; start += LOOKUPS_AT_ONCE) {
    const some = suspects.slice(start, start + LOOKUPS_AT_ONCE);
    const exist = await Promise.all(
      some.map(async (name) => {
        const { live } = await findGenerations(store, name);
        return live !== undefined && (!announced.has(name) || (await hasBegun(store, live)));
      }),
    );
    for (const [index, name] of some.entries()) if (!exist[index]) deletedNames.add(name);
  }
  return deletedNames;
}

/** False where a copy is putting segments that no entry names yet. */
async function hasBegun(store: ObjectStore, generation: NamespaceGeneration): Promise<boolean> {
  const pages = await Promise.all(
    [walPrefix(generation), manifestPrefix(generation)].map((prefix) =>
      store.list({ prefix, limit: 1 }),
    ),
  );
  return pages.some(({ keys }) => keys.length > 0);
}

/** Those of some names, which are in order, of which a generation has a mark. */
async function findMarked(
  store: ObjectStore,
  names: readonly NamespaceName[],
  marks: { readonly start: string; prefixOf(name: NamespaceName): string },
): Promise<ReadonlySet<NamespaceName>> {
  const [first, last] = [names.at(0), names.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const marked = new Set<string>();
  // The text before the first name's marks, as the names themselves sort by their directories.
  let startAfter: string | undefined = marks.prefixOf(first).slice(0, -1);
  for (;;) {
    const page = await store.list({
      prefix: marks.start,
      delimiter: "/",
      startAfter,
      limit: names.length + 1,
    });
    for (const found of page.prefixes) marked.add(found);
    startAfter = endOf(page);
    const isPast = (page.prefixes.at(-1) ?? "") >= marks.prefixOf(last);
    if (!page.truncated || startAfter === undefined || isPast) break;
  }
  return new Set(names.filter((name) => marked.has(marks.prefixOf(name))));
}
