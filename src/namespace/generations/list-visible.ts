/** Pages through the names of those namespaces that a key may see. */

import type { NamespaceName } from "../../base/ids.ts";
import {
  fitEverything,
  fitsPatterns,
  type NamespacePatterns,
  patternStart,
} from "../../model/namespace-pattern.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { type ListingRequest, listNamespaces } from "./list-namespaces.ts";

/**
 * Lists the names that fit one of the patterns, as `listNamespaces` does: each pattern costs a
 * listing of its own, so that what others have is not even read.
 */
export async function listVisible(
  store: ObjectStore,
  request: ListingRequest,
  patterns: NamespacePatterns,
): Promise<NamespaceName[]> {
  if (fitEverything(patterns)) return listNamespaces(store, request);
  const starts = new Set(patterns.flatMap((pattern) => startOf(pattern, request.prefix) ?? []));
  const pages: NamespaceName[][] = [];
  for (const start of starts) {
    pages.push(await pageOf(store, { ...request, prefix: start }, patterns));
  }
  const names = [...new Set(pages.flat())];
  return names.sort(byDirectory).slice(0, request.pageSize);
}

/** The start of all names that have a prefix and fit a pattern; undefined if there are none. */
function startOf(pattern: string, prefix: string): string | undefined {
  const start = patternStart(pattern);
  if (start === undefined) return pattern.startsWith(prefix) ? pattern : undefined;
  if (start.startsWith(prefix)) return start;
  return prefix.startsWith(start) ? prefix : undefined;
}

/** A whole page of names that fit, or all there are: a pattern may be a name that starts others. */
async function pageOf(
  store: ObjectStore,
  request: ListingRequest,
  patterns: NamespacePatterns,
): Promise<NamespaceName[]> {
  const fitting: NamespaceName[] = [];
  let { after } = request;
  for (;;) {
    const names = await listNamespaces(store, { ...request, after });
    fitting.push(...names.filter((name) => fitsPatterns(patterns, name)));
    after = names.at(-1);
    if (fitting.length >= request.pageSize || names.length < request.pageSize) return fitting;
  }
}

/** The order of listings. */
function byDirectory(a: NamespaceName, b: NamespaceName): number {
  const [left, right] = [`${a}-table/`, `${b}-table/`];
  return left < right ? -1 : left > right ? 1 : 0;
}
