/** Requests and tokens per minute and model, as two buckets that fill up evenly. */

import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";

/** Requests to one embedding model per minute (contract). */
const EMBEDDING_REQUESTS_PER_MINUTE = 1024;
/** Tokens sent to one embedding model per minute (contract). */
const EMBEDDING_TOKENS_PER_MINUTE = 2_000_000;
const MS_PER_MINUTE = 60_000;

/** Units per minute of each bucket; both are full at the start. */
export interface EmbeddingRates {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
}

interface Buckets {
  requests: number;
  tokens: number;
  atMs: number;
}

/** Keeps account of all models. */
export class EmbeddingRateLimit {
  readonly #clock: Clock;
  readonly #rates: EmbeddingRates;
  readonly #models = new Map<string, Buckets>();

  constructor(
    clock: Clock,
    rates: EmbeddingRates = {
      requestsPerMinute: EMBEDDING_REQUESTS_PER_MINUTE,
      tokensPerMinute: EMBEDDING_TOKENS_PER_MINUTE,
    },
  ) {
    this.#clock = clock;
    this.#rates = rates;
  }

  /** Takes one request of about `tokens`, or throws `overloaded` with the time to wait. */
  take(model: string, tokens: number): void {
    const buckets = this.#refill(model);
    // More than a bucket holds may pass when it is full, else it never could.
    const needed = Math.min(tokens, this.#rates.tokensPerMinute);
    const requestsWait = waitMs(1 - buckets.requests, this.#rates.requestsPerMinute);
    const tokensWait = waitMs(needed - buckets.tokens, this.#rates.tokensPerMinute);
    const retryAfterMs = Math.max(requestsWait, tokensWait);
    if (retryAfterMs > 0) throw this.#overloaded(model, retryAfterMs);
    buckets.requests -= 1;
    buckets.tokens -= tokens;
  }

  /** Corrects an estimate when the true number of tokens is known. */
  settle(model: string, estimatedTokens: number, tokens: number): void {
    this.#refill(model).tokens += estimatedTokens - tokens;
  }

  #refill(model: string): Buckets {
    const now = this.#clock.monotonicMs();
    const { requestsPerMinute, tokensPerMinute } = this.#rates;
    let buckets = this.#models.get(model);
    if (!buckets) {
      buckets = { requests: requestsPerMinute, tokens: tokensPerMinute, atMs: now };
      this.#models.set(model, buckets);
    }
    const share = (now - buckets.atMs) / MS_PER_MINUTE;
    buckets.requests = Math.min(requestsPerMinute, buckets.requests + share * requestsPerMinute);
    buckets.tokens = Math.min(tokensPerMinute, buckets.tokens + share * tokensPerMinute);
    buckets.atMs = now;
    return buckets;
  }

  #overloaded(model: string, retryAfterMs: number): DatabaseError {
    const { requestsPerMinute, tokensPerMinute } = this.#rates;
    return new DatabaseError(
      "overloaded",
      `💔 embedding rate limit of model "${model}" reached: ${requestsPerMinute} requests and ` +
        `${tokensPerMinute} tokens per minute`,
      { retryAfterMs },
    );
  }
}

function waitMs(missing: number, perMinute: number): number {
  return missing <= 0 ? 0 : Math.ceil((missing / perMinute) * MS_PER_MINUTE);
}
