/** How the write thread, and an indexer, read stored segments. */

import type { Steps } from "../base/steps.ts";
import type { ByteSource } from "../segment/format/byte-source.ts";
import type { ObjectKey } from "../storage/object-store.ts";

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
  /** Makes all threads forget these objects, so that the next look reads the store. */
  purge(objects: readonly ObjectKey[]): Promise<void>;
  /** Nobody in this thread will read the object any more. */
  forget(object: ObjectKey): void;
}
