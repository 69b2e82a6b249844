/**
 * The cache of stored segments: ranges of their content in shared memory, checked, for all threads
 * that read. A range stays as long as a reader holds it. When memory runs out the readers are asked
 * to forget what they used longest ago. Concurrent loads of one range are one read.
 */

import { clientMessageOf, DatabaseError, isDatabaseError } from "../base/errors.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import type { ArenaRange, Arenas } from "../kernel/arena.ts";
import type { WantedRange } from "../segment/format/bytes-missing.ts";
import { type ByteRange, pageSpan } from "../segment/format/segment-pages.ts";
import { joinRanges } from "../storage/byte-ranges.ts";
import type { ObjectKey, ObjectStore } from "../storage/object-store.ts";
import {
  type ByteOrigin,
  type FromCache,
  farther,
  type LoadStats,
  type ToCache,
} from "./cache-messages.ts";
import { PageFills } from "./page-fills.ts";

/** Reads of the store that the cache has under way at once. */
const CACHE_READS_MAX = 64;
/**
 * Rounds in which a full cache asks its readers to forget: for a sixteenth of it, and each time for
 * twice as much, until all of it.
 */
const CACHE_SHRINKS_MAX = 5;

/** Arenas of the cache are numbered from here, so that they are not taken for the memtables'. */
const CACHE_ARENAS_FIRST = 65_536;

/** Addresses of ranges are congruent to their offsets modulo this. */
const ALIGNMENT = 64;

type LoadMessage = Extract<ToCache, { kind: "load" }>;

interface CachedRange {
  readonly range: WantedRange;
  readonly block: ArenaRange;
  /** How often each reader was given it, and has not dropped it since. */
  readonly holders: Map<CacheClient, number>;
  /** Resolves when the bytes are there, to where they came from. */
  loaded: Promise<ByteOrigin>;
  isLoaded: boolean;
}

/** Readers were asked to forget something. */
interface Shrinking {
  readonly waiting: Set<CacheClient>;
  /** Ranges that those who answered have forgotten. */
  dropped: number;
  readonly done: () => void;
}

/** A reading thread, as the cache sees it. */
export interface CacheClient {
  post(message: FromCache): void;
}

/** What the cache is made of. */
export interface CacheServiceOptions {
  /** Decrypts; retries. */
  readonly store: ObjectStore;
  /** Bounds the cache. */
  readonly arenas: Arenas;
  /** Where the store keeps copies on this machine; purged with the rest. */
  readonly disk?: { purge(objects: readonly ObjectKey[]): Promise<void> } | undefined;
  /** Resolves when messages that have arrived were heard. */
  nextTurn(): Promise<void>;
}

/** Totals since the start. */
export interface CacheStats {
  loads: number;
  requests: number;
  diskBytes: number;
  storeBytes: number;
  shrinks: number;
}

/** All cached ranges. */
export class CacheService {
  readonly stats: CacheStats = {
    loads: 0,
    requests: 0,
    diskBytes: 0,
    storeBytes: 0,
    shrinks: 0,
  };
  readonly #options: CacheServiceOptions;
  readonly #objects = new Map<ObjectKey, Map<string, CachedRange>>();
  readonly #clients = new Set<CacheClient>();
  readonly #room = new TurnQueue(1);
  readonly #reads = new TurnQueue(CACHE_READS_MAX);
  readonly #fills: PageFills;
  readonly #shrinking = new Map<number, Shrinking>();
  #shrinks = 0;

  constructor(options: CacheServiceOptions) {
    this.#options = options;
    this.#fills = new PageFills(options.nextTurn);
  }

  /** Bytes of all ranges. */
  get usedBytes(): number {
    return this.#options.arenas.usedBytes;
  }

