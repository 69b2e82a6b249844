/**
 * Large bodies of queries take turns: what is read of one takes some seven times its bytes, so that
 * only so many bytes of them are with the query threads at a time. Small ones never wait.
 */

import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../model/contract-limits.ts";

/** Bodies above this size take turns; our choice: a thousand times that of a usual query. */
export const LARGE_BODY_BYTES = 1 * MIB;

/** What the large bodies of all queries share. */
export class LargeBodies {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #waiting = new Set<{ readonly bytes: number; readonly admitted: AbortController }>();

  constructor(clock: Pick<Clock, "sleep">, bytesMax: number) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /**
   * Resolves when there is room for a body, in the order of the calls; one alone always has it.
   * `leave` must follow. Throws `overloaded` after `QUERY_SLOT_WAIT_MS_MAX`.
   */
  async enter(bytes: number): Promise<void> {
    if (this.#waiting.size === 0 && this.#fits(bytes)) this.#bytes += bytes;
    else await this.#turn(bytes);
  }

  /** The query of a body that has entered is over. */
  leave(bytes: number): void {
    this.#bytes -= bytes;
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.bytes)) return;
      this.#waiting.delete(waiting);
      this.#bytes += waiting.bytes;
      waiting.admitted.abort();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bytesMax;
  }

  async #turn(bytes: number): Promise<void> {
    const waiting = { bytes, admitted: new AbortController() };
    this.#waiting.add(waiting);
    await this.#clock.sleep(QUERY_SLOT_WAIT_MS_MAX, waiting.admitted.signal).catch(() => {});
    if (!this.#waiting.delete(waiting)) return;
    throw new DatabaseError(
      "overloaded",
      `💔 too many large queries: bodies of ${this.#bytes} bytes are being answered, at most ` +
        `${this.#bytesMax} at a time, and this one has ${bytes}; retry later`,
      { retryAfterMs: QUERY_SLOT_WAIT_MS_MAX },
    );
  }
}
