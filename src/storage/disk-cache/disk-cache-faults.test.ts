import { chmod, mkdir, open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runScript, startScript } from "../../../test/support/processes/run-script.ts";
import { directoryForEach } from "../../../test/support/stores/directory-for-each.ts";
import {
  DiskCacheFixture,
  expectSame,
  segmentAt,
  setFilesOf,
} from "../../../test/support/stores/disk-cache-fixture.ts";
import { type FileCall, systemError } from "../../../test/support/stores/faulty-files.ts";
import { seededRandom } from "../../base/random.ts";
import { DISK_CACHE_REST_MS } from "./disk-cache.ts";
import {
  BLOCK_BYTES,
  blockPosition,
  REGION_BYTES,
  SET_HEAD_BYTES,
  SLOT_HEAD_BYTES,
} from "./disk-cache-layout.ts";

let root: string;
directoryForEach("made/cache", (path) => {
  root = path;
});

describe("at the start", () => {
  test("a directory that cannot be one is refused", async () => {
    const fixture = new DiskCacheFixture(root);
    await fixture.cache.prepare();
    await rm(root, { recursive: true });
    await writeFile(root, "a file");
    await expect(fixture.cache.prepare()).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(
        `^cannot use --disk-cache-dir ${root}: ENOTDIR: .*; choose another directory, or say --d`,
      ),
    });
    fixture.faults.before = () => {
      throw systemError("EACCES");
    };
    await expect(fixture.cache.prepare()).rejects.toThrow("EACCES: injected; choose another");
  });

  test.each(["ENOSPC", "EIO"])("a disk with %s is left alone for a while", async (code) => {
    const fixture = new DiskCacheFixture(root);
    fixture.faults.before = () => {
      throw systemError(code);
    };
    await fixture.cache.prepare();
    expect(fixture.reasons).toEqual([`cannot write ${root}: ${code}: injected`]);
  });
});

describe("a disk that fails costs speed only:", () => {
  const CODES = ["ENOSPC", "EROFS", "EIO", "EACCES", "EMFILE", "ENOENT"];
  const CALLS: FileCall[] = ["open", "read", "write", "close", "mkdir", "readdir"];

  /** In quick runs two codes for each call, and two calls for each code. */
  const stride = effort({ usual: 3, full: 1 });
  const pairs = CALLS.flatMap((call, i) =>
    CODES.filter((_, j) => (i + j) % stride === 0).map((code) => [call, code] as const),
  );

  test.each(pairs)("%s with %s", async (failing, code) => {
    for (const isFilled of [false, true]) {
      const fixture = new DiskCacheFixture(root);
      const body = await fixture.put(300_000);
      if (isFilled) await fixture.check(body);
      fixture.restart();
      fixture.faults.before = (call) => {
        if (call === failing) throw systemError(code);
      };
      await fixture.check(body, 1_000, 299_000);
      expectSame(await fixture.store.get(segmentAt(0)), body);
      await fixture.cache.purge([segmentAt(0)]);
      await fixture.cache.trim();
      fixture.faults.before = () => {};
      await fixture.clock.advance(DISK_CACHE_REST_MS);
      await fixture.check(body);
      expect(await fixture.cost(() => fixture.check(body))).toBe(0);
    }
  });

  test("a disk that failed is left alone for a while, and that is said once", async () => {
    const fixture = new DiskCacheFixture(root);
    const body = await fixture.put(300_000);
    let calls = 0;
    fixture.faults.before = () => {
      calls++;
      throw systemError("EIO");
    };
    await fixture.check(body);
    expect(fixture.cache.stats.faults).toBeGreaterThan(0);
    const after = calls;
    await fixture.check(body);
    expect(calls).toBe(after);
    expect(fixture.reasons.toSorted()).toEqual([
      expect.stringContaining(`cannot read ${root}: EIO`),
      expect.stringContaining(`cannot write ${root}: EIO`),
    ]);
  });

  test("a disk that can only be read still answers", async () => {
    const fixture = new DiskCacheFixture(root);
    const body = await fixture.put(300_000);
    await fixture.check(body, 0, BLOCK_BYTES);
    fixture.faults.before = (call) => {
      if (call === "write") throw systemError("EROFS");
    };
    expect(await fixture.cost(() => fixture.check(body))).toBe(2);
    expect(await fixture.cost(() => fixture.store.getRange(segmentAt(0), 0, 9))).toBe(0);
  });

  test("reads and writes may move fewer bytes than asked for", async () => {
    const fixture = new DiskCacheFixture(root);
    const body = await fixture.put(200_000);
    fixture.faults.movedMax = 7_777;
    await fixture.check(body);
    expect(await fixture.cost(() => fixture.check(body))).toBe(0);
  });

  test("files that are removed, cut, emptied or no files at all", async () => {
    const ruins: ((path: string) => Promise<unknown>)[] = [
      (path) => rm(path),
      (path) => truncate(path, 0),
      (path) => truncate(path, 100),
      (path) => truncate(path, SET_HEAD_BYTES + 1000),
      (path) => chmod(path, 0),
      (path) => rm(path).then(() => mkdir(path)),
    ];
    for (const ruin of ruins) {
      const fixture = new DiskCacheFixture(root);
      const body = await fixture.put(300_000);
      await fixture.check(body);
      for (const path of await setFilesOf(root)) await ruin(path);
      await fixture.check(body);
      await rm(root, { recursive: true });
      await fixture.check(body);
    }
  });

  test("the whole directory is removed underneath, or is a file", async () => {
    const fixture = new DiskCacheFixture(root);
    const body = await fixture.put(300_000);
    await fixture.check(body);
    await rm(root, { recursive: true });
    await fixture.check(body);
    expect(await fixture.cost(() => fixture.check(body))).toBe(0);
    await rm(root, { recursive: true });
    await writeFile(root, "a file");
    await fixture.check(body);
    await fixture.check(body);
  });

  test("any flipped bit of a file is found", async () => {
    const fixture = new DiskCacheFixture(root, 1);
    const body = await fixture.put(1_000);
    await fixture.check(body);
    const [path] = await setFilesOf(root);
    const whole = await readFile(path);
    const slot = whole.subarray(0, SET_HEAD_BYTES).indexOf("TRWD") / SLOT_HEAD_BYTES;
    const blockAt = blockPosition(slot, 0);
    const file = await open(path, "r+");
    const write = async (bytes: Buffer) => {
      await file.write(bytes, 0, SET_HEAD_BYTES, 0);
      await file.write(bytes, blockAt, body.length, blockAt);
    };
    const read = async () => {
      expectSame(await fixture.store.getRange(segmentAt(0), 0, 1_000), body);
    };
    const random = seededRandom(5);
    const places = Array.from({ length: 300 }, (_, i) =>
      i < SLOT_HEAD_BYTES ? slot * SLOT_HEAD_BYTES + i : blockAt + random.below(body.length),
    );
    const stride = effort({ usual: 5, full: 1 });
    for (const place of places.filter((_, i) => i % stride === 0)) {
      const bit = 1 << random.below(8);
      whole[place] ^= bit;
      await write(whole);
      expect(await fixture.cost(read), `byte ${place}`).toBe(1);
      whole[place] ^= bit;
      await write(whole);
      expect(await fixture.cost(read), `byte ${place}`).toBe(0);
    }
    await file.close();
  });
});

