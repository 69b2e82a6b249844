/**
 * Puts the segments of a namespace's memtable into the store and names them in the next manifest
 * version, so that a restart reads them and replays only what came after. Runs beside commits: it
 * works on the state at its start. Afterwards it removes what the new version makes useless, found
 * by listing, so that it also finds what an interrupted run has left.
 *
 * One server owns a data directory, so no other writer can be asleep at a number that is removed.
 */

import { DatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  type ManifestSegment,
} from "../manifest/manifest.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { sealSegment } from "../segment/segment-seal.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import {
  manifestPrefix,
  parseManifestKey,
  parseSegmentKey,
  parseWalKey,
  segmentPrefix,
  walPrefix,
} from "../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../storage/object-store.ts";
import type { WriteBatch } from "../write/wal-records.ts";
import { encodeFacts, type NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace, Tail } from "./namespace-parts.ts";
import { putSegment, putTombstones, type SegmentFacts } from "./segment-objects.ts";
import { storePages } from "./store-pages.ts";

interface Captured {
  readonly view: OpenSegment;
  readonly live: Uint32Array;
  readonly liveCount: number;
}

/** Writes the checkpoints of one namespace. */
export class Checkpointer {
  readonly #parts: NamespaceParts;
  readonly #opened: OpenedNamespace;
  readonly #stored: Map<SegmentId, SegmentFacts>;
  #manifest: Manifest | undefined;
  #tail: Tail;
  #running: Promise<void> | undefined;
  #stopped = false;
  /** A save failed: which manifest is the newest must be asked. */
  #isUnsure = false;

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
  addStored(segment: SegmentFacts): void {
    this.#stored.set(segment.id, segment);
  }

  /** Starts a checkpoint if there is enough to replay and none is running. */
  maybeRun(facts: NamespaceFacts): void {
    const { bytes, entries } = this.#tail;
    const { checkpointTailBytes, checkpointTailEntries } = this.#parts.thresholds;
    const due = bytes >= checkpointTailBytes || entries >= checkpointTailEntries;
    if (!due || this.#running !== undefined || this.#stopped) return;
    this.#running = this.#run(facts)
      .catch((error: unknown) => this.#warn("checkpoint failed; the log keeps everything", error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Starts no more checkpoints and waits for the one that runs, which ends as soon as it can. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(facts: NamespaceFacts): Promise<void> {
    const unpin = this.#opened.documents.pin();
    try {
      const tail = this.#tail;
      const known = new Set(this.#stored.keys());
      const captured = this.#opened.documents.memtable.segments.map(capture);
      const store = this.#parts.storeFor(facts.settings);
      this.#opened.manifestStore.use(store);
      if (this.#isUnsure) await this.#reload();
      const segments: ManifestSegment[] = [];
      for (const segment of captured) {
        if (this.#stopped) return;
        segments.push(await this.#put(store, segment, (this.#manifest?.version ?? 0) + 1));
        known.add(segment.view.id);
        await this.#parts.yield();
      }
      const manifest = this.#next(facts, segments);
      await this.#save(manifest);
      this.#tail = {
        bytes: this.#tail.bytes - tail.bytes,
        entries: this.#tail.entries - tail.entries,
        documentCount: this.#tail.documentCount - tail.documentCount,
      };
      await this.#removeUseless(store, manifest, known);
    } finally {
      unpin();
    }
  }

  async #save(manifest: Manifest): Promise<void> {
    this.#isUnsure = true;
    const outcome = await this.#opened.manifests.save(manifest);
    if (outcome.kind === "conflict") {
      throw new DatabaseError("conflict", `manifest ${manifest.version} was written by another`);
    }
    this.#isUnsure = false;
    this.#manifest = manifest;
  }

  /** The newest manifest is this process's own: of a save whose answer was lost, or one before. */
  async #reload(): Promise<void> {
    this.#manifest = await this.#opened.manifests.load();
    this.#isUnsure = false;
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

  /** `known` are the segments that were in the store when the manifest was made. */
  async #removeUseless(
    store: ObjectStore,
    manifest: Manifest,
    known: ReadonlySet<SegmentId>,
  ): Promise<void> {
    const { at } = this.#opened;
    const named = new Set<string>();
    for (const { id, tombstoneObject } of manifest.segments) {
      named.add(id);
      if (tombstoneObject !== undefined) named.add(tombstoneObject);
    }
    for (const id of known) if (!named.has(id)) this.#stored.delete(id);
    try {
      await this.#remove(store, walPrefix(at), (key) => {
        return (parseWalKey(at, key) ?? Number.POSITIVE_INFINITY) <= manifest.indexedUpTo;
      });
      await this.#remove(store, manifestPrefix(at), (key) => {
        return (parseManifestKey(at, key) ?? Number.POSITIVE_INFINITY) < manifest.version;
      });
      await this.#remove(store, segmentPrefix(at), (key) => {
        const id = parseSegmentKey(at, key);
        // Segments of a copy that is not committed yet are known to nobody else.
        if (id === undefined || this.#parts.isBeingFilled(at.name)) return false;
        return !named.has(id) && !this.#stored.has(id);
      });
    } catch (error) {
      this.#warn("could not remove what a checkpoint made useless; the next one will", error);
    }
  }

  async #remove(
    store: ObjectStore,
    prefix: string,
    isUseless: (key: ObjectKey) => boolean,
  ): Promise<void> {
    for await (const { keys } of storePages(store, prefix)) {
      for (const key of keys.filter(isUseless)) await store.delete(key);
    }
  }

  #warn(message: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.log("warn", message, { namespace: this.#opened.at.name, reason });
  }
}

function capture({ view, live, liveCount }: SegmentSnapshot): Captured {
  return { view: view as OpenSegment, live: live.slice(), liveCount };
}
