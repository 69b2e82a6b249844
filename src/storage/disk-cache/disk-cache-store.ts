import { MIB } from "../../base/byte-sizes.ts";
import { joinRanges } from "../byte-ranges.ts";
import { isSegmentObject } from "../object-keys.ts";
import type { ObjectKey, ObjectStore, ReadTrace } from "../object-store.ts";
import { StoreDecorator } from "../store-decorator.ts";
import type { CachedBlocks, DiskCache, DiskCacheOptions } from "./disk-cache.ts";
import { BLOCK_BYTES, REGION_BLOCKS, REGION_BYTES } from "./disk-cache-layout.ts";

/** Bytes that wait to be written to the disk cache before reads of the store wait for the disk. */
const DISK_CACHE_PENDING_BYTES_MAX = 64 * MIB;

/** Where the disk cache is and how large; plain data, which can be posted to threads. */
export type DiskCacheConfig = Pick<DiskCacheOptions, "directory" | "bytesMax">;

/**
 * Reads ranges of segments from a local disk where they have been read before, and keeps what it
 * reads. It stands in front of a remote store, behind encryption, so that what lies on the disk is
 * as it is in the store. Segments' objects never change once they are there, so a copy is never
 * wrong; all other objects are passed on. An object that was removed from the store may still be
 * read.
 *
 * A range that is not there is asked for in whole blocks. What was read goes to the disk after the
 * answer, unless the disk is far behind.
 */
export class DiskCacheStore extends StoreDecorator {
  readonly #cache: DiskCache;
  #pendingBytes = 0;

  constructor(store: ObjectStore, cache: DiskCache) {
    super(store);
    this.#cache = cache;
  }

  /** Objects smaller than a region are kept; larger ones are only copied and merged as a whole. */
  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    if (!isSegmentObject(key)) return this.store.get(key);
    const cached = wholeOf(await this.#cache.read(key, 0, REGION_BLOCKS));
    this.#cache.count(cached !== undefined);
    if (cached !== undefined) return cached;
    const body = await this.store.get(key);
    if (body !== undefined && body.length < REGION_BYTES) await this.#keep(key, blocksOf(0, body));
    return body;
  }

  override async getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined> {
    if (!isSegmentObject(key) || end <= start) return this.store.getRange(key, start, end);
    const first = Math.floor(start / BLOCK_BYTES);
    const afterLast = Math.ceil(end / BLOCK_BYTES);
    const isAnew = trace?.isAnew === true;
    const blocks: CachedBlocks = isAnew ? new Map() : await this.#cache.read(key, first, afterLast);
    const missing = missingBlocks(blocks, first, afterLast);
    this.#cache.count(missing.length === 0);
    if (trace !== undefined) trace[missing.length === 0 ? "diskReads" : "storeReads"]++;
    const isThere = await Promise.all(
      joinRanges(missing).map((read) => this.#fetch(key, read, { blocks, trace })),
    );
    if (isThere.includes(false)) return undefined;
    return joinBlocks(blocks, start, end);
  }

  /** Reads whole blocks from the store; false if there is no such object. */
  async #fetch(
    key: ObjectKey,
    { start, end }: { readonly start: number; readonly end: number },
    to: { readonly blocks: CachedBlocks; readonly trace: ReadTrace | undefined },
  ): Promise<boolean> {
    const bytes = await this.store.getRange(key, start, end);
    if (bytes === undefined) return false;
    const fresh = blocksOf(start / BLOCK_BYTES, bytes, end / BLOCK_BYTES);
    for (const [block, part] of fresh) to.blocks.set(block, part);
    if (to.trace?.isOnce !== true) await this.#keep(key, fresh);
    return true;
  }

  /** Resolves at once while the disk keeps pace, else when these blocks are written. */
  async #keep(key: ObjectKey, blocks: CachedBlocks): Promise<void> {
    let bytes = 0;
    for (const { length } of blocks.values()) bytes += length;
    this.#pendingBytes += bytes;
    const written = this.#cache.write(key, blocks).finally(() => {
      this.#pendingBytes -= bytes;
    });
    if (this.#pendingBytes > DISK_CACHE_PENDING_BYTES_MAX) await written;
  }
}

/**
 * Cuts bytes into blocks, the first of which has number `first`. Where the object ends there is a
 * short one, which may be empty, and none after it.
 */
function blocksOf(first: number, bytes: Uint8Array, end = first + REGION_BLOCKS): CachedBlocks {
  const blocks: CachedBlocks = new Map();
  for (let block = first; block < end; block++) {
    const at = (block - first) * BLOCK_BYTES;
    const part = bytes.subarray(at, at + BLOCK_BYTES);
    blocks.set(block, part);
    if (part.length < BLOCK_BYTES) break;
  }
  return blocks;
}

/** Runs of blocks that are not there and not behind the object's end, as ranges of bytes. */
function missingBlocks(
  blocks: ReadonlyMap<number, Uint8Array>,
  first: number,
  end: number,
): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (let block = first; block < end; block++) {
    const there = blocks.get(block);
    if (there !== undefined) {
      if (there.length < BLOCK_BYTES) break;
      continue;
    }
    const start = block * BLOCK_BYTES;
    const last = runs.at(-1);
    if (last?.end === start) last.end += BLOCK_BYTES;
    else runs.push({ start, end: start + BLOCK_BYTES });
  }
  return runs;
}

/** The bytes of a range that lies in the blocks, as far as the object goes. */
function joinBlocks(
  blocks: ReadonlyMap<number, Uint8Array>,
  start: number,
  end: number,
): Uint8Array {
  const first = Math.floor(start / BLOCK_BYTES);
  const parts: Uint8Array[] = [];
  for (let block = first; block * BLOCK_BYTES < end; block++) {
    const bytes = blocks.get(block);
    if (bytes === undefined) break;
    const at = block * BLOCK_BYTES;
    parts.push(bytes.subarray(Math.max(0, start - at), Math.max(0, end - at)));
    if (bytes.length < BLOCK_BYTES) break;
  }
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** An object whose blocks are there from its start to its end. */
function wholeOf(blocks: ReadonlyMap<number, Uint8Array>): Uint8Array | undefined {
  for (let block = 0; block < REGION_BLOCKS; block++) {
    const bytes = blocks.get(block);
    if (bytes === undefined) return undefined;
    if (bytes.length < BLOCK_BYTES) return joinBlocks(blocks, 0, REGION_BYTES);
  }
  return undefined;
}
