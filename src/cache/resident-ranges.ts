/**
 * A reading thread's side of the cache: which ranges of stored segments are in memory for it. A
 * read of something small takes the window around it; anything else is kept just as it was asked
 * for. When the cache needs room, what was not used for the longest time is forgotten, but for what
 * runs have loaded that are not over.
 */

import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, type ErrorCode } from "../base/errors.ts";
import { oneStep, runSteps, type Steps } from "../base/steps.ts";
import type { ArenaRange } from "../kernel/arena.ts";
import type { ByteSource } from "../segment/format/byte-source.ts";
import {
  BytesMissing,
  missedBy,
  type ReadRequest,
  type WantedRange,
} from "../segment/format/bytes-missing.ts";
import { DecodedDocuments } from "../segment/format/decoded-documents.ts";
import type { ReadingSteps } from "../segment/format/reading-steps.ts";
import { SegmentMissing } from "../segment/format/segment-missing.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import {
  type ByteOrigin,
  type FromCache,
  farther,
  type LoadStats,
  type ToCache,
} from "./cache-messages.ts";
import { ResidentObject, type ResidentRange } from "./resident-object.ts";
import type { LookLimits, SegmentReads } from "./segment-reads.ts";

/** Decoded documents that a thread keeps of all its stored segments: two thousand blocks. */
const DECODED_DOCUMENTS_BYTES_MAX = 32 * MIB;
/**
 * How often one run may find that bytes are missing and load them, not counting what brings it
 * other transient bytes. A cold query takes three rounds (I17): ten times as many say that what is
 * loaded does not stay.
 */
const LOAD_ROUNDS_MAX = 32;

/**
 * What to tell of a segment that is not there although the newest manifest names it: it is lost.
 */
export function asDamage(error: unknown): unknown {
  if (!(error instanceof SegmentMissing)) return error;
  return new DatabaseError("corrupt", error.message, { cause: error });
}

/** What a run cost beside its work. */
export interface RunStats {
  /** Loads, one after the other. */
  readonly rounds: number;
  /** Bytes that they have brought. */
  readonly loadedBytes: number;
  /** Ranges that were looked at first and those of them that were in memory. */
  readonly touchedCount: number;
  readonly residentCount: number;
  /** The farthest place that bytes came from. */
  readonly origin: ByteOrigin;
  /** Bytes of loads for which the store was asked. */
  readonly storeBytes: number;
  /** Something was loaded, and left room to load more ahead. */
  readonly isRoomy: boolean;
}

/** Ranges that were looked at. */
export interface Touches {
  readonly touched: number;
  /** Those of them that were in memory. */
  readonly resident: number;
}

/** What a reading thread gives to its ranges. */
export interface ResidentOptions {
  post(message: ToCache): void;
  /** The bytes at a place in the cache's memories. */
  bytesAt(place: ArenaRange): Uint8Array;
}

interface PendingLoad {
  readonly wanted: readonly WantedRange[];
  readonly isAhead: boolean;
  /** That they are of. */
  readonly objects: readonly ResidentObject[];
  readonly resolve: (stats: LoadStats) => void;
  readonly reject: (error: unknown) => void;
}

/** What a load cost, and how many bytes were wanted. */
type LoadedStats = LoadStats & { readonly loadedBytes: number };

/** One run of work, which begins when its first step is taken. */
interface Run<T> {
  readonly begin: () => ReadingSteps<T>;
  /** Undefined before it begins, for the first time or again. */
  steps: ReadingSteps<T> | undefined;
}

/** How far a run has come when it pauses for bytes, or ends. */
type RunOutcome<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "missing"; readonly request: ReadRequest };

/** Ends a look, unlike `BytesMissing`, which others gather. */
class EnoughMissing extends Error {}

/** Ranges that one look has missed. */
class MissingLook {
  readonly #limits: LookLimits;
  readonly #missing = new Map<string, WantedRange>();
  #bytes = 0;

  constructor(limits: LookLimits) {
    this.#limits = limits;
  }

