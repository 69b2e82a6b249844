import { describe, expect, test } from "vitest";
import { writePages } from "../../test/support/segments/write-pages.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { nextTurn } from "../base/next-turn.ts";
import { joinPieces } from "../base/pieces.ts";
import { seededRandom } from "../base/random.ts";
import { oneStep, runSteps, type Steps } from "../base/steps.ts";
import { encodeFramePieces } from "../codec/frame.ts";
import { Arenas } from "../kernel/arena.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import { joinReads, type ReadingSteps, readInPlace } from "../segment/format/reading-steps.ts";
import { SegmentMissing } from "../segment/format/segment-missing.ts";
import { ALWAYS, type ObjectKey, objectKey } from "../storage/object-store.ts";
import { connectCache } from "./cache-reader.ts";
import { CacheService } from "./cache-service.ts";
import { localCachePort } from "./local-cache.ts";
import type { ResidentRanges } from "./resident-ranges.ts";
import type { LookLimits } from "./segment-reads.ts";

/** Counts reads and takes a turn for each. */
class CountedStore extends MemoryObjectStore {
  reads = 0;
  /** What a read waits for, or fails with. */
  before: (start: number) => Promise<void> = async () => {};

  override async getRange(key: ObjectKey, start: number, end: number) {
    this.reads++;
    await new Promise((resolve) => setImmediate(resolve));
    await this.before(start);
    return super.getRange(key, start, end);
  }
}

function contentOf(seed: number, bytes: number): Uint8Array {
  return Uint8Array.from(seededRandom(seed).bytes(bytes));
}

async function put(store: MemoryObjectStore, name: string, content: Uint8Array) {
  const key = objectKey(`namespaces/n-table/0000000001/segments/${name}`);
  const parts = [writePages(content, key)];
  const frame = { kind: "segment", object: key, version: 1, parts, compression: "never" } as const;
  await store.put(key, joinPieces(await encodeFramePieces(frame)), ALWAYS);
  return key;
}

async function bench(bytesMax: number, threads = 1) {
  const store = new CountedStore();
  const content = contentOf(1, MIB + 12_345);
  const key = await put(store, "a", content);
  const arenas = new Arenas({ totalBytes: bytesMax, threads: 1, arenaBytes: MIB });
  const service = new CacheService({ store, arenas, nextTurn });
  const readers = Array.from({ length: threads }, () => connectCache(localCachePort(service)));
  return { store, content, key, arenas, service, readers };
}

