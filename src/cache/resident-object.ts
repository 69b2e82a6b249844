/** One stored segment as a reading thread has it: which ranges of it are in memory. */

import { KIB } from "../base/byte-sizes.ts";
import type { ArenaBytes } from "../kernel/arena.ts";
import type { ByteSource } from "../segment/format/byte-source.ts";
import { BytesMissing, type WantedRange } from "../segment/format/bytes-missing.ts";
import type { DecodedDocuments } from "../segment/format/decoded-documents.ts";
import type { ObjectKey } from "../storage/object-store.ts";

/**
 * Bytes of vectors that are read at once from a remote segment; neighbours are read together. What
 * a search compares exactly is spread over as many chunks as it has rows, nearly: with twice as
 * much, memory of a quarter of the vectors' size was too small for those of 250 searches (ADR 53).
 */
const VECTOR_CHUNK_BYTES = 64 * KIB;
/** Small reads of a stored segment's content take the whole window of this size around them. */
const CACHE_WINDOW_BYTES = 64 * KIB;

/** A range in memory. */
export interface ResidentRange {
  readonly range: WantedRange;
  readonly block: ArenaBytes;
  lastUsed: number;
  /** Runs under way that have loaded it. */
  useCount: number;
}

/** What all objects of a thread share. */
export interface ThreadState {
  /** Those with ranges that are in memory, or were asked for. */
  readonly objects: Map<ObjectKey, ResidentObject>;
  readonly decoded: DecodedDocuments;
  /** The next time of use. */
  tick(): number;
  /** The last time of use. */
  now(): number;
  /** Who looks now uses what is there. */
  isUse(): boolean;
  note(isResident: boolean): void;
  /** A range is looked at that is not in memory; may throw to end the look. */
  missed(range: WantedRange): void;
}

/**
 * The ranges of one object. There may be several for one segment, which was opened again; the one
 * that the thread knows has its ranges, and answers for the others.
 */
export class ResidentObject implements ByteSource {
  readonly chunkBytes = VECTOR_CHUNK_BYTES;
  readonly windowBytes = CACHE_WINDOW_BYTES;
  readonly #object: ObjectKey;
  readonly #contentBytes: number;
  readonly #thread: ThreadState;
  readonly #extents = new Map<number, ResidentRange[]>();
  #epoch: number;
  /** When something looked at it last, or at what it knows to be in its ranges. */
  #lookedAt = 0;
  /** Of its ranges, under way. */
  loads = 0;

  constructor(object: ObjectKey, contentBytes: number, thread: ThreadState) {
    this.#object = object;
    this.#contentBytes = contentBytes;
    this.#thread = thread;
    this.#epoch = thread.tick();
  }

  get decoded(): DecodedDocuments {
    return this.#thread.decoded;
  }

  /**
   * Never the same for two objects under one key, so that no view misses a change. Only one under
   * which nothing was in memory may come again.
   */
  get epoch(): number {
    const current = this.#current();
    if (this.#thread.isUse()) current.#lookedAt = this.#thread.now();
    return current.#epoch;
  }

  place(start: number, end: number): ArenaBytes {
    if (start === end) return { arena: 0, offset: 0, bytes: new Uint8Array(0) };
    const current = this.#current();
    if (current !== this) return current.place(start, end);
    const block = this.peek(start, end);
    this.#thread.note(block !== undefined);
    if (block === undefined) {
      this.#thread.objects.set(this.#object, this);
      const missing = { object: this.#object, ...this.#kept(start, end) };
      this.#thread.missed(missing);
      throw new BytesMissing([missing]);
    }
    return block;
  }

  peek(start: number, end: number): ArenaBytes | undefined {
    const kept = this.#kept(start, end);
    const current = this.#current();
    const extent = current.find(kept);
    if (extent === undefined) return undefined;
    if (this.#thread.isUse()) {
      extent.lastUsed = this.#thread.tick();
      current.#lookedAt = extent.lastUsed;
    }
    const { arena, offset, bytes } = extent.block;
    const shift = start - kept.start;
    if (shift === 0 && end === kept.end) return extent.block;
    return { arena, offset: offset + shift, bytes: bytes.subarray(shift, shift + end - start) };
  }

  find({
    start,
    end,
  }: {
    readonly start: number;
    readonly end: number;
  }): ResidentRange | undefined {
    return this.#extents.get(start)?.find((extent) => extent.range.end === end);
  }

  /** Tells whether it is new. */
  add(extent: ResidentRange): boolean {
    const { start } = extent.range;
    if (this.find(extent.range) !== undefined) return false;
    const others = this.#extents.get(start);
    if (others === undefined) this.#extents.set(start, [extent]);
    else others.push(extent);
    return true;
  }

  drop(range: WantedRange): void {
    const others = this.#extents
      .get(range.start)
      ?.filter(({ range: { end } }) => end !== range.end);
    if (others === undefined || others.length === 0) this.#extents.delete(range.start);
    else this.#extents.set(range.start, others);
    this.#epoch = this.#thread.tick();
  }

  dropAll(): ResidentRange[] {
    const all = [...this.#extents.values()].flat();
    this.#extents.clear();
    this.#epoch = this.#thread.tick();
    return all;
  }

  /** What has nothing in memory costs no memory. */
  leaveIfEmpty(): void {
    const { objects } = this.#thread;
    const isEmpty = this.#extents.size === 0 && this.loads === 0;
    if (isEmpty && objects.get(this.#object) === this) objects.delete(this.#object);
  }

  /** What no run has loaded that is under way, if nothing was looked at since `beganAt`. */
  unused(beganAt: number): ResidentRange[] {
    if (this.#lookedAt >= beganAt) return [];
    return [...this.#extents.values()].flat().filter(({ useCount: pins }) => pins === 0);
  }

  /** Of several for one segment, which was opened again, the one that has its ranges. */
  #current(): ResidentObject {
    return this.#thread.objects.get(this.#object) ?? this;
  }

  /** The range that is kept for a read. */
  #kept(start: number, end: number): { start: number; end: number } {
    const window = Math.floor(start / CACHE_WINDOW_BYTES) * CACHE_WINDOW_BYTES;
    const windowEnd = Math.min(window + CACHE_WINDOW_BYTES, this.#contentBytes);
    return end <= windowEnd ? { start: window, end: windowEnd } : { start, end };
  }
}
