/** Pages through the names of all namespaces. */

import type { NamespaceName } from "../base/ids.ts";
import { NAMESPACES_PREFIX, parseNamespacePrefix } from "../storage/object-keys.ts";
import { endOf, type ObjectStore } from "../storage/object-store.ts";

/** What to list. */
export interface ListingRequest {
  /** Start of the wanted names. */
  readonly prefix: string;
  /** The last name of the page before. */
  readonly after: NamespaceName | undefined;
  readonly pageSize: number;
}

/**
 * Lists names in the byte order of their directories (`<name>-table/`), so `demo-copy` comes before
 * `demo`. `isGone` leaves out names whose objects are still being removed.
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
    for (const found of page.prefixes) {
      const name = parseNamespacePrefix(found);
      // The prefix may have matched the directory's suffix, which is not part of the name.
      if (name === undefined || !name.startsWith(prefix) || isGone(name)) continue;
      names.push(name);
      if (names.length === pageSize) return names;
    }
    startAfter = endOf(page);
    if (!page.truncated || startAfter === undefined) return names;
  }
}
