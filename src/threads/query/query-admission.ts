/**
 * Admission control of queries. A query passes these gates in this order, on the main thread (M) or
 * its query thread (Q). A gate refuses with 429 and a time after which to retry.
 *
 * 1. M, `enter`: queries of the server, at most `QUERIES_IN_FLIGHT_MAX`; "too many queries".
 * 2. M, `enter`: bytes of large bodies, at most `bodyBytesMax`; "too many large queries".
 * 3. M, `slot`: one of the `QUERY_SLOTS` of its namespace; "too many concurrent queries".
 * 4. M, `QueryDispatcher`: the thread with the least load (`ThreadLoads`), or the main thread for a
 *    short query (`OwnQueries`); refuses none.
 * 5. Q, `QueryTurns`: a slice at a time, shared among keys, namespaces and queries; refuses none.
 * 6. M, `HeldSlots.exchange`: slots by the weight of the query, once it is parsed; as gate 3.
 * 7. Q, `QueryOperations`: bytes without an index that a strong query would search, at most
 *    `unindexedBytesMax`; "too much unindexed data".
 * 8. Q, `QueryMemory`: heap for what it finds, at most `queryBytesMax` for all queries of the
 *    thread, as the query takes it; "queries that run take too much memory".
 *
 * `QueryDivision` admits nothing: threads help with a query only while they are idle.
 */

import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { QUERY_SLOT_WAIT_MS_MAX, QUERY_SLOTS } from "../../model/contract-limits.ts";
import { WeightedSlots } from "./turns/weighted-slots.ts";

/** Queries between gate 1 and their answer, over all namespaces; our choice. */
export const QUERIES_IN_FLIGHT_MAX = 1024;
/**
 * Bodies above this size pass gate 2, because reading one takes some seven times its bytes; our
 * choice: a thousand times the size of a usual query.
 */
const LARGE_BODY_BYTES = 1 * MIB;

/** A query that asks to enter. */
export interface EnteringQuery {
  readonly bodyBytes: number;
  /** Aborted when the client leaves. */
  readonly signal?: AbortSignal | undefined;
}

/** The gates of the main thread; see the file's head. */
export class QueryAdmission {
  readonly #clock: Pick<Clock, "sleep" | "monotonicMs">;
  readonly #bodyBytesMax: number;
  readonly #bodyBytes: WeightedSlots;
  readonly #slots = new Map<NamespaceName, WeightedSlots>();
  #inFlight = 0;
  #drained: () => void = () => {};

  /** `bodyBytesMax` bounds the large bodies that are answered at a time, all together. */
  constructor(
    clock: Pick<Clock, "sleep" | "monotonicMs">,
    bodyBytesMax = Number.POSITIVE_INFINITY,
  ) {
    this.#clock = clock;
    this.#bodyBytesMax = bodyBytesMax;
    const refusal = (bytes: number, used: number) =>
      `💔 too many large queries: bodies of ${used} bytes are being answered, at most ` +
      `${bodyBytesMax} at a time, and this one has ${bytes}; retry later`;
    this.#bodyBytes = new WeightedSlots(bodyBytesMax, { clock, refusal });
  }

  /**
   * Gates 1 and 2: answers a query by `work`. Throws `overloaded`, or `unavailable` if the client
   * leaves before. A large body always passes when it is the only one.
   */
  async enter<T>({ bodyBytes, signal }: EnteringQuery, work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= QUERIES_IN_FLIGHT_MAX) {
      throw new DatabaseError(
        "overloaded",
        `💔 too many queries: ${QUERIES_IN_FLIGHT_MAX} are running on this server; retry later`,
        { retryAfterMs: QUERY_SLOT_WAIT_MS_MAX },
      );
    }
    this.#inFlight++;
    const bytes = bodyBytes <= LARGE_BODY_BYTES ? 0 : Math.min(bodyBytes, this.#bodyBytesMax);
    try {
      if (bytes > 0) await this.#bodyBytes.acquire(bytes, signal);
      try {
        return await work();
      } finally {
        if (bytes > 0) this.#bodyBytes.release(bytes);
      }
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#drained();
    }
  }

  /** No query is between gate 1 and its answer. */
  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** Resolves when it becomes idle. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Gate 3. Throws as `WeightedSlots.acquire` does. */
  async slot(namespace: NamespaceName, signal?: AbortSignal): Promise<HeldSlots> {
    const known = this.#slots.get(namespace);
    const slots = known ?? new WeightedSlots(QUERY_SLOTS, { clock: this.#clock, refusal: noSlots });
    if (known === undefined) this.#slots.set(namespace, slots);
    const startMs = this.#clock.monotonicMs();
    await slots.acquire(1, signal);
    const waitedMs = this.#clock.monotonicMs() - startMs;
    return new HeldSlots(slots, waitedMs, () => {
      // Once idle, they may have been exchanged for new ones.
      if (slots.idle && this.#slots.get(namespace) === slots) this.#slots.delete(namespace);
    });
  }
}

/** The slots of its namespace that one query holds: at first one. */
export class HeldSlots {
  readonly #slots: WeightedSlots;
  /** Milliseconds that the query has waited for its first slot. */
  readonly #waitedMs: number;
  readonly #onRelease: () => void;
  #weight = 1;
  #isReleased = false;

  /** `slots` has granted one slot after `waitedMs`; `onRelease` is called when it has none left. */
  constructor(slots: WeightedSlots, waitedMs: number, onRelease: () => void) {
    this.#slots = slots;
    this.#waitedMs = waitedMs;
    this.#onRelease = onRelease;
  }

  /**
   * Gate 6: exchanges them for `weight` slots (contract: aggregations 4, kNN 2, others 1). They are
   * released first: if queries kept them, sixteen heavy ones could wait for each other. Throws
   * `overloaded`; then it holds none.
   */
  async exchange(weight: number): Promise<void> {
    this.#slots.release(this.#weight);
    this.#weight = 0;
    await this.#slots.acquire(weight, undefined, this.#waitedMs);
    this.#weight = weight;
    // The query may have ended while it waited.
    if (this.#isReleased) this.release();
  }

  /** The query is over, or leaves its thread. */
  release(): void {
    this.#isReleased = true;
    this.#slots.release(this.#weight);
    this.#weight = 0;
    this.#onRelease();
  }
}

function noSlots(weight: number): string {
  return (
    `💔 too many concurrent queries: this query needs ${weight} of the namespace's ` +
    `${QUERY_SLOTS} slots and waited ${QUERY_SLOT_WAIT_MS_MAX} ms for them; ` +
    "send fewer queries at once, or retry"
  );
}
