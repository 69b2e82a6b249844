/**
 * Queries that were run, and those that were given a name, as the browser keeps them. Nothing of a
 * key is in them.
 */

import { parseJsonText } from "./json-source.ts";
import { isList, isMembers } from "./json-value.ts";

/** A query that was run. */
export interface PastQuery {
  /** Its JSON, as it was sent. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** A query with a name. */
export interface NamedQuery {
  readonly name: string;
  readonly text: string;
}

/** Queries of the history that are kept of a namespace. */
export const HISTORY_MAX = 50;
/** Queries with a name that are kept of a namespace. */
export const NAMED_MAX = 200;
/** UTF-16 units of a query that is kept: vectors of 10,752 dimensions may be longer. */
export const KEPT_CHARS_MAX = 100_000;

/** The history with a query in front; one that is there already moves there. */
export function withQuery(history: readonly PastQuery[], query: PastQuery): PastQuery[] {
  if (query.text.length > KEPT_CHARS_MAX) return [...history];
  const others = history.filter(({ text }) => text !== query.text);
  return [query, ...others].slice(0, HISTORY_MAX);
}

/** The queries with one more, or another of the same name; by name. */
export function withNamed(all: readonly NamedQuery[], query: NamedQuery): NamedQuery[] {
  const others = all.filter(({ name }) => name !== query.name);
  return [...others, query].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, NAMED_MAX);
}

/** Why a query cannot get a name; undefined if it can. */
export function namingFault(all: readonly NamedQuery[], query: NamedQuery): string | undefined {
  if (query.name.trim() === "") return "Type a name for this query.";
  if (query.text.length > KEPT_CHARS_MAX) {
    const { length } = query.text;
    return `A query of more than ${KEPT_CHARS_MAX} characters is not kept; this one has ${length}.`;
  }
  const isNew = all.every(({ name }) => name !== query.name);
  if (isNew && all.length >= NAMED_MAX) return `At most ${NAMED_MAX} are kept; delete one first.`;
  return undefined;
}

/** Reads a stored history. What is damaged is left out: it is a convenience. */
export function readHistory(stored: string | null): PastQuery[] {
  return entries(stored).flatMap(({ text, atMs }) =>
    typeof text === "string" && typeof atMs === "number" ? [{ text, atMs }] : [],
  );
}

/** Reads stored queries with names. */
export function readNamed(stored: string | null): NamedQuery[] {
  return entries(stored).flatMap(({ name, text }) =>
    typeof text === "string" && typeof name === "string" ? [{ name, text }] : [],
  );
}

function entries(stored: string | null) {
  const value = stored === null ? undefined : parseJsonText(stored);
  return isList(value) ? value.filter(isMembers) : [];
}
