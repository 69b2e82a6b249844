/**
 * Blocks of objects on a local disk, in a directory of bounded size (layout: disk-cache-layout.ts).
 * Threads and processes share a directory without knowing of each other. Nothing is synced, and
 * nothing of what goes wrong is anybody's business: a block that cannot be read, or is not what was
 * written, is not there; one that cannot be written is not kept.
 */

import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import { TurnQueue } from "../../base/turn-queue.ts";
import {
  type FileSystem,
  isSystemError,
  isWrongDirectory,
  makeDirectories,
  systemFiles,
} from "../directory/file-system.ts";
import type { ObjectKey } from "../object-store.ts";
import {
  BLOCK_BYTES,
  type BlockMark,
  blockChecksum,
  blockPosition,
  DISK_CACHE_TOUCH_MS,
  decodeSetHead,
  encodeSlotHead,
  findSlot,
  objectId,
  pickSlot,
  REGION_BLOCKS,
  type RegionPlace,
  regionPlace,
  SET_BYTES,
  SET_HEAD_BYTES,
  SLOT_HEAD_BYTES,
  type SlotHead,
  setsFor,
} from "./disk-cache-layout.ts";

/** Files that a disk cache has open; the machine's calls wait for 4 threads, which others need. */
export const DISK_CACHE_FILES_MAX = 16;
/** How long a disk cache leaves its disk alone after it failed; a failing disk may be slow, too. */
export const DISK_CACHE_REST_MS = 30_000;

/** What a `DiskCache` needs. */
export interface DiskCacheOptions {
  /** Made where it is missing; nothing else may be in it. */
  readonly directory: string;
  /** Bytes that its files may take, rounded down to whole sets; at least one set. */
  readonly bytesMax: number;
  readonly clock: Clock;
  /** The machine's, unless a test passes another. */
  readonly files?: FileSystem;
  /** Hears why the cache rests for a while. */
  readonly onFault?: (reason: string) => void;
}

/** Totals since the start. */
export interface DiskCacheStats {
  /** Reads that needed nothing of the store, and the others. */
  hits: number;
  misses: number;
  readBytes: number;
  writtenBytes: number;
  /** Regions that were overwritten by others. */
  evictions: number;
  /** Times that the disk failed. */
  faults: number;
}

/** Blocks by their number in the object. */
export type CachedBlocks = Map<number, Uint8Array>;

/** One user of a cache directory. */
export class DiskCache {
  readonly stats: DiskCacheStats = {
    hits: 0,
    misses: 0,
    readBytes: 0,
    writtenBytes: 0,
    evictions: 0,
    faults: 0,
  };
  readonly #options: DiskCacheOptions;
  readonly #files: FileSystem;
  readonly #setCount: number;
  readonly #open = new TurnQueue(DISK_CACHE_FILES_MAX);
  /** The last write to each set; those of one set wait for each other. */
  readonly #writes = new Map<number, Promise<void>>();
  /** By the monotonic clock: not before these is the disk asked again. */
  readonly #restUntilMs = { read: 0, write: 0 };

  constructor(options: DiskCacheOptions) {
    this.#options = options;
    this.#files = options.files ?? systemFiles;
    this.#setCount = Math.max(1, Math.floor(options.bytesMax / SET_BYTES));
  }

  /**
   * Makes the directory ready. Throws `invalid` if it is no directory that this process can write
   * to: no setting is ignored. A disk that is full or fails is none of a setting's faults.
   */
  async prepare(): Promise<void> {
    try {
      await this.#withSet(0, constants.O_RDWR | constants.O_CREAT, async () => {});
    } catch (error) {
      if (!isWrongDirectory(error)) return this.#rest("write", error);
      const { message } = error as Error;
      const fix = "choose another directory, or say --disk-cache-limit 0";
      const what = `cannot use --disk-cache-dir ${this.#options.directory}: ${message}; ${fix}`;
      throw new DatabaseError("invalid", what);
    }
  }

