/**
 * Large bodies of queries take turns: what is read of one takes some seven times its bytes, so that
 * only so many bytes of them are with the query threads at a time. Small ones never wait.
 */

import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";
import { WeightedSlots } from "./turns/weighted-slots.ts";

/** Bodies above this size take turns; our choice: a thousand times that of a usual query. */
const LARGE_BODY_BYTES = 1 * MIB;

/** See the file's head. */
export class LargeBodies {
  readonly #bytesMax: number;
  readonly #bytes: WeightedSlots;

  constructor(clock: Pick<Clock, "sleep">, bytesMax: number) {
    this.#bytesMax = bytesMax;
    const refusal = (bytes: number, used: number) =>
      `💔 too many large queries: bodies of ${used} bytes are being answered, at most ` +
      `${bytesMax} at a time, and this one has ${bytes}; retry later`;
    this.#bytes = new WeightedSlots(bytesMax, { clock, refusal });
  }

  /**
   * Does work on a body when there is room for it, in the order of the calls; one alone always has
   * it. Throws as `WeightedSlots.acquire` does.
   */
  async during<T>(bytes: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (bytes <= LARGE_BODY_BYTES) return work();
    const weight = Math.min(bytes, this.#bytesMax);
    await this.#bytes.acquire(weight, signal);
    try {
      return await work();
    } finally {
      this.#bytes.release(weight);
    }
  }
}
