/** The browser's storage of past queries and of those with names, by namespace. */

import { signal } from "@preact/signals";
import {
  type NamedQuery,
  type PastQuery,
  readHistory,
  readNamed,
  withNamed,
  withQuery,
} from "../../query/query-history.ts";

/** Rises with each change, so that what shows the lists reads them anew. */
export const storageTurn = signal(0);

/** Queries that were run, the newest first. */
export function pastQueries(namespace: string): PastQuery[] {
  return readHistory(read("history", namespace));
}

/** Queries with names, by name. */
export function namedQueries(namespace: string): NamedQuery[] {
  return readNamed(read("named", namespace));
}

/** Puts a query in front of the history. */
export function rememberQuery(namespace: string, query: PastQuery): void {
  write("history", namespace, withQuery(pastQueries(namespace), query));
}

/** Keeps a query by its name. */
export function nameQuery(namespace: string, query: NamedQuery): boolean {
  return write("named", namespace, withNamed(namedQueries(namespace), query));
}

/** Forgets a query with a name. */
export function forgetNamed(namespace: string, name: string): void {
  const others = namedQueries(namespace).filter((query) => query.name !== name);
  write("named", namespace, others);
}

/** Forgets all queries that were run. */
export function forgetHistory(namespace: string): void {
  write("history", namespace, []);
}

function read(kind: "history" | "named", namespace: string): string | null {
  try {
    return localStorage.getItem(storageName(kind, namespace));
  } catch {
    return null;
  }
}

/** False: the browser keeps nothing for this page, or has no room. */
function write(kind: "history" | "named", namespace: string, value: readonly object[]): boolean {
  try {
    localStorage.setItem(storageName(kind, namespace), JSON.stringify(value));
    return true;
  } catch {
    return false;
  } finally {
    storageTurn.value++;
  }
}

function storageName(kind: string, namespace: string): string {
  return `trawl-queries:${kind}:${namespace}`;
}
