import type { Clock } from "../../base/clock.ts";
import { MinuteBudget } from "../../base/minute-budget.ts";
import type { SlowRequest } from "./request-log.ts";

/**
 * Share of the time of a slow request from which on a query tells why: to send its answer may take
 * the rest.
 */
const DETAILS_SHARE = 0.5;

/** Which requests are slow, and how many of them are logged. */
export interface SlowRequestRules {
  /** 0: none is slow. */
  readonly slowRequestMs: number;
  /** A minute. */
  readonly slowRequestsLoggedMax: number;
}

/** A slow request, which is to be logged as one, or for whose line there is no room. */
export type NotedRequest =
  | ({ readonly kind: "logged" } & SlowRequest)
  | { readonly kind: "unlogged" };

/** Decides which slow requests are logged as such. */
export class SlowRequests {
  readonly #slowMs: number;
  readonly #budget: MinuteBudget;
  #unloggedCount = 0;

  constructor(clock: Pick<Clock, "monotonicMs">, rules: SlowRequestRules) {
    this.#slowMs = rules.slowRequestMs;
    this.#budget = new MinuteBudget(clock, rules.slowRequestsLoggedMax);
  }

  /** From how many milliseconds on a query that begins now is to tell why it took them. */
  get detailsMs(): number | undefined {
    if (this.#slowMs === 0 || !this.#budget.hasRoom) return undefined;
    return this.#slowMs * DETAILS_SHARE;
  }

  /** What is to be done about a request that took so long; undefined: it was not slow. */
  note(ms: number): NotedRequest | undefined {
    if (this.#slowMs === 0 || ms < this.#slowMs) return undefined;
    if (!this.#budget.take()) {
      this.#unloggedCount++;
      return { kind: "unlogged" };
    }
    const unloggedCount = this.#unloggedCount;
    this.#unloggedCount = 0;
    return { kind: "logged", unloggedCount };
  }
}
