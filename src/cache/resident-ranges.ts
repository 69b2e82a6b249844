/**
 * A reading thread's side of the cache: which ranges of stored segments are in memory for it. A
 * read of something small takes the window around it; anything else is kept just as it was asked
 * for. When the cache needs room, what was not used for the longest time is forgotten, but for what
 * runs have loaded that are not over.
 */

import { DatabaseError, type ErrorCode } from "../base/errors.ts";
import { DECODED_DOCUMENTS_BYTES_MAX, LOAD_ROUNDS_MAX } from "../base/limits.ts";
import { DecodedDocuments } from "../segment/documents/decoded-documents.ts";
import type { ByteSource } from "../segment/format/byte-source.ts";
import { NotResident, type WantedRange } from "../segment/format/bytes-missing.ts";
import type { SegmentPlace } from "../segment/memtable/memtable-delta.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import {
  type ByteOrigin,
  type FromCache,
  farther,
  type LoadFigures,
  type ToCache,
} from "./cache-messages.ts";
import { type Extent, ResidentObject } from "./resident-object.ts";
import type { SegmentReads } from "./segment-reads.ts";

/** A stored segment's object is not in the store: it was collected, or lost. */
export class SegmentMissing extends DatabaseError {
  constructor(message: string) {
    super("unavailable", message);
  }
}

/** What to tell of a segment that is not there although the newest manifest names it: it is lost. */
export function asDamage(error: unknown): unknown {
  if (!(error instanceof SegmentMissing)) return error;
  return new DatabaseError("corrupt", error.message, { cause: error });
}

/** What a run cost beside its work. */
export interface RunFigures {
  /** Loads, one after the other. */
  readonly rounds: number;
  /** Ranges that were looked at first and those of them that were in memory. */
  readonly touchedCount: number;
  readonly residentCount: number;
  /** The farthest place that bytes came from. */
  readonly origin: ByteOrigin;
  /** Bytes of loads for which the store was asked. */
  readonly storeBytes: number;
}

/** What a reading thread gives to its ranges. */
export interface ResidentParts {
  post(message: ToCache): void;
  /** The bytes at a place in the cache's memories. */
  bytesAt(place: SegmentPlace): Uint8Array;
}

interface PendingLoad {
  readonly wanted: readonly WantedRange[];
  /** That they are of. */
  readonly objects: readonly ResidentObject[];
  readonly resolve: (figures: LoadFigures) => void;
  readonly reject: (error: unknown) => void;
}

/** All ranges of one thread. */
export class ResidentRanges implements SegmentReads {
  readonly #parts: ResidentParts;
  readonly #objects = new Map<ObjectKey, ResidentObject>();
  readonly #pending = new Map<number, PendingLoad>();
  readonly #purges = new Map<number, () => void>();
  readonly #decoded = new DecodedDocuments(DECODED_DOCUMENTS_BYTES_MAX);
  #nextCall = 1;
  #tick = 0;
  #touched = 0;
  #resident = 0;

  constructor(parts: ResidentParts) {
    this.#parts = parts;
  }

  /** Objects with ranges in memory, or on their way there. */
  get objectCount(): number {
    return this.#objects.size;
  }

  sourceOf(object: ObjectKey, contentBytes: number): ByteSource {
    const known = this.#objects.get(object);
    if (known !== undefined) return known;
    return new ResidentObject(object, contentBytes, {
      objects: this.#objects,
      decoded: this.#decoded,
      tick: () => ++this.#tick,
      note: (isResident) => {
        this.#touched++;
        if (isResident) this.#resident++;
      },
    });
  }

  async run<T>(attempt: () => T): Promise<T> {
    return (await this.runCounted(attempt)).result;
  }

