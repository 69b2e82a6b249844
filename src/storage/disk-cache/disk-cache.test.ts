import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeObjectStore, LARGE_BODIES } from "../../../test/conformance/object-store.ts";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { effort } from "../../../test/support/effort.ts";
import { directoryForEach } from "../../../test/support/stores/directory-for-each.ts";
import {
  DiskCacheFixture,
  expectSame,
  segmentAt,
  setFilesOf,
} from "../../../test/support/stores/disk-cache-fixture.ts";
import type { FileCall } from "../../../test/support/stores/faulty-files.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { ALWAYS, objectKey } from "../object-store.ts";
import { DISK_CACHE_FILES_MAX, DiskCache } from "./disk-cache.ts";
import {
  BLOCK_BYTES,
  DISK_CACHE_TOUCH_MS,
  decodeSetHead,
  encodeSlotHead,
  REGION_BYTES,
  SET_BYTES,
  SLOT_COUNT,
  setsFor,
} from "./disk-cache-layout.ts";
import { DiskCacheStore } from "./disk-cache-store.ts";

let root: string;
directoryForEach("made/cache", (path) => {
  root = path;
});

/** Only segments are cached; all else passes through. */
const leftOut = effort({ usual: [LARGE_BODIES], full: [] });

const openStore = async () => {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const cache = new DiskCache({ directory: directory.path, bytesMax: 0, clock });
  const store = new DiskCacheStore(new MemoryObjectStore(), cache);
  return { store, close: () => directory.remove() };
};

describeObjectStore("DiskCacheStore", openStore, leftOut);

