/**
 * Puts the segments of a namespace's memtable into the store and names them in the next manifest
 * version, so that a restart reads them and replays only what came after. Runs beside commits: it
 * works on the state at its start. Afterwards it removes what the new version makes useless.
 *
 * One server owns a data directory, so no other writer can be asleep at a number that is removed.
 */

import { DatabaseError } from "../base/errors.ts";
import { type SegmentId, sequenceNumber } from "../base/ids.ts";
import { CHECKPOINT_TAIL_BYTES, CHECKPOINT_TAIL_ENTRIES } from "../base/limits.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  type ManifestSegment,
} from "../manifest/manifest.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { sealSegment } from "../segment/segment-seal.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import { manifestKey, segmentKey, walKey } from "../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../storage/object-store.ts";
import type { WriteBatch } from "../write/wal-records.ts";
import { encodeFacts, type NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace, StoredSegment, Tail } from "./namespace-parts.ts";
import { putSegment, putTombstones } from "./segment-objects.ts";

interface Captured {
  readonly view: OpenSegment;
  readonly live: Uint32Array;
  readonly liveCount: number;
}

/** Writes the checkpoints of one namespace. */
export class Checkpointer {
  readonly #parts: NamespaceParts;
  readonly #opened: OpenedNamespace;
  readonly #stored: Map<SegmentId, StoredSegment>;
  #manifest: Manifest | undefined;
  #tail: Tail;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: NamespaceParts, opened: OpenedNamespace) {
    this.#parts = parts;
    this.#opened = opened;
    this.#manifest = opened.manifest;
    this.#stored = new Map(opened.stored.map((segment) => [segment.id, segment]));
    this.#tail = opened.tail;
  }

  /** What a restart would have to replay. */
  get tail(): Tail {
    return this.#tail;
  }

  /** Counts a committed entry. */
  addEntry(bytes: number): void {
    this.#tail = {
      ...this.#tail,
      bytes: this.#tail.bytes + bytes,
      entries: this.#tail.entries + 1,
    };
  }

  /** Counts the documents of a committed batch. */
  addDocuments(batch: WriteBatch): void {
    let { documentCount } = this.#tail;
    for (const record of batch) {
      if (record.kind === "documents") documentCount += record.documents.count;
    }
    this.#tail = { ...this.#tail, documentCount };
  }

  /** A segment came from the store, so it need not be put there. */
  addStored(segment: StoredSegment): void {
    this.#stored.set(segment.id, segment);
  }

  /** Starts a checkpoint if there is enough to replay and none is running. */
  maybeRun(facts: NamespaceFacts): void {
    const { bytes, entries } = this.#tail;
    const due = bytes >= CHECKPOINT_TAIL_BYTES || entries >= CHECKPOINT_TAIL_ENTRIES;
    if (!due || this.#running !== undefined || this.#stopped) return;
    this.#running = this.#run(facts)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#parts.log("warn", "checkpoint failed; the log keeps everything", {
          namespace: this.#opened.at.name,
          reason,
        });
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Starts no more checkpoints and waits for the one that runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(facts: NamespaceFacts): Promise<void> {
    const unpin = this.#opened.documents.pin();
    const tail = this.#tail;
    const before = this.#manifest;
    try {
      const captured = this.#opened.documents.memtable.segments.map(capture);
      const store = this.#parts.storeFor(facts.settings);
      const segments: ManifestSegment[] = [];
      for (const segment of captured) {
        segments.push(await this.#put(store, segment, (before?.version ?? 0) + 1));
        await this.#parts.yield();
      }
      const manifest = this.#next(facts, segments);
      const outcome = await this.#opened.manifests.save(manifest);
      if (outcome.kind === "conflict") {
        throw new DatabaseError("conflict", `manifest ${manifest.version} was written by another`);
      }
      this.#manifest = manifest;
      this.#tail = {
        bytes: this.#tail.bytes - tail.bytes,
        entries: this.#tail.entries - tail.entries,
        documentCount: this.#tail.documentCount - tail.documentCount,
      };
      await this.#removeUseless(store, before, manifest);
    } finally {
      unpin();
    }
  }

  async #put(store: ObjectStore, captured: Captured, version: number): Promise<ManifestSegment> {
    const { view, live, liveCount } = captured;
    const { at } = this.#opened;
    const { id, documentCount } = view;
    let stored = this.#stored.get(id);
    if (stored === undefined) {
      const bytes = await putSegment(store, at, id, sealSegment(view));
      stored = { id, documentCount, bytes };
      this.#stored.set(id, stored);
    }
    const deletedCount = documentCount - liveCount;
    if (deletedCount === 0) return { ...stored, deletedCount };
    const known = this.#manifest?.segments.find((segment) => segment.id === id);
    // Documents never come back to life, so the same count means the same bitmap.
    if (known?.tombstoneObject !== undefined && known.deletedCount === deletedCount) return known;
    const tombstoneObject = `${id}.live-${version}`;
    await putTombstones(store, at, tombstoneObject as SegmentId, live);
    return { ...stored, deletedCount, tombstoneObject };
  }

  #next(facts: NamespaceFacts, segments: readonly ManifestSegment[]): Manifest {
    const { settings, sequence } = facts;
    const nowMs = Math.max(0, Math.round(this.#parts.clock.nowMs()));
    const edit = {
      updatedAtMs: nowMs,
      indexedUpTo: sequence,
      lastWriteAtMs: settings?.lastWriteAtMs ?? nowMs,
      state: encodeFacts(facts),
      segments,
    };
    if (this.#manifest !== undefined) return editManifest(this.#manifest, edit);
    const first = firstManifest(this.#opened.at.generation, settings?.createdAtMs ?? nowMs);
    return { ...first, ...edit };
  }

  async #removeUseless(
    store: ObjectStore,
    before: Manifest | undefined,
    manifest: Manifest,
  ): Promise<void> {
    const { at } = this.#opened;
    const keys: ObjectKey[] = [];
    const end = manifest.indexedUpTo;
    for (let number = (before?.indexedUpTo ?? 0) + 1; number <= end; number++) {
      keys.push(walKey(at, sequenceNumber(number)));
    }
    if (before !== undefined) keys.push(manifestKey(at, before.version));
    const named = new Set<string>();
    for (const { id, tombstoneObject } of manifest.segments) {
      named.add(id);
      if (tombstoneObject !== undefined) named.add(tombstoneObject);
    }
    for (const { id, tombstoneObject } of before?.segments ?? []) {
      for (const name of [id, tombstoneObject]) {
        if (name !== undefined && !named.has(name)) keys.push(segmentKey(at, name as SegmentId));
      }
    }
    for (const id of [...this.#stored.keys()]) if (!named.has(id)) this.#stored.delete(id);
    for (const key of keys) await store.delete(key);
  }
}

function capture({ view, live, liveCount }: SegmentSnapshot): Captured {
  return { view: view as OpenSegment, live: live.slice(), liveCount };
}
