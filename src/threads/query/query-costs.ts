/**
 * What queries cost, by what is known of them before they are read: their namespace, and about how
 * long their bodies are. Those of one program are mostly alike.
 */

import type { NamespaceName } from "../../base/ids.ts";

/** Kinds of queries that are remembered; of more, the first ones are forgotten. */
const KINDS_MAX = 4096;
/** Share of a difference by which an estimate follows, up and down: it soon knows of costly ones. */
const UP_SHARE = 0.5;
const DOWN_SHARE = 0.1;

/** Estimates by kind. */
export class QueryCosts {
  readonly #estimates = new Map<string, number>();

  /** Milliseconds of work that such a query may take; undefined if none was seen. */
  estimate(namespace: NamespaceName, bodyBytes: number): number | undefined {
    return this.#estimates.get(kindOf(namespace, bodyBytes));
  }

  /** Notes what one took. */
  note(namespace: NamespaceName, bodyBytes: number, workedMs: number): void {
    const kind = kindOf(namespace, bodyBytes);
    const estimate = this.#estimates.get(kind);
    if (estimate === undefined) {
      this.#estimates.set(kind, workedMs);
      if (this.#estimates.size > KINDS_MAX) this.#forgetOldest();
      return;
    }
    const share = workedMs > estimate ? UP_SHARE : DOWN_SHARE;
    this.#estimates.set(kind, estimate + share * (workedMs - estimate));
  }

  #forgetOldest(): void {
    for (const kind of this.#estimates.keys()) {
      this.#estimates.delete(kind);
      return;
    }
  }
}

/** Bodies of one kind differ in length by less than a half. */
function kindOf(namespace: NamespaceName, bodyBytes: number): string {
  return `${Math.ceil(2 * Math.log2(bodyBytes + 1))} ${namespace}`;
}
