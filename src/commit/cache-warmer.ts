/** Loads what most queries of a namespace look at: asked for, or in the background upon a hint. */

import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, MEMORY_RETRY_MS } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { touchParts, touchSegment } from "../segment/touch-segment.ts";
import type { Namespace } from "./namespace.ts";

/** Namespaces that wait for their caches to be warmed upon a hint; more hints get 429. */
export const WARM_HINTS_MAX = 1_000;

/** What is looked for at once of what queries read in parts. */
const PARTS_LOOK = { bytesMax: 4 * MIB };

/** Warms the caches of one server. */
export class CacheWarmer {
  readonly #reads: SegmentReads;
  readonly #log: StructuredLog;
  /** Hinted at and not done yet, by name; the first is under way. */
  readonly #hinted = new Map<NamespaceName, Namespace>();
  #isRunning = false;

  constructor({ reads, log }: { readonly reads: SegmentReads; readonly log: StructuredLog }) {
    this.#reads = reads;
    this.#log = log;
  }

  /**
   * Reads it into memory, as far as there is room: what most queries need of all segments, then
   * postings, while half of the cache is free.
   */
  async warm({ stored }: Pick<Namespace, "stored">): Promise<void> {
    for (const { segment } of stored) await this.#reads.run(() => touchSegment(segment.view));
    for (const { segment } of stored) {
      if (!(await this.#warmParts(segment.view))) return;
    }
  }

  /** Tells whether there is room for more. */
  async #warmParts(view: OpenSegment): Promise<boolean> {
    for (;;) {
      const missing = this.#reads.missingOf(() => touchParts(view), PARTS_LOOK);
      if (missing.length === 0) return true;
      if (!(await this.#reads.prefetch(missing))) return false;
    }
  }

  /**
   * Does so later, one namespace after the other, and once for all hints that wait; what cannot be
   * read then is read by the queries that need it. Throws `overloaded` where too many wait.
   */
  hint(namespace: Namespace): void {
    const { name } = namespace;
    if (!this.#hinted.has(name) && this.#hinted.size >= WARM_HINTS_MAX) {
      const message = `💔 ${WARM_HINTS_MAX} namespaces wait for their caches to be warmed`;
      const retryAfterMs = MEMORY_RETRY_MS;
      throw new DatabaseError("overloaded", `${message}; retry later`, { retryAfterMs });
    }
    this.#hinted.set(name, namespace);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const [name, namespace] of this.#hinted) {
      await this.warm(namespace).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#log("warn", "cannot warm the cache", { namespace: name, reason });
      });
      this.#hinted.delete(name);
    }
    this.#isRunning = false;
  }
}