  /** Reads those of the blocks from `first` to before `end` that are there. Never rejects. */
  async read(key: ObjectKey, first: number, end: number): Promise<CachedBlocks> {
    const found: CachedBlocks = new Map();
    const id = objectId(key);
    const sets = setsFor(key, this.#setCount);
    const regions = regionsOf(first, end).map((region) => regionPlace(id, region, sets));
    await Promise.all(regions.map((place) => this.#readRegion(place, { first, end }, found)));
    for (const { length } of found.values()) this.stats.readBytes += length;
    return found;
  }

  /**
   * Keeps blocks, each `BLOCK_BYTES` long, or less where the object ends in it. Resolves when they
   * are written, or are not. Their bytes must stay as they are until then; others are not kept.
   */
  async write(key: ObjectKey, blocks: ReadonlyMap<number, Uint8Array>): Promise<void> {
    const id = objectId(key);
    const sets = setsFor(key, this.#setCount);
    const byRegion = Map.groupBy(blocks, ([block]) => Math.floor(block / REGION_BLOCKS));
    await Promise.all(
      [...byRegion].map(([region, some]) => {
        const place = regionPlace(id, region, sets);
        const marked = some.map(([block, bytes]): MarkedBlock => {
          const mark = { length: bytes.length, checksum: blockChecksum(id, block, bytes) };
          return { block: block % REGION_BLOCKS, bytes, mark };
        });
        return this.#inTurn(place.set, () => this.#writeRegion(place, marked));
      }),
    );
  }

  /** Counts a read that was answered by this cache alone, or was not. */
  count(isHit: boolean): void {
    this.stats[isHit ? "hits" : "misses"]++;
  }

  /** Forgets some objects; costs a look at every set. */
  async purge(keys: readonly ObjectKey[]): Promise<void> {
    // Blocks that are read meanwhile may stay; waiting until no reader is left could take for ever.
    await Promise.all(this.#writes.values());
    const ids = new Set(keys.map(objectId));
    for (const set of await this.#sets()) {
      await this.#inTurn(set, () => this.#purgeSet(set, ids));
    }
  }

  /** Removes the files that a larger cache has left. Never rejects. */
  async trim(): Promise<void> {
    for (const set of await this.#sets()) {
      if (set >= this.#setCount) await this.#files.unlink(this.#pathOf(set)).catch(() => {});
    }
  }

  /** Resolves when no write is under way. */
  async whenIdle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes.values());
  }

  async #readRegion(
    place: RegionPlace,
    wanted: { readonly first: number; readonly end: number },
    found: CachedBlocks,
  ): Promise<void> {
    if (this.#isResting("read")) return;
    const base = place.region * REGION_BLOCKS;
    const isWanted = (block: number) => base + block >= wanted.first && base + block < wanted.end;
    try {
      await this.#withSet(place.set, "r", async (handle) => {
        const slots = await readSetHead(handle);
        const slot = findSlot(slots, place);
        const head = slots[slot];
        if (head === undefined) return;
        for (const run of runsOf(head.blocks, isWanted)) {
          const position = blockPosition(slot, run.first);
          const bytes = await readFully(handle, position, (run.end - run.first) * BLOCK_BYTES);
          for (let block = run.first; block < run.end; block++) {
            const mark = head.blocks[block];
            if (mark === undefined) continue;
            const at = (block - run.first) * BLOCK_BYTES;
            const part = bytes.subarray(at, at + mark.length);
            const isWhole = blockChecksum(place.id, base + block, part) === mark.checksum;
            if (part.length === mark.length && isWhole) found.set(base + block, part);
          }
        }
        this.#touch(place, head);
      });
    } catch (error) {
      if (!isSystemError(error, "ENOENT")) this.#rest("read", error);
    }
  }

  /** Notes that a region is in use, unless that was noted not long ago. */
  #touch(place: RegionPlace, { usedMs }: SlotHead): void {
    const nowMs = this.#options.clock.nowMs();
    if (Math.abs(nowMs - usedMs) < DISK_CACHE_TOUCH_MS) return;
    void this.#inTurn(place.set, () => this.#writeRegion(place, []));
  }

  async #writeRegion(place: RegionPlace, blocks: readonly MarkedBlock[]): Promise<void> {
    if (this.#isResting("write")) return;
    try {
      await this.#withSet(place.set, constants.O_RDWR | constants.O_CREAT, async (handle) => {
        const slots = await readSetHead(handle);
        const usedMs = this.#options.clock.nowMs();
        const slot = pickSlot(slots, place, usedMs);
        const isOwn = findSlot(slots, place) === slot;
        if (!isOwn && blocks.length === 0) return;
        if (!isOwn && slots[slot] !== undefined) this.stats.evictions++;
        const marks: (BlockMark | undefined)[] = isOwn ? [...(slots[slot]?.blocks ?? [])] : [];
        for (const { block, bytes, mark } of blocks) {
          await writeFully(handle, blockPosition(slot, block), bytes);
          marks[block] = mark;
          this.stats.writtenBytes += bytes.length;
        }
        const { id, region } = place;
        const head = encodeSlotHead({ id, region, usedMs, blocks: marks });
        await writeFully(handle, slot * SLOT_HEAD_BYTES, head);
      });
    } catch (error) {
      this.#rest("write", error);
    }
  }

  async #purgeSet(set: number, ids: ReadonlySet<string>): Promise<void> {
    try {
      await this.#withSet(set, "r+", async (handle) => {
        const slots = await readSetHead(handle);
        for (const [slot, head] of slots.entries()) {
          if (head === undefined || !ids.has(head.id)) continue;
          await writeFully(handle, slot * SLOT_HEAD_BYTES, new Uint8Array(SLOT_HEAD_BYTES));
        }
      });
    } catch (error) {
      if (!isSystemError(error, "ENOENT")) this.#rest("write", error);
    }
  }

  /** The sets that have a file; none if they cannot be listed. */
  async #sets(): Promise<number[]> {
    const names = await this.#files.readdir(this.#options.directory).catch(() => []);
    return names.filter((name) => SET_FILE.test(name)).map((name) => Number.parseInt(name, 10));
  }

  #pathOf(set: number): string {
    return join(this.#options.directory, `${String(set).padStart(SET_DIGITS, "0")}.set`);
  }

  #withSet(
    set: number,
    flags: "r" | "r+" | number,
    use: (handle: FileHandle) => Promise<void>,
  ): Promise<void> {
    return this.#open.run(() => this.#withOpenSet(set, flags, use));
  }

  async #withOpenSet(
    set: number,
    flags: "r" | "r+" | number,
    use: (handle: FileHandle) => Promise<void>,
  ): Promise<void> {
    const { directory } = this.#options;
    const open = () => this.#files.open(this.#pathOf(set), throughNoLink(flags), FILE_MODE);
    const handle = await open().catch(async (error: unknown) => {
      if (typeof flags === "string" || !isSystemError(error, "ENOENT")) throw error;
      await makeDirectories(directory, { files: this.#files, mode: DIRECTORY_MODE });
      return open();
    });
    try {
      await use(handle);
    } finally {
      await handle.close();
    }
  }

  /** Runs a task, which never rejects, after those before it on the same set. */
  #inTurn(set: number, task: () => Promise<void>): Promise<void> {
    const running = (this.#writes.get(set) ?? Promise.resolve()).then(task);
    this.#writes.set(set, running);
    return running.then(() => {
      if (this.#writes.get(set) === running) this.#writes.delete(set);
    });
  }

  #isResting(what: "read" | "write"): boolean {
    return this.#options.clock.monotonicMs() < this.#restUntilMs[what];
  }

  /** A disk that fails is left alone for a while, since each of its failures may take long. */
  #rest(what: "read" | "write", error: unknown): void {
    this.stats.faults++;
    const isNews = !this.#isResting(what);
    this.#restUntilMs[what] = this.#options.clock.monotonicMs() + DISK_CACHE_REST_MS;
    const reason = error instanceof Error ? error.message : String(error);
    if (isNews) this.#options.onFault?.(`cannot ${what} ${this.#options.directory}: ${reason}`);
  }
}

