/**
 * Answers that clients have not taken yet: counted against a bound, and ended where a client takes
 * nothing for too long.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { KIB } from "../../base/byte-sizes.ts";
import { NumberMap } from "../../base/tables/number-map.ts";

/** Answers up to this size always find room. */
const SMALL_ANSWER_BYTES = 64 * KIB;

/** Bounds of waiting answers. */
export interface AnswerLimits {
  /** Bytes of all of them together. */
  readonly answerBytesMax: number;
  /** Milliseconds after which a client that took nothing is cut off. */
  readonly answerStallMs: number;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly bytes: number;
  /** Bytes that the system has taken of the connection. */
  taken: number;
  stalledMs: number;
}

/** See the file's head. */
export class WaitingAnswers {
  readonly #limits: AnswerLimits;
  readonly #waiting = new NumberMap<Waiting>();
  #nextNumber = 0;
  #bytes = 0;

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** Of all answers that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer until its response is closed; false if there is no room for it. */
  admit(response: ServerResponse, bytes: number): boolean {
    const hasRoom = this.#bytes + bytes <= this.#limits.answerBytesMax;
    if (bytes > SMALL_ANSWER_BYTES && !hasRoom) return false;
    // Its client has left.
    if (response.closed) return true;
    this.#bytes += bytes;
    const number = this.#nextNumber++;
    const taken = response.socket === null ? 0 : takenBytes(response.socket);
    this.#waiting.set(number, { response, bytes, taken, stalledMs: 0 });
    response.once("close", () => this.#forget(number));
    return true;
  }

  /** Cuts off clients that take nothing; to be called every `elapsedMs`. Tells how many. */
  sweep(elapsedMs: number): number {
    let cutCount = 0;
    for (const [number, waiting] of this.#waiting.entries()) {
      const { response } = waiting;
      // An answer without a socket waits for earlier answers of its connection, not for its client.
      if (response.socket === null) continue;
      const taken = takenBytes(response.socket);
      waiting.stalledMs = taken > waiting.taken ? 0 : waiting.stalledMs + elapsedMs;
      waiting.taken = taken;
      if (waiting.stalledMs < this.#limits.answerStallMs || response.writableFinished) continue;
      this.#forget(number);
      response.destroy();
      cutCount++;
    }
    return cutCount;
  }

  #forget(number: number): void {
    this.#bytes -= this.#waiting.get(number)?.bytes ?? 0;
    this.#waiting.delete(number);
  }
}

function takenBytes({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}
