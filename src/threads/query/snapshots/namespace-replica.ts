/**
 * A query thread's copy of one instance of a namespace. It follows the updates from the main thread
 * and tells which version every query here has come to, so that the memory of dropped segments is
 * used again no sooner.
 */

import type { SegmentId } from "../../../base/ids.ts";
import type { NamespaceInstance, NamespaceState } from "../../../namespace/published-state.ts";
import type { Snapshot } from "../../../query/operator/snapshot.ts";
import type { AddedSegment } from "../../../segment/memtable/memtable-delta.ts";
import { SnapshotReplica } from "../../../segment/memtable/snapshot-replica.ts";
import type { OpenSegment } from "../../../segment/segment-reader.ts";
import { nameSegments } from "../../../segment/view/named-columns.ts";
import type { SegmentView } from "../../../segment/view/segment-view.ts";
import type { NamespaceUpdate } from "../../thread-messages.ts";

/** What a replica needs of its thread. */
export interface ReplicaOptions {
  /** Makes a view of a segment, wherever it is. */
  open(added: AddedSegment): OpenSegment;
  /** Nobody in this thread reads what was dropped up to `version`. */
  applied(instance: NamespaceInstance, version: number): void;
}

/** What belongs to the snapshots that are taken between two updates. */
export interface ReplicaMoment {
  readonly state: NamespaceState;
  readonly version: number;
}

/** A namespace as one query thread has it. */
export class NamespaceReplica {
  readonly #options: ReplicaOptions;
  readonly #segments: SnapshotReplica;
  /** Segments of the store, by what snapshots have of them. */
  readonly #stored = new WeakMap<SegmentView, OpenSegment>();
  #state: NamespaceState;
  #version: number;
  /** The version at which each query began that retains segments. */
  readonly #retained = new Set<{ readonly version: number }>();
  /** What was told last. */
  #applied = -1;

  /** Starts from the first update, whose deltas are the whole state. */
  constructor(first: NamespaceUpdate, options: ReplicaOptions) {
    this.#options = options;
    this.#segments = new SnapshotReplica((added) => this.#open(added));
    this.#state = first.state;
    this.#version = first.version;
    this.apply(first);
  }

  /** After the last update. */
  get state(): NamespaceState {
    return this.#state;
  }

  /** Of the last update. */
  get version(): number {
    return this.#version;
  }

  /** After the last update, and of it. */
  get now(): ReplicaMoment {
    return { state: this.#state, version: this.#version };
  }

  /** Applies the next update. Queries that run go on with what they saw when they began. */
  apply({ deltas, state, version }: NamespaceUpdate): void {
    for (const { change } of deltas) this.#segments.apply(change);
    this.#state = state;
    this.#version = version;
    this.#tellApplied();
  }

  /** Keeps the memory of all segments that are here now until the returned function is called. */
  retain(): () => void {
    const retained = { version: this.#version };
    this.#retained.add(retained);
    return () => {
      this.#retained.delete(retained);
      this.#tellApplied();
    };
  }

  /** Segments of the store after the last update; none once the instance is retired. */
  get storedSegments(): readonly OpenSegment[] {
    if (this.#state.retired) return [];
    return this.#segments.segments.flatMap(({ view }) => this.#stored.get(view) ?? []);
  }

  /** What a query sees that begins now, whatever is applied later. */
  snapshot(): Snapshot {
    const { sequence, schema, index, logicalBytes } = this.#state;
    const { unindexedCount } = index;
    const segments = nameSegments(this.#segments.segments, schema);
    return { sequence, schema, segments, unindexedCount, logicalBytes };
  }

  /**
   * What a query of another thread sees that began at `version`: these segments, in this order.
   * Undefined if this thread sees something else.
   */
  snapshotAt(version: number, ids: readonly SegmentId[]): Snapshot | undefined {
    if (version !== this.#version) return undefined;
    const newest = this.snapshot();
    const known = new Map(newest.segments.map((segment) => [segment.view.id, segment]));
    const segments = ids.flatMap((id) => {
      const segment = known.get(id);
      return segment === undefined ? [] : [segment];
    });
    return segments.length < ids.length ? undefined : { ...newest, segments };
  }

  #open(added: AddedSegment): OpenSegment {
    const segment = this.#options.open(added);
    if (added.at.kind === "stored") this.#stored.set(segment, segment);
    return segment;
  }

  /** Segments that were dropped since the oldest query began that retains them are still read. */
  #tellApplied(): void {
    let oldest = this.#version;
    for (const { version } of this.#retained) oldest = Math.min(oldest, version);
    if (oldest === this.#applied) return;
    this.#applied = oldest;
    this.#options.applied(this.#state.instance, oldest);
  }
}
