/** What namespaces of the write thread share, and what one has found when it was opened. */

import type { Clock } from "../base/clock.ts";
import type { NamespaceName, SegmentId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { ManifestStore } from "../manifest/manifest-store.ts";
import type { SegmentMemory } from "../segment/segment-memory.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { NamespaceSettings } from "../write/namespace-settings.ts";
import type { EngineLog } from "./config.ts";
import type { NamespaceDocuments } from "./namespace-documents.ts";
import type { NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceInstance, NamespaceState, PublishedDelta } from "./published-state.ts";

/** Memory for segments that says how much of it is left. */
export interface BoundedSegmentMemory extends SegmentMemory {
  readonly freeBytes: number;
}

/** Shared by all namespaces. */
export interface NamespaceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: EngineLog;
  readonly memory: BoundedSegmentMemory;
  /** The store through which a namespace with these settings writes; it reads any namespace. */
  storeFor(settings: NamespaceSettings | undefined): ObjectStore;
  /** Lets messages that have arrived be handled. */
  yield(): Promise<void>;
  /** Makes the deltas known, all at once. */
  publish(namespace: NamespaceName, deltas: readonly PublishedDelta[], state: NamespaceState): void;
  /** An instance takes no more jobs. */
  onRetired(instance: NamespaceInstance): void;
}

/** A segment that the store holds. */
export interface StoredSegment {
  readonly id: SegmentId;
  readonly documentCount: number;
  readonly bytes: number;
}

/** WAL entries after the last checkpoint. */
export interface Tail {
  readonly bytes: number;
  readonly entries: number;
  readonly documentCount: number;
}

/** What opening found. */
export interface OpenedNamespace {
  readonly at: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly facts: NamespaceFacts;
  readonly documents: NamespaceDocuments;
  readonly manifest: Manifest | undefined;
  readonly manifests: ManifestStore;
  readonly stored: readonly StoredSegment[];
  readonly tail: Tail;
}
