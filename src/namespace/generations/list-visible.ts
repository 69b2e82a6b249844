/** Pages through the names of those namespaces that a key may see. */

import { type NamespaceName, namespaceName, namespaceNameFault } from "../../base/ids.ts";
import {
  fitEverything,
  type NamespacePatterns,
  patternStart,
} from "../../model/namespace-pattern.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { isListed, type ListingRequest, listNamespaces } from "./list-namespaces.ts";

/**
 * Lists the names that fit one of the patterns, as `listNamespaces` does. What others have is not
 * even read: each start costs a page of its own, and each name, which may begin those of many
 * others, is asked for alone.
 */
export async function listVisible(
  store: ObjectStore,
  request: ListingRequest,
  patterns: NamespacePatterns,
): Promise<NamespaceName[]> {
  if (fitEverything(patterns)) return listNamespaces(store, request);
  const found = new Set<NamespaceName>();
  const starts = new Set(patterns.flatMap((pattern) => startOf(pattern, request.prefix) ?? []));
  for (const prefix of starts) {
    for (const name of await listNamespaces(store, { ...request, prefix })) found.add(name);
  }
  for (const name of patterns.flatMap((pattern) => nameOf(pattern, request) ?? [])) {
    if (!found.has(name) && (await isListed(store, name))) found.add(name);
  }
  return [...found].sort(byDirectory).slice(0, request.pageSize);
}

/** The start of all names that have a prefix and fit a pattern; undefined if there are none. */
function startOf(pattern: string, prefix: string): string | undefined {
  const start = patternStart(pattern);
  if (start?.startsWith(prefix)) return start;
  return start !== undefined && prefix.startsWith(start) ? prefix : undefined;
}

/** The name that a pattern is, if the page may have it. */
function nameOf(pattern: string, { prefix, after }: ListingRequest): NamespaceName | undefined {
  if (!pattern.startsWith(prefix) || namespaceNameFault(pattern) !== undefined) return undefined;
  const name = namespaceName(pattern);
  return after === undefined || byDirectory(after, name) < 0 ? name : undefined;
}

/** The order of listings. */
function byDirectory(a: NamespaceName, b: NamespaceName): number {
  const [left, right] = [`${a}-table/`, `${b}-table/`];
  return left < right ? -1 : left > right ? 1 : 0;
}
