/** How the write thread, and an indexer, read stored segments. */

import type { Steps } from "../base/steps.ts";
import type { ByteSource } from "../segment/format/byte-source.ts";
import type { WantedRange } from "../segment/format/bytes-missing.ts";
import type { ObjectKey } from "../storage/object-store.ts";

/** How far to look for what is missing. */
export interface LookLimits {
  /** Longer ranges are passed over; absent: none is. */
  readonly rangeBytesMax?: number;
  /** With so many missing bytes the look ends; absent: when it has seen all. */
  readonly bytesMax?: number;
}

/** Bytes of stored segments, in memory while they are used. */
export interface SegmentReads {
  /** The content of a stored segment, as far as it is in memory. */
  sourceOf(object: ObjectKey, contentBytes: number): ByteSource;
  /**
   * Runs synchronous code that may throw `BytesMissing`, again and again until everything is there
   * that it reads. Throws what `attempt` throws, and what loading fails with.
   */
  run<T>(attempt: () => T): Promise<T>;
  /** The same of code in steps, which `take` runs to their end, or ends early. */
  runInSteps<T>(attempt: () => Steps<T>, take: <U>(steps: Steps<U>) => Promise<U>): Promise<T>;
  /**
   * What an attempt would miss, within limits. That it looks at something counts for nothing: what
   * is in memory is no more in use than before.
   */
  missingOf(attempt: () => void, limits?: LookLimits): readonly WantedRange[];
  /**
   * Loads ranges that an attempt would miss, in their order, as long as half of the cache is free;
   * tells whether there is room for more. They are the first to be forgotten until they are used.
   */
  prefetch(wanted: readonly WantedRange[]): Promise<boolean>;
  /** Makes all threads forget these objects, so that the next look reads the store. */
  purge(objects: readonly ObjectKey[]): Promise<void>;
  /** Nobody in this thread will read the object any more. */
  forget(object: ObjectKey): void;
}
