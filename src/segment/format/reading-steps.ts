/**
 * Reads of stored segments as an effect: work in steps requests bytes that are not in memory, and
 * continues where it was once they are.
 */

import type { ReadRequest } from "./bytes-missing.ts";

/**
 * Steps that may yield a read request. The runner loads the requested ranges, keeps them in memory
 * until the steps end (transient ranges until the next request), and takes the next step. Any other
 * bytes may have left memory by then: what was read before a request must be looked up again.
 * `Steps`, which request nothing, are reading steps too, but not the other way round.
 */
export type ReadingSteps<T> = Generator<ReadRequest | undefined, T, undefined>;