describe("a cache", () => {
  test("gives the bytes of any range, at addresses that keep their alignment", async () => {
    const { content, key, readers } = await bench(8 * MIB);
    const [reader] = readers;
    const source = reader.sourceOf(key, content.length);
    const random = seededRandom(2);
    for (let i = 0; i < 60; i++) {
      const start = random.below(content.length);
      const end = Math.min(content.length, start + random.below(200_000));
      const { bytes, offset } = await reader.run(() => source.place(start, end));
      expect(Buffer.compare(bytes, content.subarray(start, end))).toBe(0);
      if (end > start) expect(offset % 64).toBe(start % 64);
    }
  });

  test("reads near ranges together, and a range once for all who want it", async () => {
    const { store, content, key, readers } = await bench(8 * MIB, 3);
    const attempt = (reader: (typeof readers)[number]) => () => {
      const source = reader.sourceOf(key, content.length);
      const looks = [0, 70_000, 140_000].map((at) => () => source.place(at, at + 100));
      return attemptAll(looks).map(({ bytes }) => bytes[0]);
    };
    const steps = (reader: (typeof readers)[number]) => () => oneStep(attempt(reader));
    const take = async <T>(work: Steps<T>) => runSteps(work);
    const found = await Promise.all(
      readers.map((reader) => reader.runCounted(steps(reader), take)),
    );
    for (const { result, stats } of found) {
      expect(result).toEqual([content[0], content[70_000], content[140_000]]);
      expect(stats.rounds).toBe(1);
    }
    expect(store.reads).toBe(1);
    expect(found.filter(({ stats }) => stats.storeBytes > 0)).toHaveLength(1);
    // All of them waited for the store.
    expect(found.map(({ stats }) => stats.origin)).toEqual(["store", "store", "store"]);
    for (const reader of readers) {
      expect((await reader.runCounted(steps(reader), take)).stats.origin).toBe("memory");
    }
  });

  test("forgets what was used longest ago when it is full, and no more is in memory", async () => {
    const { content, key, arenas, readers } = await bench(256 * 1024, 2);
    const random = seededRandom(3);
    for (let i = 0; i < 200; i++) {
      const reader = readers[random.below(2)];
      const source = reader.sourceOf(key, content.length);
      const start = random.below(content.length - 100);
      const { bytes } = await reader.run(() => source.place(start, start + 100));
      expect(Buffer.compare(bytes, content.subarray(start, start + 100))).toBe(0);
      expect(arenas.usedBytes).toBeLessThanOrEqual(256 * 1024);
    }
  });

  test("refuses a run that needs more at once than fits", async () => {
    const { content, key, readers } = await bench(256 * 1024);
    const [reader] = readers;
    const source = reader.sourceOf(key, content.length);
    const error = await reader.run(() => source.place(0, MIB)).catch((thrown: unknown) => thrown);
    expect(isDatabaseError(error, "out_of_memory")).toBe(true);
    expect((await reader.run(() => source.place(0, 100))).bytes[0]).toBe(content[0]);
  });

  test("finds room where its readers forget different ranges first", async () => {
    const { content, key, arenas, readers } = await bench(8 * 64 * 1024, 3);
    const read = async (reader: (typeof readers)[number], window: number) => {
      const start = window * 64 * 1024;
      const source = reader.sourceOf(key, content.length);
      const { bytes } = await reader.run(() => source.place(start, start + 100));
      expect(Buffer.compare(bytes, content.subarray(start, start + 100))).toBe(0);
    };
    const all = [0, 1, 2, 3, 4, 5, 6, 7];
    for (const window of all) await read(readers[0], window);
    for (const window of all.toReversed()) await read(readers[1], window);
    for (const window of [3, 7, 0, 4, 1, 5, 2, 6]) await read(readers[2], window);
    for (const window of [8, 9, 10, 11, 12]) {
      for (const reader of readers) await read(reader, window);
    }
    expect(arenas.usedBytes).toBeLessThanOrEqual(8 * 64 * 1024);
  });

  test("a load that fails lets go of what it held, not of what was read since", async () => {
    const { store, content, key, arenas, readers } = await bench(8 * MIB);
    const [reader] = readers;
    const source = reader.sourceOf(key, content.length);
    const look = (at: number) => () => source.place(at, at + 100);
    let isBroken = true;
    const slow = Promise.withResolvers<void>();
    store.before = async (start) => {
      if (start > 500_000) await slow.promise;
      else if (isBroken) throw new DatabaseError("unavailable", "the first read breaks");
    };
    const both = reader.run(() => attemptAll([look(0), look(MIB)]));
    both.catch(() => undefined);
    while (store.reads < 2) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    isBroken = false;
    await reader.run(look(0));
    slow.resolve();
    await expect(both).rejects.toThrow("the first read breaks");
    store.before = async () => {};
    // If its memory had been given back, these would lie there now.
    for (const at of [200_000, 300_000, 400_000]) await reader.run(look(at));
    const { bytes } = await reader.run(look(0));
    expect(Buffer.compare(bytes, content.subarray(0, 100))).toBe(0);
    await reader.purge([key]);
    expect(arenas.usedBytes).toBe(0);
  });

  test("objects with nothing in memory are not remembered, whatever became of them", async () => {
    const { store, content, readers } = await bench(256 * 1024);
    const [reader] = readers;
    const part = content.subarray(0, 100_000);
    for (let i = 0; i < 20; i++) {
      const key = await put(store, `o${i}`, part);
      const source = reader.sourceOf(key, part.length);
      const { bytes } = await reader.run(() => source.place(70_000, 70_010));
      expect(Buffer.compare(bytes, part.subarray(70_000, 70_010))).toBe(0);
      const gone = reader.sourceOf(objectKey(`${key}-gone`), 1_000);
      await expect(reader.run(() => gone.place(0, 10))).rejects.toBeInstanceOf(SegmentMissing);
      reader.sourceOf(objectKey(`${key}-never-read`), 1_000);
      expect(reader.objectCount).toBeLessThanOrEqual(Math.min(i + 1, 8));
    }
    const all = Array.from({ length: 20 }, (_, i) =>
      objectKey(`namespaces/n-table/0000000001/segments/o${i}`),
    );
    await reader.purge(all);
    expect(reader.objectCount).toBe(0);
  });

  test("purging makes every thread read again", async () => {
    const { store, content, key, arenas, readers } = await bench(8 * MIB, 2);
    for (const reader of readers) {
      await reader.run(() => reader.sourceOf(key, content.length).place(0, 100));
    }
    await readers[0].purge([key]);
    expect(arenas.usedBytes).toBe(0);
    const { reads } = store;
    await readers[1].run(() => readers[1].sourceOf(key, content.length).place(0, 100));
    expect(store.reads).toBe(reads + 1);
  });

  test("an object that is gone, and one that is damaged, are different errors", async () => {
    const { store, content, key, arenas, readers } = await bench(8 * MIB);
    const [reader] = readers;
    const gone = objectKey("namespaces/n-table/0000000001/segments/gone");
    const missing = reader.run(() => reader.sourceOf(gone, 1000).place(0, 10));
    await expect(missing).rejects.toBeInstanceOf(SegmentMissing);
    const object = Uint8Array.from((await store.get(key)) ?? []);
    object[200] ^= 1;
    await store.put(key, object, ALWAYS);
    const damaged = reader.run(() => reader.sourceOf(key, content.length).place(0, 10));
    await expect(damaged).rejects.toThrow(`cannot read ${key}`);
    expect(arenas.usedBytes).toBe(0);
  });

  describe("ahead of readers", () => {
    const KEPT = 64 * 1024;
    const lookAt = (reader: ResidentRanges, of: { key: ObjectKey; content: Uint8Array }) => {
      const source = reader.sourceOf(of.key, of.content.length);
      const look = (window: number) => () => void source.place(window * KEPT, window * KEPT + 10);
      const isThere = (window: number) => reader.missingOf(look(window)).length === 0;
      const all = (windows: number[]) => () => void attemptAll(windows.map(look));
      return {
        use: (window: number) => reader.run(look(window)),
        prefetch: (windows: number[]) => reader.prefetch(reader.missingOf(all(windows))),
        thoseThere: () => Array.from({ length: 16 }, (_, i) => i).filter(isThere),
      };
    };

    test("ranges are loaded as long as half of the cache is free", async () => {
      const { store, readers, arenas, service, ...object } = await bench(8 * KEPT, 2);
      const [first, second] = readers.map((reader) => lookAt(reader, object));
      await first.use(9);
      expect(await first.prefetch([1, 2])).toBe(true);
      expect(await first.prefetch([3, 4, 5])).toBe(false);
      expect(first.thoseThere()).toEqual([1, 2, 3, 9]);
      const { reads } = store;
      expect(await second.prefetch([1, 2])).toBe(true);
      expect(store.reads).toBe(reads);
      await second.use(10);
      expect(await second.prefetch([3, 11])).toBe(false);
      expect(second.thoseThere()).toEqual([1, 2, 3, 10]);
      expect(arenas.usedBytes).toBe(5 * KEPT);
      expect(service.stats.shrinks).toBe(0);
    });

    test("what was loaded is forgotten first, until it is used", async () => {
      const { store, readers, service, arenas: _, ...object } = await bench(4 * KEPT);
      const { use, prefetch, thoseThere } = lookAt(readers[0], object);
      await prefetch([1, 2]);
      await use(9);
      await use(10);
      await use(2);
      await prefetch([1, 9, 10]);
      await use(11);
      expect(thoseThere()).toEqual([2, 9, 10, 11]);
      await use(12);
      expect(thoseThere()).toEqual([2, 10, 11, 12]);
      expect([store.reads, service.stats.shrinks]).toEqual([5, 2]);
    });

    test("a look ends when it misses enough, and passes over what is long", async () => {
      const { readers, key, content } = await bench(8 * KEPT);
      const source = readers[0].sourceOf(key, content.length);
      let looks = 0;
      const all = () =>
        void attemptAll(
          [3, 4, 4, 5, 6, 7].map((window) => () => {
            looks++;
            return source.place(window * KEPT, window * KEPT + 10);
          }),
        );
      const starts = (limits?: LookLimits) =>
        readers[0].missingOf(all, limits).map(({ start }) => start / KEPT);
      expect(starts()).toEqual([3, 4, 5, 6, 7]);
      expect(looks).toBe(6);
      expect(starts({ bytesMax: 3 * KEPT })).toEqual([3, 4, 5]);
      expect(looks).toBe(6 + 4);
      expect(starts({ rangeBytesMax: KEPT - 1 })).toEqual([]);
    });

    test("a load tells of room only where there is some", async () => {
      const { readers, ...object } = await bench(4 * KEPT);
      const [reader] = readers;
      const source = reader.sourceOf(object.key, object.content.length);
      const isRoomy: boolean[] = [];
      for (const window of [0, 0, 1, 2]) {
        const steps = () => oneStep(() => source.place(window * KEPT, window * KEPT + 10));
        const { stats } = await reader.runCounted(steps, async (work) => runSteps(work));
        isRoomy.push(stats.isRoomy);
      }
      expect(isRoomy).toEqual([true, false, true, false]);
    });
  });

  describe("steps that request bytes", () => {
    const take = async <T>(work: Steps<T>) => runSteps(work);

    async function reading(bytesMax = 8 * MIB) {
      const { store, content, key, readers } = await bench(bytesMax);
      const [reader] = readers;
      const source = reader.sourceOf(key, content.length);
      const log: string[] = [];
      /** Looks at windows one after the other, each with work that must not be done twice. */
      function* windows(indexes: readonly number[]): ReadingSteps<number[]> {
        const found: number[] = [];
        try {
          for (const index of indexes) {
            const look = () => oneStep(() => source.place(index * WINDOW, index * WINDOW + 1));
            const { bytes } = yield* readInPlace(look);
            log.push(`read ${index}`);
            found.push(bytes[0]);
            yield;
          }
          return found;
        } finally {
          log.push("ended");
        }
      }
      /** Whether so many windows can be in memory together now. */
      const fits = async (indexes: readonly number[]) => {
        const looks = indexes.map((i) => () => source.place(i * WINDOW, i * WINDOW + 1));
        return reader
          .run(() => attemptAll(looks))
          .then(
            () => true,
            () => false,
          );
      };
      return { store, content, reader, source, log, windows, fits };
    }

    const WINDOW = 64 * 1024;

    test("continue where they were, and do nothing twice", async () => {
      const { content, reader, log, windows } = await reading();
      let begun = 0;
      let waited = 0;
      const attempt = () => {
        begun++;
        return joinReads([windows([0, 1, 2]), windows([5, 6])]);
      };
      const { result, stats } = await reader.runCounted(attempt, take, () => waited++);
      expect(result).toEqual([
        [content[0], content[WINDOW], content[2 * WINDOW]],
        [content[5 * WINDOW], content[6 * WINDOW]],
      ]);
      expect([begun, waited, stats.rounds, stats.loadedBytes]).toEqual([1, 3, 3, 5 * WINDOW]);
      expect(log.sort()).toEqual(
        ["ended", "ended", "read 0", "read 1", "read 2", "read 5", "read 6"].sort(),
      );
    });

    test("keep what was loaded for them until they end, and no longer", async () => {
      const { reader, store, windows, fits } = await reading(4 * WINDOW);
      const during: boolean[] = [];
      let rounds = 0;
      const waits = () => {
        if (++rounds < 3) return;
        // Two windows are loaded, the third has its memory: there is room for one more.
        store.before = async () => {
          store.before = async () => {};
          during.push(await fits([8]), await fits([8, 9]));
        };
      };
      const { stats } = await reader.runCounted(() => windows([0, 1, 2]), take, waits);
      expect([stats.rounds, during]).toEqual([3, [true, false]]);
      expect(await fits([8, 9, 10, 11])).toBe(true);
    });

    test("end while they wait for bytes, if their turn is over", async () => {
      const { reader, log, windows, fits } = await reading(4 * WINDOW);
      let turns = 0;
      const ends = async <T>(work: Steps<T>) => {
        if (turns++ > 1) throw new Error("the query was ended");
        return runSteps(work);
      };
      const ended = reader.runCounted(() => joinReads([windows([0, 1]), windows([2])]), ends);
      await expect(ended).rejects.toThrow("the query was ended");
      expect(log).toEqual(["read 0", "read 2", "ended", "ended"]);
      expect(await fits([8, 9, 10, 11])).toBe(true);
    });

    test("end if loading fails, with what it has failed with", async () => {
      const { reader, log, windows } = await reading(2 * WINDOW);
      const parts = () => joinReads([windows([0]), windows([1]), windows([2])]);
      const failed = reader.runCounted(parts, take);
      await expect(failed).rejects.toThrow("out of memory for reading");
      expect(log).toEqual(["ended", "ended", "ended"]);
    });

    test("that throw begin again", async () => {
      const { reader, source, windows } = await reading();
      let begun = 0;
      const attempt = function* (): ReadingSteps<number[]> {
        begun++;
        source.place(7 * WINDOW, 7 * WINDOW + 1);
        return yield* windows([0]);
      };
      const { stats } = await reader.runCounted(attempt, take);
      expect([begun, stats.rounds]).toEqual([2, 2]);
    });
  });

  test("a view that is opened again after it was forgotten sees no stale bytes", async () => {
    const { content, key, readers } = await bench(8 * MIB);
    const [reader] = readers;
    const old = reader.sourceOf(key, content.length);
    await reader.run(() => old.place(0, 100));
    const before = old.epoch;
    reader.forget(key);
    const next = reader.sourceOf(key, content.length);
    expect(old.epoch).not.toBe(before);
    await reader.run(() => next.place(0, 100));
    const between = old.epoch;
    expect((await reader.run(() => old.place(0, 100))).bytes[5]).toBe(content[5]);
    await reader.purge([key]);
    expect(old.epoch).not.toBe(between);
  });
});
