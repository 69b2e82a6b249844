/** What namespaces of the write thread share, and what one has found when it was opened. */

import type { EngineLog } from "../api/config.ts";
import type { Clock } from "../base/clock.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { ManifestStore } from "../manifest/manifest-store.ts";
import type { ClockReading } from "../namespace/clock-reading.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type {
  IndexBuild,
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../namespace/published-state.ts";
import type { TailLog } from "../namespace/recovery/tail-log.ts";
import type { Thresholds } from "../namespace/thresholds.ts";
import type { SegmentMemory } from "../segment/segment-memory.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { NamespaceSettings } from "../write/schema/namespace-settings.ts";

/** What reading a namespace from the store takes, in a server and in an indexer. */
export interface OpeningParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly reads: SegmentReads;
  /** The store through which a namespace with these settings writes; it reads any namespace. */
  storeFor(settings: NamespaceSettings | undefined): ObjectStore;
  /** Lets messages that have arrived be handled. */
  yield(): Promise<void>;
}

/** Shared by all namespaces. */
export interface NamespaceParts extends OpeningParts {
  readonly log: EngineLog;
  readonly memory: SegmentMemory;
  readonly thresholds: Thresholds;
  /** Nobody else writes to the store, so that what was committed here is all there is. */
  readonly isExclusive: boolean;
  /** Makes the deltas known, all at once. */
  publish(namespace: NamespaceName, deltas: readonly PublishedDelta[], state: NamespaceState): void;
  /** Somebody puts segments into the namespace that are not committed yet. */
  isBeingFilled(namespace: NamespaceName): boolean;
  /** An instance takes no more jobs, or has given back its last memory after that. */
  onRetired(instance: NamespaceInstance): void;
}

/** What the catalog does not add itself. */
export type SharedParts = Omit<NamespaceParts, "onRetired" | "isBeingFilled">;

/** What opening found. */
export interface OpenedNamespace {
  readonly at: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly facts: NamespaceFacts;
  readonly documents: NamespaceDocuments;
  readonly manifest: Manifest | undefined;
  readonly manifests: ManifestStore;
  /** Indexes that stored segments lack. */
  readonly stale: readonly IndexBuild[];
  /** When the log ended with the last of these entries, or was shorter. */
  readonly knownAt: ClockReading;
  /** The WAL entries after the manifest. */
  readonly tail: TailLog;
}
