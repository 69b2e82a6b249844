/**
 * Garbage of threads that idle. V8 collects a heap when it has grown by half: what a large body or
 * answer leaves behind stays for as long as nothing else is done, hundreds of megabytes on one
 * thread while others need them. So a thread that idles, and holds much more than after its last
 * collection, collects; one that works is never stopped for it. A collection also drops most of the
 * code that was compiled, since the shapes of objects that nobody holds go: the next thousand
 * queries take up to three times as long (ADR 52). So little garbage is left for long.
 */

import { MIB } from "../base/byte-sizes.ts";
import type { Clock } from "../base/clock.ts";
import type { ThreadHeap } from "../base/thread-heap.ts";

/** How often a thread looks at itself. */
const IDLE_CHECK_MS = 1000;
/** A thread that has worked for less of the time since it last looked idles; our choice. */
const IDLE_BUSY_SHARE_MAX = 0.05;
/**
 * Growth that is worth a collection after so many idle looks: the more there is to gain, the
 * sooner. Below the least, all threads together hold less than a usual server needs for itself, and
 * short requests take long to get there.
 */
const IDLE_GROWTHS = [
  { bytes: 64 * MIB, looks: 1 },
  { bytes: 8 * MIB, looks: 600 },
];

/** Looks at the heap of this thread from now on. Returns how to stop. */
export function collectWhenIdle(clock: Pick<Clock, "every">, heap: ThreadHeap): () => void {
  let settledBytes = heap.retainedBytes();
  let idleLooks = 0;
  return clock.every(IDLE_CHECK_MS, () => {
    idleLooks = heap.busyShare() < IDLE_BUSY_SHARE_MAX ? idleLooks + 1 : 0;
    const bytes = heap.retainedBytes();
    const growth = bytes - settledBytes;
    if (IDLE_GROWTHS.some((least) => growth >= least.bytes && idleLooks >= least.looks)) {
      heap.collect();
      settledBytes = heap.retainedBytes();
      return;
    }
    settledBytes = Math.min(settledBytes, bytes);
  });
}
