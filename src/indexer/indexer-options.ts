/** What an indexer works with. */

import type { NamespaceName } from "../base/ids.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import type { OpeningOptions } from "../namespace/recovery/opening-options.ts";
import type { Thresholds } from "../namespace/thresholds.ts";
import type { SegmentMemory } from "../segment/format/segment-memory.ts";
import type { ClusterOptions } from "../segment/segment-reorder.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** What an indexer has done, from when to when, in milliseconds since the epoch. */
export interface IndexerStep {
  readonly kind: "index" | "compact";
  readonly namespace: NamespaceName;
  readonly startMs: number;
  readonly endMs: number;
  /** What it has taken or made, by name. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Shared by all that an indexer does. */
export interface IndexerOptions extends OpeningOptions {
  readonly log: StructuredLog;
  /** Hears of each manifest that was saved with other contents than before. */
  readonly onManifest?: ((generation: NamespaceGeneration) => void) | undefined;
  /** Hears of each step that has changed something. */
  readonly onStep?: ((step: IndexerStep) => void) | undefined;
  readonly memory: SegmentMemory;
  readonly thresholds: Pick<Thresholds, "indexTailBytes" | "indexTailEntries">;
  /** The store of all namespaces, for listings and hints. */
  readonly store: ObjectStore;
  /** A server wakes it for its own hints, so that it need not ask the store often. */
  readonly isWoken?: boolean | undefined;
  /** How long garbage stays; see `GARBAGE_GRACE_MS`. */
  readonly garbageGraceMs: number;
  /** How large segments are clustered; its memory is `memory`. */
  readonly clusters: ClusterOptions;
  /**
   * What the log that one step takes may weigh in memory, to begin with; less where memory runs
   * out. Weights are those of `mergeWeight`.
   */
  readonly stepWeightMax: number;
  /** Greatest weight of a segment that compaction writes. */
  readonly segmentWeightMax: number;
}