  /** Takes a new reader, which learns of all arenas before it gets places in them. */
  connect(client: CacheClient): void {
    this.#clients.add(client);
    this.#options.arenas.onArena((memory, arena) => {
      client.post({ kind: "arena", index: CACHE_ARENAS_FIRST + arena, memory });
    });
  }

  /** Takes a message of a reader. */
  onMessage(client: CacheClient, message: ToCache): void {
    if (message.kind === "load") {
      void this.#answer(client, message);
      return;
    }
    if (message.kind === "purge") {
      void this.#purge(message.objects).then(() =>
        client.post({ kind: "purged", call: message.call }),
      );
      return;
    }
    for (const range of message.ranges) this.#drop(client, range);
    if (message.shrink === undefined) return;
    const shrinking = this.#shrinking.get(message.shrink);
    if (shrinking === undefined) return;
    shrinking.dropped += message.ranges.length;
    shrinking.waiting.delete(client);
    if (shrinking.waiting.size === 0) shrinking.done();
  }

  async #purge(objects: readonly ObjectKey[]): Promise<void> {
    await this.#ask((shrink) => ({ kind: "forget", shrink, objects }));
    await this.#options.disk?.purge(objects);
  }

  async #answer(client: CacheClient, message: LoadMessage): Promise<void> {
    const { call } = message;
    try {
      const { places, stats } = await this.#load(client, message);
      client.post({ kind: "loaded", call, places, stats });
    } catch (error) {
      const isMissing = error instanceof MissingObject;
      const code = isDatabaseError(error) ? error.code : "internal";
      const text = error instanceof Error ? error.message : String(error);
      const clientMessage = clientMessageOf(error);
      client.post({ kind: "failed", call, code, message: text, clientMessage, isMissing });
    }
  }

  async #load(
    client: CacheClient,
    load: LoadMessage,
  ): Promise<{ places: ArenaRange[]; stats: LoadStats }> {
    this.stats.loads++;
    // One load after the other takes memory, so that two do not wait for each other's.
    const taken = await this.#room.run(() => this.#take(client, load));
    const missing = taken.extents.filter(({ isLoaded }) => !isLoaded);
    const stats = { storeBytes: 0 };
    this.#read(taken.fresh, stats);
    let origin: ByteOrigin = "memory";
    try {
      const origins = await Promise.all(missing.map(({ loaded }) => loaded));
      origin = origins.reduce(farther, origin);
    } catch (error) {
      await Promise.allSettled(taken.extents.map(({ loaded }) => loaded));
      for (const extent of taken.extents) this.#release(client, extent);
      throw error;
    }
    const { freeBytes, usedBytes } = this.#options.arenas;
    const isRoomy = usedBytes <= freeBytes && taken.extents.length === load.wanted.length;
    return { places: taken.extents.map(placeOf), stats: { ...stats, origin, isRoomy } };
  }

  /**
   * Holds the wanted ranges for a reader; memory of new ones is taken, their bytes are not there.
   * Ahead, those before the first that has no room.
   */
  async #take(
    client: CacheClient,
    { wanted, isAhead }: LoadMessage,
  ): Promise<{ extents: CachedRange[]; fresh: CachedRange[] }> {
    const extents: CachedRange[] = [];
    const fresh: CachedRange[] = [];
    try {
      for (const range of wanted) {
        let extent = this.#find(range);
        if (extent === undefined) {
          const block = isAhead ? this.#spareBlock(range) : await this.#block(range);
          if (block === undefined) break;
          extent = this.#add(range, block);
          fresh.push(extent);
        }
        extent.holders.set(client, (extent.holders.get(client) ?? 0) + 1);
        extents.push(extent);
      }
    } catch (error) {
      for (const extent of extents) this.#release(client, extent);
      throw error;
    }
    return { extents, fresh };
  }

  /** Memory that nobody misses: half of the cache stays free, and nothing is forgotten for it. */
  #spareBlock(range: WantedRange): ArenaRange | undefined {
    const bytes = blockBytes(range);
    const { arenas } = this.#options;
    const isSpare = arenas.usedBytes + bytes <= arenas.freeBytes - bytes;
    return isSpare ? arenas.alloc(bytes) : undefined;
  }

  /** Memory for a range; readers forget others where the cache is full. */
  async #block(range: WantedRange): Promise<ArenaRange> {
    const bytes = blockBytes(range);
    const { arenas } = this.#options;
    let block = arenas.alloc(bytes);
    // Readers that hold the same ranges forget different ones first, and what one of them holds
    // stays. So each is asked for more every time; in the last round for all.
    for (
      let share = 1 / 2 ** (CACHE_SHRINKS_MAX - 1);
      block === undefined && share <= 1;
      share *= 2
    ) {
      const dropped = await this.#shrink(Math.max(bytes, arenas.usedBytes * share));
      block = arenas.alloc(bytes);
      if (dropped === 0) break; // All that is left is in use.
    }
    if (block === undefined) {
      throw new DatabaseError(
        "out_of_memory",
        `💔 out of memory for reading: ${bytes} bytes more are needed, ${arenas.freeBytes} are ` +
          "free; ask for less at once, or start the server with a larger --memory-limit",
      );
    }
    return block;
  }

  #add(range: WantedRange, block: ArenaRange): CachedRange {
    const extent: CachedRange = {
      range,
      block,
      holders: new Map(),
      loaded: Promise.resolve("memory"),
      isLoaded: false,
    };
    const object = this.#objects.get(range.object) ?? new Map<string, CachedRange>();
    this.#objects.set(range.object, object.set(keyOf(range), extent));
    return extent;
  }

  /** Asks every reader to forget some, and returns how many ranges they have forgotten. */
  #shrink(bytes: number): Promise<number> {
    this.stats.shrinks++;
    return this.#ask((shrink) => ({ kind: "shrink", shrink, bytes }));
  }

  /** Asks every reader to forget something, and waits for their answers. */
  async #ask(question: (shrink: number) => FromCache): Promise<number> {
    if (this.#clients.size === 0) return 0;
    const shrink = ++this.#shrinks;
    const dropped = await new Promise<number>((resolve) => {
      const shrinking: Shrinking = {
        waiting: new Set(this.#clients),
        dropped: 0,
        done: () => resolve(shrinking.dropped),
      };
      this.#shrinking.set(shrink, shrinking);
      for (const client of this.#clients) client.post(question(shrink));
    });
    this.#shrinking.delete(shrink);
    return dropped;
  }

  /** Starts the reads of new ranges; each extent's `loaded` tells of its own. */
  #read(fresh: readonly CachedRange[], stats: ReadStats): void {
    const byObject = Map.groupBy(fresh, ({ range }) => range.object);
    for (const [object, extents] of byObject) {
      const spans = extents.map(({ range }) => pageSpan(range));
      for (const read of joinRanges(spans)) {
        const bytes = this.#reads.run(() => this.#get(object, read, stats));
        for (const index of read.ranges) {
          const extent = extents[index];
          const span = spans[index];
          extent.loaded = bytes
            .then(async ({ pages, origin }) => {
              await this.#fill(extent, pages.subarray(span.start - read.start), pages.length);
              return origin;
            })
            .catch((error: unknown) => this.#readAnew(extent, span, stats, error));
          extent.loaded.catch(() => this.#forget(extent));
        }
      }
    }
  }

  /**
   * Damage may have come about on the way, and then lie on the disk. So damaged bytes are read once
   * more, from the store itself. Throws `error` if it is of another kind.
   */
  async #readAnew(
    extent: CachedRange,
    span: ByteRange,
    stats: ReadStats,
    error: unknown,
  ): Promise<ByteOrigin> {
    if (!isDatabaseError(error, "corrupt")) throw error;
    const { object } = extent.range;
    const { pages, origin } = await this.#reads.run(() =>
      this.#get(object, { ...span, isAnew: true }, stats),
    );
    await this.#fill(extent, pages, pages.length);
    return origin;
  }

  async #get(
    object: ObjectKey,
    { start, end, isAnew = false }: ByteRange & { readonly isAnew?: boolean },
    stats: ReadStats,
  ): Promise<{ pages: Uint8Array; origin: ByteOrigin }> {
    this.stats.requests++;
    const trace = { isAnew, diskReads: 0, storeReads: 0 };
    const pages = await this.#options.store.getRange(object, start, end, trace);
    if (pages === undefined) throw new MissingObject(object);
    if (trace.diskReads > 0 && trace.storeReads === 0) {
      this.stats.diskBytes += pages.length;
      return { pages, origin: "disk" };
    }
    stats.storeBytes += pages.length;
    this.stats.storeBytes += pages.length;
    return { pages, origin: "store" };
  }

  /** Takes an extent's pages out of a read of so many bytes. */
  async #fill(extent: CachedRange, pages: Uint8Array, readBytes: number): Promise<void> {
    const { range, block } = extent;
    const target = this.#options.arenas.bytes(block).subarray(range.start % ALIGNMENT);
    try {
      await this.#fills.fill({ pages, range, key: range.object, target, readBytes });
      extent.isLoaded = true;
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      const message = `cannot read ${range.object}: ${error.message}`;
      throw new DatabaseError(error.code, message, { cause: error });
    }
  }

  /** Gives the memory back, once. The next load of a range that failed reads it anew. */
  #forget(extent: CachedRange): void {
    const object = this.#objects.get(extent.range.object);
    if (object?.get(keyOf(extent.range)) !== extent) return;
    object.delete(keyOf(extent.range));
    if (object.size === 0) this.#objects.delete(extent.range.object);
    this.#options.arenas.free(extent.block);
  }

  /** A reader has forgotten a range; it held it until now, so no other extent has its place. */
  #drop(client: CacheClient, range: WantedRange): void {
    const extent = this.#find(range);
    if (extent !== undefined) this.#release(client, extent);
  }

  /** Of an extent that failed there may be a newer one for the same range; that one stays. */
  #release(client: CacheClient, extent: CachedRange): void {
    const held = extent.holders.get(client);
    if (held === undefined) return;
    if (held > 1) extent.holders.set(client, held - 1);
    else extent.holders.delete(client);
    if (extent.holders.size === 0) this.#forget(extent);
  }

  #find(range: WantedRange): CachedRange | undefined {
    return this.#objects.get(range.object)?.get(keyOf(range));
  }
}

/** What the reads of one load cost so far. */
interface ReadStats {
  storeBytes: number;
}

/** An object is not in the store. */
class MissingObject extends Error {
  constructor(object: ObjectKey) {
    super(`cannot read ${object}: it is missing, but is part of a namespace`);
  }
}

function keyOf({ start, end }: ByteRange): string {
  return `${start}-${end}`;
}

/** Memory of a range, with what keeps its alignment. */
function blockBytes({ start, end }: ByteRange): number {
  return end - start + (start % ALIGNMENT);
}

function placeOf({ range, block }: CachedRange): ArenaRange {
  const shift = range.start % ALIGNMENT;
  return {
    arena: CACHE_ARENAS_FIRST + block.arena,
    offset: block.offset + shift,
    bytes: range.end - range.start,
  };
}
