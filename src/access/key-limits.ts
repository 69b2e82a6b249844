/**
 * How much each key may ask of this server: so many requests and bytes a second, on average, and
 * what it did not use of the last second on top. Servers do not know of each other.
 */

import { LRUCache } from "lru-cache";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { type ApiKey, shownKey } from "./api-key.ts";

/** Keys with limits whose use is kept. */
const KEYS_REMEMBERED_MAX = 10_000;
/** What a key did not use of so long it may use at once. */
const SAVED_MS = 1000;
/** Sums of fractions of milliseconds are this exact. */
const ROUNDING_MS = 1e-6;

/** Until when what was asked for is paid, in milliseconds by the monotonic clock. */
interface PaidUntil {
  requestsMs: number;
  bytesMs: number;
}

/** See the file's head. Each request, and each byte, is paid for by the time that it may take. */
export class KeyLimiter {
  readonly #clock: Clock;
  /** By the id of a key that has limits. */
  readonly #paid = new LRUCache<string, PaidUntil>({ max: KEYS_REMEMBERED_MAX });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request. Throws `overloaded`, with the time to wait, if it is one too many. */
  admit(key: ApiKey): void {
    const { requestsPerSecond, bytesPerSecond } = key;
    if (requestsPerSecond === undefined && bytesPerSecond === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const paid = this.#paidBy(key, nowMs);
    if (bytesPerSecond !== undefined) {
      const waitMs = paid.bytesMs - nowMs - SAVED_MS;
      if (waitMs > ROUNDING_MS) throw exceeded(key, `${bytesPerSecond} bytes`, waitMs);
    }
    if (requestsPerSecond === undefined) return;
    const eachMs = 1000 / requestsPerSecond;
    const paidMs = Math.max(paid.requestsMs, nowMs) + eachMs;
    // One request can be saved for, however seldom it may come.
    const waitMs = paidMs - nowMs - Math.max(SAVED_MS, eachMs);
    if (waitMs > ROUNDING_MS) throw exceeded(key, `${requestsPerSecond} requests`, waitMs);
    paid.requestsMs = paidMs;
  }

  /** Counts the bytes of a request and its answer: they are known when it is over. */
  charge(key: ApiKey, bytes: number): void {
    if (key.bytesPerSecond === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const paid = this.#paidBy(key, nowMs);
    paid.bytesMs = Math.max(paid.bytesMs, nowMs) + (bytes * 1000) / key.bytesPerSecond;
  }

  #paidBy({ id }: ApiKey, nowMs: number): PaidUntil {
    const paid = this.#paid.get(id) ?? { requestsMs: nowMs, bytesMs: nowMs };
    this.#paid.set(id, paid);
    return paid;
  }
}

function exceeded(key: ApiKey, limit: string, waitMs: number): DatabaseError {
  return new DatabaseError(
    "overloaded",
    `the ${shownKey(key)} may ask this server for ${limit} per second, which were used up; ` +
      "send less, retry later, or use a key with another limit",
    { retryAfterMs: waitMs },
  );
}
