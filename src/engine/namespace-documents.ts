/**
 * The documents of one open namespace in the write thread: the memtable, the numbering of its
 * deltas, and which dropped segments wait for their readers.
 */

import type { SegmentId } from "../base/ids.ts";
import { SEGMENT_MERGE_DOCUMENTS_MAX } from "../base/limits.ts";
import type { DocumentColumns } from "../model/columns.ts";
import type { Schema } from "../model/schema.ts";
import { Memtable, type PreparedSegments } from "../segment/memtable.ts";
import type { MemtableDelta } from "../segment/memtable-delta.ts";
import type { SegmentMemory } from "../segment/segment-memory.ts";
import type { WriteBatch } from "../write/wal-records.ts";
import type { PublishedDelta } from "./published-state.ts";

/** Documents, and the deltas that they gave. */
export class NamespaceDocuments {
  readonly memtable: Memtable;
  #version = 0;
  /** Dropped segments by the version that dropped them, ascending. */
  readonly #drops: { readonly version: number; readonly ids: readonly SegmentId[] }[] = [];
  #releasedVersion = 0;
  #pins = 0;

  constructor(memory: SegmentMemory, newSegmentId: () => SegmentId) {
    this.memtable = new Memtable({ memory, newSegmentId });
  }

  /** No segment is here and none waits for its readers. */
  get isEmpty(): boolean {
    return this.memtable.segments.length === 0 && this.#drops.length === 0;
  }

  /** Builds the segments of a batch that is yet to be committed. Throws `overloaded`. */
  prepare(batch: WriteBatch, schema: Schema): PreparedSegments | undefined {
    const documents = documentsOf(batch);
    return documents && this.memtable.prepare(documents, schema);
  }

  /** Gives back the memory of what was prepared and not committed. */
  discard(prepared: PreparedSegments | undefined): void {
    if (prepared !== undefined) this.memtable.discard(prepared);
  }

  /** Applies the documents of a committed batch; undefined if it has none. */
  apply(
    batch: WriteBatch,
    schema: Schema,
    prepared?: PreparedSegments,
  ): PublishedDelta | undefined {
    const documents = documentsOf(batch);
    const deletes = batch.find((record) => record.kind === "deletes")?.deletes;
    if (documents === undefined && deletes === undefined) return undefined;
    const commit = {
      schema,
      ...(documents && { documents }),
      ...(deletes && { deletes }),
      ...(prepared && { prepared }),
    };
    return this.#numbered(this.memtable.apply(commit));
  }

  /** Merges a few small segments; undefined if there is nothing to do. */
  compactStep(schema: Schema): PublishedDelta | undefined {
    return this.#number(this.memtable.compactStep(SEGMENT_MERGE_DOCUMENTS_MAX, schema));
  }

  /** Rebuilds one segment whose indexes are not the schema's; undefined if there is none. */
  rebuildStep(schema: Schema): PublishedDelta | undefined {
    return this.#number(this.memtable.rebuildStep(schema));
  }

  /** Puts a segment from the store into memory, to be added. Throws `corrupt`, `overloaded`. */
  prepareStored(id: SegmentId, sealed: Uint8Array, live?: Uint32Array): PreparedSegments {
    return this.memtable.prepareStored(id, sealed, live);
  }

  /** Adds segments from the store. */
  addPrepared(prepared: PreparedSegments): PublishedDelta {
    return this.#numbered(this.memtable.addPrepared(prepared));
  }

  /** The whole state, for a reader that knows nothing. */
  full(): PublishedDelta {
    return { version: ++this.#version, change: this.memtable.full() };
  }

  /** A delta that changes nothing, to publish new facts with. */
  unchanged(): PublishedDelta {
    const change = { full: false, added: [], killed: [], dropped: [] };
    return { version: ++this.#version, change };
  }

  /** Drops everything. */
  clear(): PublishedDelta {
    return this.#numbered(this.memtable.clear());
  }

  /** Keeps dropped segments in memory until the returned function is called. */
  pin(): () => void {
    this.#pins++;
    return () => {
      this.#pins--;
      this.#free();
    };
  }

  /** No reader uses what was dropped up to `version`. */
  release(version: number): void {
    this.#releasedVersion = Math.max(this.#releasedVersion, version);
    this.#free();
  }

  /** Gives back the memory of everything dropped so far: nobody was ever told of it. */
  releaseAll(): void {
    this.release(this.#version);
  }

  #free(): void {
    if (this.#pins > 0) return;
    while (this.#drops.length > 0 && this.#drops[0].version <= this.#releasedVersion) {
      this.memtable.release(this.#drops.shift()?.ids ?? []);
    }
  }

  #number(change: MemtableDelta | undefined): PublishedDelta | undefined {
    return change === undefined ? undefined : this.#numbered(change);
  }

  #numbered(change: MemtableDelta): PublishedDelta {
    const version = ++this.#version;
    if (change.dropped.length > 0) this.#drops.push({ version, ids: change.dropped });
    return { version, change };
  }
}

function documentsOf(batch: WriteBatch): DocumentColumns | undefined {
  return batch.find((record) => record.kind === "documents")?.documents;
}
