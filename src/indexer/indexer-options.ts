/** What an indexer works with. */

import type { EngineLog } from "../api/config.ts";
import type { OpeningParts } from "../engine/namespace-parts.ts";
import type { Thresholds } from "../namespace/thresholds.ts";
import type { SegmentMemory } from "../segment/segment-memory.ts";
import type { ClusterTools } from "../segment/segment-reorder.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** Shared by all that an indexer does. */
export interface IndexerParts extends OpeningParts {
  readonly log: EngineLog;
  readonly memory: SegmentMemory;
  readonly thresholds: Pick<Thresholds, "indexTailBytes" | "indexTailEntries">;
  /** The store of all namespaces, for listings and hints. */
  readonly store: ObjectStore;
  /** How long garbage stays; see `GARBAGE_GRACE_MS`. */
  readonly garbageGraceMs: number;
  /** How large segments are clustered; its memory is `memory`. */
  readonly clusters: ClusterTools;
  /** Bytes of the log that one step takes to begin with; fewer where memory runs out. */
  readonly stepBytesMax: number;
  /** Greatest size of a segment that compaction writes. */
  readonly segmentBytesMax: number;
}
