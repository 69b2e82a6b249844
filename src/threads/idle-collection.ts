/**
 * Collects the garbage of idle threads. V8 collects a heap when it has grown by half, so what a
 * large body or response leaves stays while nothing else is done: hundreds of megabytes on one
 * thread while others need them. A thread that idles and holds much more than after its last
 * collection collects; a thread that works is never stopped. A collection also drops most compiled
 * code, with the hidden classes of objects that nothing holds: the next thousand queries take up to
 * three times as long (ADR 52). Garbage of queries therefore stays for long, unless there was large
 * work, too: that may leave little on each thread, and much on all.
 */

import { MIB } from "../base/byte-sizes.ts";
import type { Clock } from "../base/clock.ts";
import type { LargeRequests } from "./large-requests.ts";
import type { ThreadHeap } from "./thread-heap.ts";

/** How often a thread looks at itself. */
const IDLE_CHECK_MS = 1000;
/** A thread that has worked for less of the time since it last looked idles; our choice. */
const IDLE_BUSY_SHARE_MAX = 0.05;
/**
 * Growth that only large bodies, answers and merges lead to; worth a collection at once. Queries
 * leave less until V8 collects by itself.
 */
const LARGE_GROWTH_BYTES = 64 * MIB;
/** Growth that is worth one later; all threads together hold less than a server needs for itself. */
const SMALL_GROWTH_BYTES = 8 * MIB;
/** Idle checks before a collection, after large growth of the heap and after small growth. */
const LOOKS_AFTER_LARGE = 5;
const LOOKS_AFTER_SMALL = 600;
/**
 * Idle checks before a collection that left much is repeated: a request may have held it that
 * is over since, and what it leaves is no growth. Doubles with each repetition that frees little.
 */
const LOOKS_AFTER_KEPT = 15;
/** How much is left then, beyond the least so far; more than code and caches add; our choice. */
const KEPT_BYTES = 32 * MIB;

/**
 * Checks the heap of this thread each second from now on. Large work is growth that a check sees,
 * or a large request: V8 may collect most of what that left before the next check. Returns a
 * function that stops the checks.
 */
export function collectWhenIdle(
  clock: Pick<Clock, "every">,
  heap: ThreadHeap,
  largeRequests: Pick<LargeRequests, "count"> = { count: 0 },
): () => void {
  let settledBytes = heap.retainedBytes();
  let idleLooks = 0;
  let wasLarge = false;
  let requestsSeen = largeRequests.count;
  let leastBytes = settledBytes;
  let looksAfterKept = LOOKS_AFTER_KEPT;
  return clock.every(IDLE_CHECK_MS, () => {
    idleLooks = heap.busyShare() < IDLE_BUSY_SHARE_MAX ? idleLooks + 1 : 0;
    const bytes = heap.retainedBytes();
    const growth = bytes - settledBytes;
    const isLarge = growth >= LARGE_GROWTH_BYTES;
    wasLarge ||= isLarge || largeRequests.count !== requestsSeen;
    requestsSeen = largeRequests.count;
    const looks = isLarge ? 1 : wasLarge ? LOOKS_AFTER_LARGE : LOOKS_AFTER_SMALL;
    const isWorthIt = growth >= SMALL_GROWTH_BYTES && idleLooks >= looks;
    const isKept = settledBytes - leastBytes >= KEPT_BYTES && idleLooks >= looksAfterKept;
    if (isWorthIt || isKept) {
      heap.collect();
      settledBytes = heap.retainedBytes();
      leastBytes = Math.min(leastBytes, settledBytes);
      const isInVain = isKept && bytes - settledBytes < SMALL_GROWTH_BYTES;
      looksAfterKept = isInVain ? 2 * looksAfterKept : LOOKS_AFTER_KEPT;
      idleLooks = 0;
      wasLarge = false;
      return;
    }
    settledBytes = Math.min(settledBytes, bytes);
  });
}
