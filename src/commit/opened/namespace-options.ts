/** What namespaces of the write thread share, and what one has found when it was opened. */

import type { NamespaceName, SequenceNumber } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { ManifestStore } from "../../manifest/manifest-store.ts";
import type { ClockReading } from "../../namespace/clock-reading.ts";
import type { NamespaceDocuments } from "../../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../../namespace/namespace-facts.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../../namespace/published-state.ts";
import type { OpeningOptions } from "../../namespace/recovery/opening-options.ts";
import type { TailLog } from "../../namespace/recovery/tail-log.ts";
import type { StaleIndex } from "../../namespace/segments/stale-indexes.ts";
import type { Thresholds } from "../../namespace/thresholds.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { RaceStats } from "../races/log-races.ts";

/** Shared by all namespaces. */
export interface NamespaceOptions extends OpeningOptions {
  readonly log: StructuredLog;
  readonly memory: SegmentMemory;
  readonly thresholds: Thresholds;
  /** No other process writes to the store: what was committed here is all that is in the log. */
  readonly isExclusive: boolean;
  /** A hint for indexers is in the store. */
  hinted(): void;
  /** Makes the deltas known, all at once. */
  publish(namespace: NamespaceName, deltas: readonly PublishedDelta[], state: NamespaceState): void;
  readonly stats: NamespaceStats;
  /** An instance takes no more jobs, or has given back its last memory after that. */
  onRetired(instance: NamespaceInstance): void;
}

/** What the catalog does not add itself. */
export type SharedOptions = Omit<NamespaceOptions, "onRetired" | "stats">;

/** Why an instance is taken out of service. Whoever needs the namespace opens it again. */
export type RetireReason =
  /** Nobody has used it for a while. */
  | "idle"
  | "deleted"
  /** Entries that it never saw are covered by a manifest, and may be gone. */
  | "collected"
  /** Something that it has to read is damaged. */
  | "damaged"
  /** The full-text indexes of all its segments change over at once. */
  | "reindexed"
  /** Memory may differ from the log: a commit's outcome is unknown, or entries were not applied. */
  | "uncertain";

/** Thrown to jobs that came too late: open the namespace again and submit once more. */
export class NamespaceRetired extends Error {}

/** The log line that tells of it, but for "idle"; its facts are those of a `Retirement`. */
export const RETIREMENT_MESSAGE = "a namespace has to be opened again";

/** An instance that was taken out of service. */
export interface Retirement {
  readonly namespace: NamespaceName;
  readonly generation: number;
  /** The last entry that it knew. */
  readonly sequence: SequenceNumber;
  readonly reason: RetireReason;
}

/** What was counted since the start. */
export interface NamespaceStats {
  /** Entries of other servers that were applied. */
  followedEntries: number;
  readonly races: RaceStats;
  readonly retired: Record<RetireReason, number>;
}

/** Nothing counted yet. */
export function newNamespaceStats(): NamespaceStats {
  const retired = { idle: 0, deleted: 0, collected: 0, damaged: 0, reindexed: 0, uncertain: 0 };
  const races = { lost: 0, waited: 0, waitMs: 0, refused: 0, yielded: 0, yieldMs: 0 };
  return { followedEntries: 0, races, retired };
}

/** What opening found. */
export interface OpenedNamespace {
  readonly generation: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly facts: NamespaceFacts;
  readonly documents: NamespaceDocuments;
  readonly manifest: Manifest | undefined;
  readonly manifests: ManifestStore;
  /** Indexes that stored segments lack. */
  readonly stale: readonly StaleIndex[];
  /** When the log ended with the last of these entries, or was shorter. */
  readonly knownAt: ClockReading;
  /** The WAL entries after the manifest. */
  readonly tail: TailLog;
}
