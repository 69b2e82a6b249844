/** The last slow requests, for those who have no log at hand. */

import { type Clock, formatTime } from "../../base/clock.ts";
import { type RequestEnd, slowRequestFacts } from "./request-log.ts";

/** So many are kept, each of some KiB: the lines of the last minutes where all is slow. */
export const KEPT_REQUESTS_MAX = 200;

type KeptRequest = ReturnType<typeof slowRequestFacts> & { readonly time: string };

/** See the file's head. Kept in memory: a restart, and each server of several, has its own. */
export class RecentSlowRequests {
  readonly #clock: Pick<Clock, "nowMs">;
  /** The oldest first. */
  readonly #kept: KeptRequest[] = [];

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** Takes a request that is logged as slow; its answer is not kept with it. */
  add(end: RequestEnd): void {
    this.#kept.push({ time: formatTime(this.#clock.nowMs()), ...slowRequestFacts(end) });
    if (this.#kept.length > KEPT_REQUESTS_MAX) this.#kept.shift();
  }

  /** The newest first. */
  list(): readonly KeptRequest[] {
    return this.#kept.toReversed();
  }
}
