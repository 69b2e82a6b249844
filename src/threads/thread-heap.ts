/** The heap of the thread that asks: how much it holds, and the means to collect it. */

import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a thread can say of its heap, and do to it. */
export interface ThreadHeap {
  /** Bytes of what is no longer new, and of buffers; garbage counts until it is collected. */
  retainedBytes(): number;
  /** The share of the time since the last call in which the thread worked, from 0 to 1. */
  busyShare(): number;
  /**
   * Collects all garbage and gives free pages back to the system. Takes some tens of milliseconds,
   * in which the thread does nothing else.
   */
  collect(): void;
}

/** As V8's extension `gc` takes it; the flavor gives pages back that are kept to be used again. */
type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

/** Lets threads that are started from now on collect their garbage, and this one. */
export function exposeCollection(): void {
  setFlagsFromString("--expose-gc");
}

/**
 * The heap of this thread. Where collection was not exposed, or Node was built without, `collect`
 * leaves everything to V8, which collects as heaps grow, and so not where a thread idles.
 */
export function threadHeap(): ThreadHeap {
  const collect: unknown = runInNewContext("globalThis.gc");
  let last = performance.eventLoopUtilization();
  return {
    retainedBytes: () => {
      const spaces = getHeapSpaceStatistics().filter(({ space_name }) => !/^new_/.test(space_name));
      const { external_memory } = getHeapStatistics();
      return spaces.reduce((sum, space) => sum + space.physical_space_size, external_memory);
    },
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    collect: () => {
      if (typeof collect !== "function") return;
      (collect as Collect)({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
