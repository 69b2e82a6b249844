/** How long plans took lately, by their namespaces and what they do. */

import { LRUCache } from "lru-cache";
import type { NamespaceInstance } from "../../namespace/published-state.ts";

/** Plans of which estimates are kept, of some 300 bytes each. */
const PLANS_MAX = 1024;
/** Share of a difference by which an estimate follows. */
const FOLLOWED_SHARE = 0.25;

/** Estimates of one thread, in milliseconds of work. */
export class PlanTimes {
  readonly #times = new LRUCache<string, number>({ max: PLANS_MAX });

  /** What such a plan may take; undefined if none was seen. */
  estimate(instance: NamespaceInstance, outline: string): number | undefined {
    return this.#times.get(keyOf(instance, outline));
  }

  /** Notes what one took. */
  note(instance: NamespaceInstance, outline: string, ms: number): void {
    const key = keyOf(instance, outline);
    const last = this.#times.get(key) ?? ms;
    this.#times.set(key, last + FOLLOWED_SHARE * (ms - last));
  }
}

function keyOf(instance: NamespaceInstance, outline: string): string {
  return `${instance} ${outline}`;
}