/** What is cached is as secret as what is stored. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** Windows has none. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const SET_DIGITS = 8;
const SET_FILE = /^\d{8}\.set$/;

interface MarkedBlock {
  /** Number in its region. */
  readonly block: number;
  readonly bytes: Uint8Array;
  readonly mark: BlockMark;
}

/** A link in the place of a set is not one of this cache's. */
function throughNoLink(flags: "r" | "r+" | number): number {
  if (flags === "r") return constants.O_RDONLY | NO_FOLLOW;
  if (flags === "r+") return constants.O_RDWR | NO_FOLLOW;
  return flags | NO_FOLLOW;
}

function regionsOf(first: number, end: number): number[] {
  const from = Math.floor(first / REGION_BLOCKS);
  return Array.from({ length: Math.ceil(end / REGION_BLOCKS) - from }, (_, i) => from + i);
}

/** Runs of blocks that are wanted and there; each is one read. */
function runsOf(
  blocks: SlotHead["blocks"],
  isWanted: (block: number) => boolean,
): { first: number; end: number }[] {
  const runs: { first: number; end: number }[] = [];
  blocks.forEach((mark, block) => {
    if (mark === undefined || !isWanted(block)) return;
    const last = runs.at(-1);
    if (last?.end === block) last.end++;
    else runs.push({ first: block, end: block + 1 });
  });
  return runs;
}

async function readSetHead(handle: FileHandle): Promise<(SlotHead | undefined)[]> {
  return decodeSetHead(await readFully(handle, 0, SET_HEAD_BYTES));
}

/** Reads so many bytes, or fewer at the end of the file. */
async function readFully(handle: FileHandle, start: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function writeFully(handle: FileHandle, start: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, bytes.length - at, start + at)).bytesWritten;
  }
}