describe("a disk cache", () => {
  test("answers what was read before, also after a restart", async () => {
    const fixture = new DiskCacheFixture(root);
    const body = await fixture.put(3 * REGION_BYTES + 12_345);
    const read = () => fixture.store.getRange(segmentAt(0), 100_000, 2_500_000);
    expect(await fixture.cost(read)).toBe(1);
    expect(await fixture.cost(read)).toBe(0);
    fixture.restart();
    expect(await fixture.cost(read)).toBe(0);
    expectSame(await read(), body.subarray(100_000, 2_500_000));
    expect(fixture.cache.stats).toMatchObject({ hits: 2, misses: 0, evictions: 0, faults: 0 });
    expect(await fixture.cost(() => fixture.store.getRange(segmentAt(0), 150_000, 150_001))).toBe(
      0,
    );
    // Blocks that are missing in the middle are one read.
    expect(await fixture.cost(() => fixture.store.getRange(segmentAt(0), 0, body.length))).toBe(2);
    expect(await fixture.cost(() => fixture.check(body))).toBe(0);
  });

  test("knows where objects end", async () => {
    const fixture = new DiskCacheFixture(root);
    for (const size of [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, REGION_BYTES, REGION_BYTES + 1]) {
      const body = await fixture.put(size, segmentAt(size));
      const read = () => fixture.store.getRange(segmentAt(size), 0, 3 * REGION_BYTES);
      expect(await fixture.cost(read)).toBe(1);
      expect(await fixture.cost(read)).toBe(0);
      expectSame(await read(), body);
      expect(await fixture.store.getRange(segmentAt(size), size, size + 9)).toHaveLength(0);
      expect(await fixture.store.getRange(segmentAt(size), 5, 5)).toHaveLength(0);
    }
  });

  test("does not take an absent object for one that stays absent", async () => {
    const fixture = new DiskCacheFixture(root);
    expect(await fixture.store.getRange(segmentAt(0), 0, 9)).toBeUndefined();
    expect(await fixture.store.get(segmentAt(0))).toBeUndefined();
    const body = await fixture.put(9);
    expectSame(await fixture.store.getRange(segmentAt(0), 0, 9), body);
  });

  test("keeps small objects that are read whole, and no large ones", async () => {
    const fixture = new DiskCacheFixture(root);
    const small = await fixture.put(100_000);
    expect(await fixture.cost(() => fixture.store.get(segmentAt(0)))).toBe(1);
    fixture.restart();
    expect(await fixture.cost(() => fixture.store.get(segmentAt(0)))).toBe(0);
    expectSame(await fixture.store.get(segmentAt(0)), small);
    await fixture.put(REGION_BYTES, segmentAt(1));
    expect(await fixture.cost(() => fixture.store.get(segmentAt(1)))).toBe(1);
    expect(await fixture.cost(() => fixture.store.get(segmentAt(1)))).toBe(1);
  });

  test("keeps nothing of what is read once, and has what it has", async () => {
    const fixture = new DiskCacheFixture(root);
    await fixture.put(2 * REGION_BYTES);
    const once = () => ({ isOnce: true, diskReads: 0, storeReads: 0 });
    const read = () => fixture.store.getRange(segmentAt(0), 0, REGION_BYTES, once());
    for (let i = 0; i < 2; i++) expect(await fixture.cost(read)).toBe(1);
    await fixture.store.getRange(segmentAt(0), 0, REGION_BYTES);
    await fixture.cache.whenIdle();
    expect(await fixture.cost(read)).toBe(0);
  });

  test("passes on everything that is no segment", async () => {
    const fixture = new DiskCacheFixture(root);
    const key = objectKey("namespaces/n-table/0000000001/wal/00000000000000000001");
    await fixture.put(9, key);
    for (const read of [() => fixture.store.get(key), () => fixture.store.getRange(key, 0, 5)]) {
      for (let i = 0; i < 2; i++) expect(await fixture.cost(read)).toBe(1);
    }
  });

  test("says where bytes came from", async () => {
    const fixture = new DiskCacheFixture(root);
    await fixture.put(500_000);
    const trace = { diskReads: 0, storeReads: 0 };
    await fixture.store.getRange(segmentAt(0), 0, 10, trace);
    expect(trace).toEqual({ diskReads: 0, storeReads: 1 });
    await fixture.cache.whenIdle();
    await fixture.store.getRange(segmentAt(0), 0, 10, trace);
    expect(trace).toEqual({ diskReads: 1, storeReads: 1 });
    await fixture.store.getRange(segmentAt(0), 0, 100_000, trace);
    expect(trace).toEqual({ diskReads: 1, storeReads: 2 });
  });

  test("forgets what is purged, and nothing else", async () => {
    const fixture = new DiskCacheFixture(root);
    for (const index of [1, 2]) {
      await fixture.put(2 * REGION_BYTES, segmentAt(index));
      await fixture.store.getRange(segmentAt(index), 0, 2 * REGION_BYTES);
    }
    await fixture.cache.purge([segmentAt(1), segmentAt(7)]);
    expect(await fixture.cost(() => fixture.store.getRange(segmentAt(2), 0, REGION_BYTES))).toBe(0);
    expect(await fixture.cost(() => fixture.store.getRange(segmentAt(1), 0, REGION_BYTES))).toBe(1);
  });

  test("lets nobody else read its files", async () => {
    const fixture = new DiskCacheFixture(root);
    await fixture.check(await fixture.put(10));
    expect((await stat(root)).mode & 0o777).toBe(0o700);
    for (const path of await setFilesOf(root)) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

test("a disk cache writes through no link", async () => {
  const fixture = new DiskCacheFixture(root);
  await fixture.check(await fixture.put(10));
  const sets = await setFilesOf(root);
  const victim = join(root, "victim");
  await writeFile(victim, "untouched");
  expect(sets.length).toBeGreaterThan(0);
  for (const path of sets) {
    await rm(path);
    await symlink(victim, path);
  }
  await fixture.check(await fixture.put(10, segmentAt(1)));
  expect(await readFile(victim, "utf8")).toBe("untouched");
});

describe("a disk cache is bounded", () => {
  test("its files stay under the limit, and a put does bounded work", async () => {
    const fixture = new DiskCacheFixture(root, 3); // One of them is for tombstones.
    const calls: FileCall[] = [];
    for (let index = 0; index < 3 * SLOT_COUNT; index++) {
      await fixture.put(BLOCK_BYTES + 1, segmentAt(index), index);
      await fixture.clock.advance(1);
      calls.length = 0;
      fixture.faults.before = (call) => calls.push(call);
      await fixture.store.getRange(segmentAt(index), 0, BLOCK_BYTES);
      await fixture.cache.whenIdle();
      // A look that finds nothing, then the heads, the block and its slot's head.
      expect(calls.length, calls.join()).toBeLessThanOrEqual(10);
    }
    const sizes = await Promise.all(
      (await setFilesOf(root)).map(async (path) => (await stat(path)).size),
    );
    expect(sizes.length).toBe(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(SET_BYTES);
    expect(fixture.cache.stats.evictions).toBe(SLOT_COUNT);
  });

  test("few files are open at once", async () => {
    const fixture = new DiskCacheFixture(root, 40);
    const bytes = 32 * REGION_BYTES;
    await fixture.put(bytes);
    const read = () => fixture.store.getRange(segmentAt(0), 0, bytes);
    await fixture.cost(read);
    let open = 0;
    let most = 0;
    fixture.faults.before = (call) => {
      if (call === "open") most = Math.max(most, ++open);
      if (call === "close") open--;
    };
    expect(await fixture.cost(read)).toBe(0);
    expect(most).toBe(DISK_CACHE_FILES_MAX);
  });

  test("what was used longest ago goes first", async () => {
    const fixture = new DiskCacheFixture(root, 1);
    const read = (index: number) => fixture.store.getRange(segmentAt(index), 0, 9);
    for (let index = 0; index <= SLOT_COUNT; index++) await fixture.put(9, segmentAt(index), index);
    for (let index = 0; index < SLOT_COUNT; index++) {
      await fixture.cost(() => read(index));
      await fixture.clock.advance(1);
    }
    await fixture.clock.advance(DISK_CACHE_TOUCH_MS);
    expect(await fixture.cost(() => read(0))).toBe(0); // Used again.
    await fixture.clock.advance(1);
    expect(await fixture.cost(() => read(SLOT_COUNT))).toBe(1); // Takes the place of 1.
    expect(await fixture.cost(() => read(0))).toBe(0);
    expect(await fixture.cost(() => read(1))).toBe(1);
  });

  test("what a clock that ran ahead has noted goes, too", async () => {
    const ahead = new DiskCacheFixture(root, 1);
    await ahead.clock.advance(1_000 * DISK_CACHE_TOUCH_MS);
    const fixture = new DiskCacheFixture(root, 1);
    const count = 2 * SLOT_COUNT;
    for (const { plain } of [ahead, fixture]) {
      for (let index = 0; index < count; index++) {
        await plain.put(segmentAt(index), new Uint8Array(9), ALWAYS);
      }
    }
    const read = ({ store }: DiskCacheFixture, index: number) =>
      store.getRange(segmentAt(index), 0, 9);
    for (let index = 0; index < SLOT_COUNT; index++) {
      await ahead.cost(() => read(ahead, index));
    }
    for (let index = SLOT_COUNT; index < count; index++) {
      await fixture.cost(() => read(fixture, index));
      await fixture.clock.advance(1);
    }
    for (let index = SLOT_COUNT; index < count; index++) {
      expect(await fixture.cost(() => read(fixture, index)), `${index}`).toBe(0);
    }
  });

  test("a smaller cache removes what the larger one had", async () => {
    const fixture = new DiskCacheFixture(root, 8);
    for (let index = 0; index < 40; index++) {
      await fixture.put(9, segmentAt(index));
      await fixture.store.getRange(segmentAt(index), 0, 9);
    }
    await fixture.cache.whenIdle();
    expect((await setFilesOf(root)).length).toBe(7);
    await writeFile(join(root, "not ours"), "");
    const clock = new ManualClock();
    await new DiskCache({ directory: root, bytesMax: 3 * SET_BYTES, clock }).trim();
    expect((await setFilesOf(root)).length).toBe(2 + 1);
  });
});

test("tombstones have sets of their own", () => {
  for (const setCount of [2, 16, 17, 640]) {
    const tombstones = setsFor(objectKey(`${segmentAt(1)}.live-2-00`), setCount);
    const segments = setsFor(segmentAt(1), setCount);
    expect(tombstones).toEqual({ first: 0, count: Math.ceil(setCount / 16) });
    expect(segments.first).toBe(tombstones.count);
    expect(segments.first + segments.count).toBe(setCount);
  }
  expect(setsFor(segmentAt(1), 1)).toEqual({ first: 0, count: 1 });
});

test("heads of slots come back as they were, and nothing else is one", () => {
  const head = {
    id: "00112233445566778899aabbccddeeff",
    region: 1023,
    usedMs: 1_767_225_600_123,
    blocks: Array.from({ length: 16 }, (_, i) =>
      i % 3 === 0 ? undefined : { length: i * 4096, checksum: 0xffff_ffff - i },
    ),
  };
  const bytes = encodeSlotHead(head);
  const slots = decodeSetHead(Buffer.concat([new Uint8Array(256), bytes, bytes.subarray(1)]));
  expect(slots).toEqual([undefined, head, ...Array.from({ length: 14 }, () => undefined)]);
});