  /** `run`, and what it cost. */
  async runCounted<T>(attempt: () => T): Promise<{ result: T; figures: RunFigures }> {
    const loaded: Extent[] = [];
    let passing: Extent[] = [];
    let first: { touched: number; resident: number } | undefined;
    let origin: ByteOrigin = "memory";
    let storeBytes = 0;
    try {
      let lastPassing: WantedRange | undefined;
      for (let rounds = 0, stalls = 0; stalls < LOAD_ROUNDS_MAX; rounds++) {
        const before = { touched: this.#touched, resident: this.#resident };
        const outcome = attemptOnce(attempt);
        unpin(passing);
        passing = [];
        first ??= {
          touched: this.#touched - before.touched,
          resident: this.#resident - before.resident,
        };
        if (outcome.kind === "done") {
          const { touched: touchedCount, resident: residentCount } = first;
          return {
            result: outcome.result,
            figures: { rounds, touchedCount, residentCount, origin, storeBytes },
          };
        }
        const figures = await this.#load([...outcome.wanted, ...outcome.passing]);
        loaded.push(...this.#pin(outcome.wanted));
        passing = this.#pin(outcome.passing);
        // Who asks for other passing bytes than before has come further.
        if (!isSame(lastPassing, outcome.passing.at(0))) lastPassing = outcome.passing.at(0);
        else stalls++;
        origin = farther(origin, figures?.origin ?? "memory");
        storeBytes += figures?.storeBytes ?? 0;
      }
    } finally {
      unpin(loaded);
      unpin(passing);
    }
    throw new DatabaseError(
      "overloaded",
      `💔 bytes of stored segments were missing ${LOAD_ROUNDS_MAX} times in a row: there is not ` +
        "enough memory for this request; narrow it, or start the server with a larger " +
        "--memory-limit",
    );
  }

  forget(object: ObjectKey): void {
    const known = this.#objects.get(object);
    if (known === undefined) return;
    this.#objects.delete(object);
    const ranges = known.dropAll().map(({ range }) => range);
    if (ranges.length > 0) this.#parts.post({ kind: "dropped", ranges, shrink: undefined });
  }

  /** Makes all threads forget these objects, so that the next look reads the store. */
  purge(objects: readonly ObjectKey[]): Promise<void> {
    const call = this.#nextCall++;
    return new Promise((resolve) => {
      this.#purges.set(call, resolve);
      this.#parts.post({ kind: "purge", call, objects });
    });
  }

  /** Takes a message of the cache; arenas are for whoever reads memory. */
  hear(message: Exclude<FromCache, { kind: "arena" }>): void {
    switch (message.kind) {
      case "loaded":
        this.#loaded(message);
        return;
      case "failed": {
        const { code, isMissing } = message;
        const pending = this.#take(message.call);
        pending?.reject(
          isMissing
            ? new SegmentMissing(message.message)
            : new DatabaseError(code as ErrorCode, message.message),
        );
        return;
      }
      case "purged":
        this.#purges.get(message.call)?.();
        this.#purges.delete(message.call);
        return;
      case "forget": {
        const forgotten = message.objects.flatMap(
          (key) => this.#objects.get(key)?.unpinned() ?? [],
        );
        const ranges = forgotten.map(({ range }) => range);
        for (const range of ranges) this.#drop(range);
        this.#parts.post({ kind: "dropped", ranges, shrink: message.shrink });
        return;
      }
      case "shrink": {
        const ranges = this.#forgetOldest(message.bytes);
        this.#parts.post({ kind: "dropped", ranges, shrink: message.shrink });
      }
    }
  }

  /** Loads what is wanted; tells what that cost, if anything. */
  async #load(wanted: readonly WantedRange[]): Promise<LoadFigures | undefined> {
    const missing = new Map<string, WantedRange>();
    for (const range of wanted) {
      const extent = this.#objects.get(range.object)?.find(range);
      if (extent === undefined) missing.set(`${range.object} ${range.start} ${range.end}`, range);
    }
    if (missing.size === 0) return undefined;
    const call = this.#nextCall++;
    const ranges = [...missing.values()];
    const objects = ranges.flatMap(({ object }) => this.#objects.get(object) ?? []);
    for (const object of objects) object.loads++;
    return new Promise<LoadFigures>((resolve, reject) => {
      this.#pending.set(call, { wanted: ranges, objects, resolve, reject });
      this.#parts.post({ kind: "load", call, wanted: ranges });
    });
  }

  /** Keeps ranges that were loaded from being forgotten. */
  #pin(ranges: readonly WantedRange[]): Extent[] {
    return ranges.flatMap((range) => {
      const extent = this.#objects.get(range.object)?.find(range);
      if (extent === undefined) return [];
      extent.pins++;
      return [extent];
    });
  }

  #loaded({ call, places, figures }: Extract<FromCache, { kind: "loaded" }>): void {
    const pending = this.#pending.get(call);
    if (pending === undefined) return;
    const unwanted: WantedRange[] = [];
    pending.wanted.forEach((range, i) => {
      const object = this.#objects.get(range.object);
      const place = places[i];
      const { arena, offset } = place;
      const block = { arena, offset, bytes: this.#parts.bytesAt(place) };
      const extent = { range, block, lastUsed: ++this.#tick, pins: 0 };
      // Nobody reads the object any more, or another load was faster.
      if (!object?.add(extent)) unwanted.push(range);
    });
    if (unwanted.length > 0) {
      this.#parts.post({ kind: "dropped", ranges: unwanted, shrink: undefined });
    }
    this.#take(call);
    pending.resolve(figures);
  }

  /** Ends a load: its objects stay if there is something of them. */
  #take(call: number): PendingLoad | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    for (const object of pending?.objects ?? []) {
      object.loads--;
      object.leaveIfEmpty();
    }
    return pending;
  }

  #drop(range: WantedRange): void {
    const object = this.#objects.get(range.object);
    object?.drop(range);
    object?.leaveIfEmpty();
  }

  #forgetOldest(bytes: number): WantedRange[] {
    const all = [...this.#objects.values()].flatMap((object) => object.unpinned());
    all.sort((a, b) => a.lastUsed - b.lastUsed);
    const dropped: WantedRange[] = [];
    let freed = 0;
    for (const { range } of all) {
      if (freed >= bytes) break;
      freed += range.end - range.start;
      dropped.push(range);
      this.#drop(range);
    }
    return dropped;
  }
}

function attemptOnce<T>(attempt: () => T) {
  try {
    return { kind: "done", result: attempt() } as const;
  } catch (error) {
    if (!(error instanceof NotResident)) throw error;
    return { kind: "missing", wanted: error.wanted, passing: error.passing } as const;
  }
}

function unpin(extents: readonly Extent[]): void {
  for (const extent of extents) extent.pins--;
}

function isSame(a: WantedRange | undefined, b: WantedRange | undefined): boolean {
  return a?.object === b?.object && a?.start === b?.start;
}
