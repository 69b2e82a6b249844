/**
 * Whose turn it is on a thread: first among the keys that requests came with, then among the
 * namespaces that one key queries, then among the queries of one namespace. So neither many
 * queries nor many namespaces give a key more than its share while others wait.
 */

import { FairTurns } from "./fair-turns.ts";
import { MultilevelTurns } from "./multilevel-turns.ts";

/** Queries of one key and namespace take turns with each other as one. */
export interface QueryFlow {
  /** Id of the key; empty for requests without one. */
  readonly key: string;
  readonly namespace: string;
}

/** Queries of one key. */
interface KeyQueries<Query> {
  readonly turns: FairTurns<string>;
  readonly byNamespace: Map<string, MultilevelTurns<Query>>;
}

/** See the file's head. */
export class CallerTurns<Query> {
  /** Milliseconds of work after which a query counts as long among those of its namespace. */
  readonly #longMs: number;
  /** Milliseconds of a slice. */
  readonly #sliceMs: number;
  readonly #keys: FairTurns<string>;
  readonly #byKey = new Map<string, KeyQueries<Query>>();
  #size = 0;

  constructor(longMs: number, sliceMs: number) {
    this.#longMs = longMs;
    this.#sliceMs = sliceMs;
    this.#keys = new FairTurns(sliceMs);
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a query in that has worked for so long before. */
  add(query: Query, { key, namespace }: QueryFlow, workedMs: number): void {
    let queries = this.#byKey.get(key);
    if (queries === undefined) {
      queries = { turns: new FairTurns(this.#sliceMs), byNamespace: new Map() };
      this.#byKey.set(key, queries);
      this.#keys.add(key);
    }
    let turns = queries.byNamespace.get(namespace);
    if (turns === undefined) {
      turns = new MultilevelTurns(this.#longMs, this.#sliceMs);
      queries.byNamespace.set(namespace, turns);
      queries.turns.add(namespace);
    }
    turns.add(query, workedMs);
    this.#size++;
  }

  /** Takes out a query that was taken in with the same flow. */
  remove(query: Query, { key, namespace }: QueryFlow): void {
    const queries = this.#byKey.get(key);
    const turns = queries?.byNamespace.get(namespace);
    if (queries === undefined || turns === undefined) return;
    this.#size -= turns.size;
    turns.remove(query);
    this.#size += turns.size;
    if (turns.size > 0) return;
    queries.byNamespace.delete(namespace);
    queries.turns.remove(namespace);
    if (queries.turns.size > 0) return;
    this.#byKey.delete(key);
    this.#keys.remove(key);
  }

  /** The query whose turn it is; undefined if there is none. */
  next(): Query | undefined {
    const key = this.#keys.next();
    const queries = key === undefined ? undefined : this.#byKey.get(key);
    const namespace = queries?.turns.next();
    return namespace === undefined ? undefined : queries?.byNamespace.get(namespace)?.next();
  }

  /** A query has worked for so long. */
  charge(query: Query, { key, namespace }: QueryFlow, ms: number): void {
    this.#keys.charge(key, ms);
    const queries = this.#byKey.get(key);
    queries?.turns.charge(namespace, ms);
    queries?.byNamespace.get(namespace)?.charge(query, ms);
  }
}