  get missing(): readonly WantedRange[] {
    return [...this.#missing.values()];
  }

  /** Throws `EnoughMissing`. */
  missed(range: WantedRange): void {
    const { rangeBytesMax = Number.POSITIVE_INFINITY, bytesMax = Number.POSITIVE_INFINITY } =
      this.#limits;
    const { object, start, end } = range;
    const key = `${object} ${start} ${end}`;
    if (end - start > rangeBytesMax || this.#missing.has(key)) return;
    this.#missing.set(key, range);
    this.#bytes += end - start;
    if (this.#bytes >= bytesMax) throw new EnoughMissing();
  }
}

/** All ranges of one thread. */
export class ResidentRanges implements SegmentReads {
  readonly #options: ResidentOptions;
  readonly #objects = new Map<ObjectKey, ResidentObject>();
  readonly #pending = new Map<number, PendingLoad>();
  readonly #purges = new Map<number, () => void>();
  readonly #decoded = new DecodedDocuments(DECODED_DOCUMENTS_BYTES_MAX);
  /** Attempts that have begun and not ended: what they look at stays. */
  readonly #attempts = new Set<{ readonly beganAt: number }>();
  /** What the cache wants back as soon as attempts end that may look at it. */
  #owed: Extract<FromCache, { kind: "shrink" }>[] = [];
  #nextCall = 1;
  /** Undefined while looks are those of somebody who uses what is there. */
  #look: MissingLook | undefined;
  #tick = 0;
  #touched = 0;
  #resident = 0;

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  /** Objects with ranges in memory, or on their way there. */
  get objectCount(): number {
    return this.#objects.size;
  }

  /** All looks so far. */
  get touches(): Touches {
    return { touched: this.#touched, resident: this.#resident };
  }

  /** Counts looks of another thread for the run that is under way here. */
  addTouches({ touched, resident }: Touches): void {
    this.#touched += touched;
    this.#resident += resident;
  }

  sourceOf(object: ObjectKey, contentBytes: number): ByteSource {
    const known = this.#objects.get(object);
    if (known !== undefined) return known;
    return new ResidentObject(object, contentBytes, {
      objects: this.#objects,
      decoded: this.#decoded,
      tick: () => ++this.#tick,
      now: () => this.#tick,
      isUse: () => this.#look === undefined,
      missed: (range) => this.#look?.missed(range),
      note: (isResident) => {
        if (this.#look !== undefined) return;
        this.#touched++;
        if (isResident) this.#resident++;
      },
    });
  }

  run<T>(attempt: () => T): Promise<T> {
    return this.runInSteps(
      () => oneStep(attempt),
      async (steps) => runSteps(steps),
    );
  }

  async runInSteps<T>(
    attempt: () => Steps<T>,
    take: <U>(steps: Steps<U>) => Promise<U>,
  ): Promise<T> {
    return (await this.runCounted(attempt, take)).result;
  }

  /**
   * `runInSteps`, and what it cost. Steps that request bytes continue where they were once these
   * are loaded; where they throw `BytesMissing` they begin again. Each round, `waits` is called
   * before anything is loaded. Steps that have not come to their end are ended by `return()`.
   */
  async runCounted<T>(
    attempt: () => ReadingSteps<T>,
    take: <U>(steps: Steps<U>) => Promise<U>,
    waits?: () => void,
  ): Promise<{ result: T; stats: RunStats }> {
    const run: Run<T> = { begin: attempt, steps: undefined };
    const loaded: ResidentRange[] = [];
    let transient: ResidentRange[] = [];
    let first: Touches | undefined;
    let origin: ByteOrigin = "memory";
    let loadedBytes = 0;
    let storeBytes = 0;
    let isRoomy = false;
    try {
      let lastTransient: WantedRange | undefined;
      for (let rounds = 0, stalls = 0; stalls < LOAD_ROUNDS_MAX; rounds++) {
        const touches = { touched: 0, resident: 0 };
        const outcome = await this.#continue(run, take, touches);
        release(transient);
        transient = [];
        first ??= touches;
        if (outcome.kind === "done") {
          const { touched: touchedCount, resident: residentCount } = first;
          const looks = { touchedCount, residentCount };
          const stats = { rounds, loadedBytes, ...looks, origin, storeBytes, isRoomy };
          return { result: outcome.result, stats };
        }
        const { request } = outcome;
        waits?.();
        const wanted = [...request.wanted, ...request.transient];
        const stats = await this.#load({ wanted, isAhead: false });
        loaded.push(...this.#retain(request.wanted));
        transient = this.#retain(request.transient);
        // An attempt that asks for other transient bytes than the one before has made progress.
        if (!isSame(lastTransient, request.transient.at(0)))
          lastTransient = request.transient.at(0);
        else stalls++;
        origin = farther(origin, stats?.origin ?? "memory");
        loadedBytes += stats?.loadedBytes ?? 0;
        storeBytes += stats?.storeBytes ?? 0;
        isRoomy = stats?.isRoomy ?? isRoomy;
      }
    } finally {
      release(loaded);
      release(transient);
      run.steps?.return(undefined as T);
    }
    throw new DatabaseError(
      "out_of_memory",
      `💔 bytes of stored segments were missing ${LOAD_ROUNDS_MAX} times in a row: there is not ` +
        "enough memory for this request; narrow it, or start the server with a larger " +
        "--memory-limit",
    );
  }

  missingOf(attempt: () => void, limits: LookLimits = {}): readonly WantedRange[] {
    const look = new MissingLook(limits);
    this.#look = look;
    try {
      attempt();
    } catch (error) {
      if (!(error instanceof BytesMissing) && !(error instanceof EnoughMissing)) throw error;
    } finally {
      this.#look = undefined;
    }
    return look.missing;
  }

  async prefetch(wanted: readonly WantedRange[]): Promise<boolean> {
    const stats = await this.#load({ wanted, isAhead: true });
    return stats?.isRoomy ?? true;
  }

  forget(object: ObjectKey): void {
    const known = this.#objects.get(object);
    if (known === undefined) return;
    this.#objects.delete(object);
    const ranges = known.dropAll().map(({ range }) => range);
    if (ranges.length > 0) this.#options.post({ kind: "dropped", ranges, shrink: undefined });
  }

  /** Makes all threads forget these objects, so that the next look reads the store. */
  purge(objects: readonly ObjectKey[]): Promise<void> {
    const call = this.#nextCall++;
    return new Promise((resolve) => {
      this.#purges.set(call, resolve);
      this.#options.post({ kind: "purge", call, objects });
    });
  }

  /** Takes a message of the cache; arenas are for whoever reads memory. */
  onMessage(message: Exclude<FromCache, { kind: "arena" }>): void {
    switch (message.kind) {
      case "loaded":
        this.#loaded(message);
        return;
      case "failed": {
        const { code, isMissing, clientMessage } = message;
        const pending = this.#take(message.call);
        pending?.reject(
          isMissing
            ? new SegmentMissing(message.message)
            : new DatabaseError(code as ErrorCode, message.message, { clientMessage }),
        );
        return;
      }
      case "purged":
        this.#purges.get(message.call)?.();
        this.#purges.delete(message.call);
        return;
      case "forget": {
        const since = this.#oldestAttempt;
        const forgotten = message.objects.flatMap(
          (key) => this.#objects.get(key)?.unused(since) ?? [],
        );
        const ranges = forgotten.map(({ range }) => range);
        for (const range of ranges) this.#drop(range);
        this.#options.post({ kind: "dropped", ranges, shrink: message.shrink });
        return;
      }
      case "shrink":
        this.#owed.push(message);
        this.#shrink();
    }
  }

  /** Continues a run; what it looks at stays in memory until it waits for bytes, or ends. */
  async #continue<T>(
    run: Run<T>,
    take: <U>(steps: Steps<U>) => Promise<U>,
    touches: { touched: number; resident: number },
  ): Promise<RunOutcome<T>> {
    const begun = { beganAt: this.#tick };
    this.#attempts.add(begun);
    try {
      return await take(this.#stepsToRequest(run, touches));
    } finally {
      this.#attempts.delete(begun);
      if (this.#owed.length > 0) this.#shrink();
    }
  }

  /** The steps up to the next request. Counts their looks, and not those of others in between. */
  *#stepsToRequest<T>(
    run: Run<T>,
    touches: { touched: number; resident: number },
  ): Steps<RunOutcome<T>> {
    for (;;) {
      const before = this.touches;
      try {
        run.steps ??= run.begin();
        const next = run.steps.next();
        if (next.done === true) return { kind: "done", result: next.value };
        if (next.value !== undefined) return { kind: "missing", request: next.value };
      } catch (error) {
        run.steps = undefined;
        return { kind: "missing", request: missedBy(error) };
      } finally {
        touches.touched += this.#touched - before.touched;
        touches.resident += this.#resident - before.resident;
      }
      yield;
    }
  }

  /** Gives back what the cache wants; what attempts may look at when they have ended. */
  #shrink(): void {
    this.#owed = this.#owed.filter(({ bytes, shrink }) => {
      if (this.#attempts.size > 0 && this.#unusedBytes() < bytes) return true;
      const ranges = this.#forgetOldest(bytes);
      this.#options.post({ kind: "dropped", ranges, shrink });
      return false;
    });
  }

  /** When the oldest attempt began that has not ended. */
  get #oldestAttempt(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { beganAt } of this.#attempts) oldest = Math.min(oldest, beganAt);
    return oldest;
  }

  #unusedBytes(): number {
    let bytes = 0;
    const since = this.#oldestAttempt;
    for (const object of this.#objects.values()) {
      for (const { range } of object.unused(since)) bytes += range.end - range.start;
    }
    return bytes;
  }

  /** Loads what is wanted; tells what that cost, if anything. */
  async #load({
    wanted,
    isAhead,
  }: Pick<PendingLoad, "wanted" | "isAhead">): Promise<LoadedStats | undefined> {
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
    const stats = await new Promise<LoadStats>((resolve, reject) => {
      this.#pending.set(call, { wanted: ranges, isAhead, objects, resolve, reject });
      this.#options.post({ kind: "load", call, wanted: ranges, isAhead });
    });
    return { ...stats, loadedBytes: ranges.reduce((sum, { start, end }) => sum + end - start, 0) };
  }

  /** Keeps ranges that were loaded from being forgotten. */
  #retain(ranges: readonly WantedRange[]): ResidentRange[] {
    return ranges.flatMap((range) => {
      const extent = this.#objects.get(range.object)?.find(range);
      if (extent === undefined) return [];
      extent.useCount++;
      return [extent];
    });
  }

  #loaded({ call, places, stats }: Extract<FromCache, { kind: "loaded" }>): void {
    const pending = this.#pending.get(call);
    if (pending === undefined) return;
    const unwanted: WantedRange[] = [];
    places.forEach((place, i) => {
      const range = pending.wanted[i];
      const object = this.#objects.get(range.object);
      const { arena, offset } = place;
      const block = { arena, offset, bytes: this.#options.bytesAt(place) };
      const lastUsed = pending.isAhead ? 0 : ++this.#tick;
      const extent = { range, block, lastUsed, useCount: 0 };
      // No reader is left for the object, or another load brought the range.
      if (!object?.add(extent)) unwanted.push(range);
    });
    if (unwanted.length > 0) {
      this.#options.post({ kind: "dropped", ranges: unwanted, shrink: undefined });
    }
    this.#take(call);
    pending.resolve(stats);
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
    const since = this.#oldestAttempt;
    const all = [...this.#objects.values()].flatMap((object) => object.unused(since));
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

function release(extents: readonly ResidentRange[]): void {
  for (const extent of extents) extent.useCount--;
}

function isSame(a: WantedRange | undefined, b: WantedRange | undefined): boolean {
  return a?.object === b?.object && a?.start === b?.start;
}
