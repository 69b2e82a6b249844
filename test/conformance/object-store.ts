/** The promises of src/storage/object-store.ts as tests: one suite for every implementation. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import {
  ALWAYS,
  endOf,
  IF_ABSENT,
  isObjectKey,
  type ListPage,
  type ObjectStore,
  objectKey,
} from "../../src/storage/object-store.ts";

/** A store under test and what ends it. */
export interface OpenedStore {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

const SEED = 20_260_101;

/** Runs the suite; `open` returns an empty store each time. */
export function describeObjectStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the promises of an object store`, () => {
    let opened: OpenedStore;
    let store: ObjectStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    testReadsAndWrites(() => store);
    testRanges(() => store);
    testRaces(() => store);
    testListing(() => store);
  });
}

function testReadsAndWrites(current: () => ObjectStore): void {
  test("an absent object is undefined, whole and in ranges", async () => {
    expect(await current().get(objectKey("a/b"))).toBeUndefined();
    expect(await current().getRange(objectKey("a/b"), 0, 10)).toBeUndefined();
  });

  test("a key that is the folder of other keys holds no object", async () => {
    await current().put(objectKey("a/b/c"), bytes("x"), IF_ABSENT);
    expect(await current().get(objectKey("a/b"))).toBeUndefined();
    expect(await current().getRange(objectKey("a"), 0, 10)).toBeUndefined();
  });

  test("put reports a conflict when the object is there, and leaves it as it was", async () => {
    const key = objectKey("a/one");
    expect(await current().put(key, bytes("first"), IF_ABSENT)).toEqual({ kind: "written" });
    expect(await current().put(key, bytes("second"), IF_ABSENT)).toEqual({ kind: "conflict" });
    expect(text(await current().get(key))).toBe("first");
  });

  test("an unconditional put replaces, with fewer bytes as with more", async () => {
    const key = objectKey("one");
    for (const body of ["middle", "a longer text", "s", ""]) {
      expect(await current().put(key, bytes(body), ALWAYS)).toEqual({ kind: "written" });
      expect(text(await current().get(key))).toBe(body);
    }
  });

  test("a deleted object may be created again; deleting twice is no error", async () => {
    const key = objectKey("a/b/gone");
    await current().put(key, bytes("1"), IF_ABSENT);
    await current().delete(key);
    await current().delete(key);
    await current().delete(objectKey("never/was"));
    expect(await current().get(key)).toBeUndefined();
    expect(await current().put(key, bytes("2"), IF_ABSENT)).toEqual({ kind: "written" });
    expect(text(await current().get(key))).toBe("2");
  });

  test("bodies of all sizes come back, from plain, offset and shared memory", async () => {
    const random = seededRandom(SEED);
    for (const size of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
      const shared = new Uint8Array(new SharedArrayBuffer(size + 5)).subarray(5);
      shared.set(random.bytes(size));
      const key = objectKey(`sizes/${size}`);
      await current().put(key, shared, IF_ABSENT);
      const read = await current().get(key);
      expect(read?.length).toBe(size);
      expect(Buffer.compare(read ?? new Uint8Array(1), Buffer.from(shared))).toBe(0);
    }
  });

  test("what a caller does to its bytes changes nothing that is stored", async () => {
    const key = objectKey("mine");
    const body = bytes("stored");
    await current().put(key, body, IF_ABSENT);
    body.fill(0);
    (await current().get(key))?.fill(0);
    expect(text(await current().get(key))).toBe("stored");
  });
}

function testRanges(current: () => ObjectStore): void {
  test("ranges are half-open and short at the end of the object", async () => {
    const key = objectKey("range");
    await current().put(key, ["012", "", "3456789"].map(bytes), IF_ABSENT);
    const read = async (start: number, end: number) =>
      text(await current().getRange(key, start, end));
    expect(await read(0, 10)).toBe("0123456789");
    expect(await read(3, 6)).toBe("345");
    expect(await read(8, 99)).toBe("89");
    expect(await read(10, 12)).toBe("");
    expect(await read(5_000_000, 5_000_001)).toBe("");
    expect(await read(4, 4)).toBe("");
  });

  test("random ranges equal slices of the whole", async () => {
    const random = seededRandom(SEED);
    const body = random.bytes(200_000);
    const key = objectKey("ranges");
    await current().put(key, body, IF_ABSENT);
    for (let round = 0; round < 50; round++) {
      const start = random.below(body.length + 10);
      const end = start + random.below(random.next() < 0.5 ? 100 : 150_000);
      const read = (await current().getRange(key, start, end)) ?? new Uint8Array(1);
      const same = Buffer.compare(read, body.subarray(start, end)) === 0;
      expect(same, `seed ${SEED}, range ${start} to ${end}`).toBe(true);
    }
  });
}

function testRaces(current: () => ObjectStore): void {
  test("of 64 conditional puts at once, one is written and all others conflict", async () => {
    for (let round = 0; round < 10; round++) {
      const key = objectKey(`race/${round}`);
      const outcomes = await Promise.all(
        Array.from({ length: 64 }, (_, racer) =>
          current().put(key, bytes(`racer ${racer}`), IF_ABSENT),
        ),
      );
      const winners = outcomes.flatMap(({ kind }, racer) => (kind === "written" ? [racer] : []));
      expect(winners.length).toBe(1);
      expect(text(await current().get(key))).toBe(`racer ${winners[0]}`);
    }
  });

  test("readers see whole objects while writers replace them", async () => {
    const key = objectKey("replaced");
    const body = (fill: number) => new Uint8Array(100_000).fill(fill);
    await current().put(key, body(0), ALWAYS);
    let writing = true;
    const writer = async () => {
      for (let fill = 1; fill <= 30; fill++) await current().put(key, body(fill), ALWAYS);
      writing = false;
    };
    const reader = async () => {
      let last = 0;
      while (writing) {
        const read = (await current().get(key)) ?? new Uint8Array(0);
        expect(read.length).toBe(100_000);
        expect(read.every((byte) => byte === read[0])).toBe(true);
        expect(read[0]).toBeGreaterThanOrEqual(last); // Never an older one after a newer one.
        last = read[0];
      }
    };
    await Promise.all([writer(), reader(), reader()]);
  });
}

function testListing(current: () => ObjectStore): void {
  const keys = [
    "a",
    "b-c",
    "b/1",
    "b/10",
    "b/2/x",
    "b/2/y",
    "b.d/z",
    "b0/q",
    "ba/q",
    "c/.x",
    "c/_",
  ];
  const putAll = async () => {
    for (const key of [...keys].reverse()) await current().put(objectKey(key), bytes(key), ALWAYS);
  };

  test("lists in byte order, by prefixes that may end inside a part", async () => {
    await putAll();
    for (const prefix of ["", "b", "b/", "b/1", "b/2", "b/2/", "c/", "x", "b/2/x", "b/2/x/"]) {
      const page = await current().list({ prefix, limit: 1000 });
      const expected = keys.filter((key) => key.startsWith(prefix)).sort();
      expect(page, `prefix ${prefix}`).toEqual({ keys: expected, prefixes: [], truncated: false });
    }
  });

  test("folds behind the delimiter, after the prefix", async () => {
    await putAll();
    const page = (prefix: string) => current().list({ prefix, limit: 1000, delimiter: "/" });
    expect(await page("")).toEqual({
      keys: ["a", "b-c"],
      prefixes: ["b.d/", "b/", "b0/", "ba/", "c/"],
      truncated: false,
    });
    expect(await page("b/")).toEqual({
      keys: ["b/1", "b/10"],
      prefixes: ["b/2/"],
      truncated: false,
    });
    expect((await page("b")).prefixes).toEqual(["b.d/", "b/", "b0/", "ba/"]);
    expect(await page("b/2/")).toMatchObject({ keys: ["b/2/x", "b/2/y"], prefixes: [] });
  });

  test("pages of any size join to the whole listing, with and without delimiter", async () => {
    await putAll();
    for (const delimiter of [undefined, "/"] as const) {
      const request = { prefix: "", ...(delimiter && { delimiter }) };
      const whole = await current().list({ ...request, limit: 1000 });
      for (const limit of [1, 2, 3, 5]) {
        const pages = await allPages((startAfter) =>
          current().list({ ...request, limit, startAfter }),
        );
        expect(pages.flatMap((page) => page.keys)).toEqual(whole.keys);
        expect(pages.flatMap((page) => page.prefixes)).toEqual(whole.prefixes);
      }
    }
  });

  test("starts after any text, whether it is a key or not", async () => {
    await putAll();
    for (const startAfter of ["b", "b/", "b/1", "b/11", "b/2/x", "b/2/~", "c/_", "zz", "-"]) {
      const page = await current().list({ prefix: "", startAfter, limit: 1000 });
      expect(page.keys, startAfter).toEqual(keys.filter((key) => key > startAfter).sort());
    }
  });

  test("a listing shows a put at once, and a prefix goes with its last object", async () => {
    const list = () => current().list({ prefix: "n/", limit: 10, delimiter: "/" });
    await current().put(objectKey("n/x/y/1"), bytes("1"), IF_ABSENT);
    await current().put(objectKey("n/z"), bytes("1"), IF_ABSENT);
    expect(await list()).toEqual({ keys: ["n/z"], prefixes: ["n/x/"], truncated: false });
    await current().delete(objectKey("n/x/y/1"));
    expect(await list()).toEqual({ keys: ["n/z"], prefixes: [], truncated: false });
  });

  test("a page is truncated only if more follows", async () => {
    await putAll();
    const page = (limit: number) => current().list({ prefix: "b/2/", limit });
    expect((await page(2)).truncated).toBe(false);
    expect((await page(1)).truncated).toBe(true);
  });

  test("only safe names are keys", () => {
    for (const key of [
      "",
      "/a",
      "a/",
      "a//b",
      ".",
      "..",
      "a/../b",
      "a/.",
      "a b",
      "a~",
      "ä",
      "a\\b",
    ]) {
      expect(isObjectKey(key), key).toBe(false);
    }
    for (const key of ["a", "..-table/x", ".a", "a/...", "A-Z_0.9/b"]) {
      expect(isObjectKey(key), key).toBe(true);
    }
  });
}

async function allPages(list: (startAfter: string) => Promise<ListPage>): Promise<ListPage[]> {
  const pages: ListPage[] = [];
  for (let startAfter = ""; ; ) {
    const page = await list(startAfter);
    pages.push(page);
    expect(pages.length).toBeLessThan(100);
    if (!page.truncated) return pages;
    startAfter = endOf(page) ?? "";
  }
}

function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function text(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString("utf8");
}
