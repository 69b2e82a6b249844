/**
 * What queries cost, by what is known of them before they are read: their namespace, and about how
 * long their bodies are. Those of one program are mostly alike.
 */

import { LRUCache } from "lru-cache";
import type { NamespaceName } from "../../base/ids.ts";

/** Kinds of queries of which estimates are kept. */
const KINDS_MAX = 4096;
/** Share of a difference by which an estimate follows, up and down: it soon knows of costly ones. */
const UP_SHARE = 0.5;
const DOWN_SHARE = 0.1;
/**
 * Factors by which what is usual follows each query, however long it took: up by a tenth and down
 * by a fifth is balanced where 30 % are shorter (Ma, Muthukrishnan, Sandler, "Frugal streaming for
 * estimating quantiles", 2013).
 */
const USUAL_UP = 1.1;
const USUAL_DOWN = 0.8;

/** Milliseconds of work that queries of a kind take. */
export interface QueryCost {
  /** The last ones, above all those that took long. */
  readonly recentMs: number;
  /**
   * The shorter ones of them, about the third decile: where cores are short many queries wait for
   * one in the midst of their work, which says nothing of that.
   */
  readonly usualMs: number;
}

/** Estimates by kind. */
export class QueryCosts {
  readonly #costs = new LRUCache<string, QueryCost>({ max: KINDS_MAX });

  /** What such a query may take; undefined if none was seen. */
  estimate(namespace: NamespaceName, bodyBytes: number): QueryCost | undefined {
    return this.#costs.get(kindOf(namespace, bodyBytes));
  }

  /** Notes what one took. */
  note(namespace: NamespaceName, bodyBytes: number, workedMs: number): void {
    const kind = kindOf(namespace, bodyBytes);
    const cost = this.#costs.get(kind);
    if (cost === undefined) {
      this.#costs.set(kind, { recentMs: workedMs, usualMs: workedMs });
      return;
    }
    this.#costs.set(kind, {
      recentMs: moved(cost.recentMs, workedMs),
      usualMs: followed(cost.usualMs, workedMs),
    });
  }
}

function moved(estimate: number, workedMs: number): number {
  const share = workedMs > estimate ? UP_SHARE : DOWN_SHARE;
  return estimate + share * (workedMs - estimate);
}

function followed(usualMs: number, workedMs: number): number {
  return workedMs > usualMs
    ? Math.min(workedMs, usualMs * USUAL_UP)
    : Math.max(workedMs, usualMs * USUAL_DOWN);
}

/** Bodies of one kind differ in length by less than a half. */
function kindOf(namespace: NamespaceName, bodyBytes: number): string {
  return `${Math.ceil(2 * Math.log2(bodyBytes + 1))} ${namespace}`;
}