test.each([1, 2, 3, 4].slice(0, effort({ usual: 1, full: 4 })))(
  "random reads by two processes equal a plain store's, seed %i",
  async (seed) => {
    const random = seededRandom(seed);
    const fixture = new DiskCacheFixture(root, 1 + random.below(3));
    const stores = [fixture.another(), fixture.another()];
    const opened = [...stores];
    const sizes = Array.from(
      { length: 12 },
      () => random.below(3) * REGION_BYTES + random.below(90_000),
    );
    for (const [index, size] of sizes.entries()) await fixture.put(size, segmentAt(index), index);
    let isFaulty = false;
    const fails = () => isFaulty && random.next() < 0.05;
    fixture.faults.before = () => {
      if (fails()) throw systemError(["EIO", "ENOSPC", "ENOENT", "EACCES"][random.below(4)]);
    };
    fixture.faults.falsify = (bytes) => {
      if (bytes.length > 0 && fails()) bytes[random.below(bytes.length)] ^= 1 + random.below(255);
    };
    for (let round = 0; round < effort({ usual: 40, full: 60 }); round++) {
      isFaulty = round % 3 === 2;
      const reads = Array.from({ length: 4 }, async () => {
        const index = random.below(sizes.length);
        const key = segmentAt(index);
        const [, store] = stores[random.below(2)];
        const start = random.below(sizes[index] + 2 * BLOCK_BYTES);
        const end = start + random.below(random.next() < 0.5 ? 200_000 : 2 * REGION_BYTES);
        const isWhole = random.below(8) === 0;
        const read = isWhole ? await store.get(key) : await store.getRange(key, start, end);
        const plain = isWhole
          ? await fixture.plain.get(key)
          : await fixture.plain.getRange(key, start, end);
        const same = Buffer.compare(read ?? Buffer.of(), plain ?? Buffer.of()) === 0;
        expect(same && read !== undefined, `seed ${seed}, round ${round}, ${key}`).toBe(true);
      });
      await Promise.all(reads);
      const event = random.below(12);
      if (event === 0) {
        const another = fixture.another();
        stores[random.below(2)] = another;
        opened.push(another);
      }
      // A write may make a file meanwhile.
      if (event === 1) await rm(root, { recursive: true, force: true }).catch(() => {});
      if (event === 2) await stores[0][0].purge([segmentAt(random.below(sizes.length))]);
      await fixture.clock.advance(random.below(2) * DISK_CACHE_REST_MS);
    }
    for (const [cache] of opened) await cache.whenIdle();
  },
);

test("processes that share a directory, and are killed, read what was written", async () => {
  const isFull = effort({ usual: false, full: true });
  const rounds = isFull ? "40" : "12";
  const run = (seed: number) => runScript("read-through-disk-cache", root, `${seed}`, rounds);
  const killed = async (seed: number) => {
    const { child, lines, ended } = startScript("read-through-disk-cache", root, `${seed}`, "9999");
    let seen = 0;
    for await (const _ of lines) if (++seen === 10) child.kill("SIGKILL");
    expect(await ended).toBe("");
    expect(seen).toBeGreaterThanOrEqual(10);
  };
  const runs = isFull ? [run(1), run(2)] : [run(1)];
  const kills = isFull ? killed(3).then(() => killed(4)) : killed(3);
  const [ends] = await Promise.all([Promise.all(runs), kills]);
  const hits = ends.map((lines) => Number(lines.at(-1)));
  expect(Math.max(...hits)).toBeGreaterThan(0);
});
