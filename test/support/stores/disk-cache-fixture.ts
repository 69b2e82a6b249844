/** A plain store behind disk caches in one directory, and what goes wrong with that. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { CountingObjectStore } from "../../../src/storage/counting-object-store.ts";
import { DiskCache } from "../../../src/storage/disk-cache/disk-cache.ts";
import { SET_BYTES } from "../../../src/storage/disk-cache/disk-cache-layout.ts";
import { DiskCacheStore } from "../../../src/storage/disk-cache/disk-cache-store.ts";
import { ALWAYS, type ObjectKey, objectKey } from "../../../src/storage/object-store.ts";
import { ManualClock } from "../clocks/manual-clock.ts";
import { type FileFaults, faultyFiles } from "./faulty-files.ts";
import { MemoryObjectStore } from "./memory-object-store.ts";

/** Stores over one plain store, with caches in one directory. */
export class DiskCacheFixture {
  readonly plain = new MemoryObjectStore();
  readonly counting = new CountingObjectStore(this.plain);
  readonly clock = new ManualClock();
  readonly faults: FileFaults = {};
  readonly reasons: string[] = [];
  cache: DiskCache;
  store: DiskCacheStore;
  readonly #root: string;
  readonly #setCount: number;

  constructor(root: string, setCount = 4) {
    this.#root = root;
    this.#setCount = setCount;
    [this.cache, this.store] = this.another();
  }

  /** Another process, or the same after a restart. */
  another(): [DiskCache, DiskCacheStore] {
    const cache = new DiskCache({
      directory: this.#root,
      bytesMax: this.#setCount * SET_BYTES,
      clock: this.clock,
      files: faultyFiles(this.faults),
      onFault: (reason) => this.reasons.push(reason),
    });
    return [cache, new DiskCacheStore(this.counting, cache)];
  }

  /** The caller's cache forgets all that is not on the disk. */
  restart(): void {
    [this.cache, this.store] = this.another();
  }

  /** Puts a random object. */
  async put(bytes: number, key = segmentAt(0), seed = 1): Promise<Uint8Array> {
    const body = randomBody(seededRandom(seed), bytes);
    await this.plain.put(key, body, ALWAYS);
    return body;
  }

  /** Requests to the plain store that `act` costs. */
  async cost(act: () => Promise<unknown>): Promise<number> {
    const before = this.counting.counts().requests;
    await act();
    await this.cache.whenIdle();
    const { get, getRange } = this.counting.counts().requests;
    return get - before.get + getRange - before.getRange;
  }

  /** Reads a range twice and compares both answers with the body's. */
  async check(body: Uint8Array, start = 0, end = body.length): Promise<void> {
    for (const round of ["first", "second"]) {
      const read = await this.store.getRange(segmentAt(0), start, end);
      expectSame(read, body.subarray(start, end), `${round} read of ${start} to ${end}`);
      await this.cache.whenIdle();
    }
  }
}

function randomBody(random: Random, bytes: number): Uint8Array {
  const tile = random.bytes(4093);
  const body = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += tile.length) body.set(tile.subarray(0, bytes - at), at);
  return body;
}

/** Compares large arrays fast. */
export function expectSame(
  read: Uint8Array | undefined,
  expected: Uint8Array,
  message?: string,
): void {
  const isSame = read !== undefined && Buffer.compare(read, expected) === 0;
  expect(isSame, message).toBe(true);
}

/** Keys of segments. */
export function segmentAt(index: number): ObjectKey {
  return objectKey(`namespaces/n-table/0000000001/segments/s${index}`);
}

/** Paths of all files of a cache. */
export async function setFilesOf(root: string): Promise<string[]> {
  return (await readdir(root)).sort().map((name) => join(root, name));
}
