import { expect, test, vi } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  collidingFloats,
  collidingIds,
  collidingIntegers,
} from "../../../test/support/random/colliding-keys.ts";
import { type Random, seededRandom } from "../random.ts";
import { drawHashWords, tabulationHash } from "./tabulation-hash.ts";
import { PROBES_MAX, WordTable } from "./word-table.ts";

const SEEDS = effort({ usual: 8, full: 30 });

type Key = readonly [low: number, high: number];

function wordsOf({ buffer, length }: BigUint64Array | Float64Array): Key[] {
  const words = new Int32Array(buffer);
  return Array.from({ length }, (_, i) => [words[2 * i], words[2 * i + 1]] as const);
}

/** Keys that collide under a hash without a seed, or under byte-by-byte hashes. */
const CHOSEN: readonly (readonly [string, (count: number) => Key[]])[] = [
  ["V8's of bigints", (count) => wordsOf(BigUint64Array.from(collidingIntegers(count)))],
  ["V8's of floats", (count) => wordsOf(Float64Array.from(collidingFloats(count)))],
  ["the hash of tables of ids", (count) => wordsOf(BigUint64Array.from(collidingIds(count)))],
  ["one of low words", (count) => Array.from({ length: count }, (_, i) => [0, i])],
  ["one of low bits", (count) => Array.from({ length: count }, (_, i) => [i << 16, i >> 8])],
  ["one of each byte", (count) => Array.from({ length: count }, (_, i) => [i * 0x0101_0101, i])],
];

test("has what a map has", () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const map = new Map<string, number>();
    const table = new WordTable(drawHashWords(random));
    const spread = 2 ** random.below(33);
    for (let i = 1; i < 500 * seed; i++) {
      const [low, high] = [random.below(spread) | 0, random.below(3) - 1];
      const number = map.get(`${low} ${high}`) ?? 0;
      if (table.get(low, high) !== number) expect.fail(`seed ${seed}: ${low} ${high}`);
      if (table.add(low, high, i) !== number) expect.fail(`seed ${seed}: ${low} ${high}`);
      if (number === 0) map.set(`${low} ${high}`, i);
    }
    const found = [...map.keys()].map((key) =>
      table.get(...(key.split(" ").map(Number) as [number, number])),
    );
    expect(found, `seed ${seed}`).toEqual([...map.values()]);
  }
});

test("words may be signed or not, and numbers may be large", () => {
  const table = new WordTable();
  table.add(-1, 0x8000_0000, 2 ** 32 - 1);
  expect(table.get(0xffff_ffff, -(2 ** 31))).toBe(2 ** 32 - 1);
  expect(table.get(-1, 0)).toBe(0);
});

/** Slots that linear probing visits to add keys to a table that is half full in the end. */
function probesOf(keys: readonly Key[], random: Random): number {
  const words = drawHashWords(random);
  const taken = new Uint8Array(2 ** Math.ceil(Math.log2(2 * keys.length)));
  let probes = 0;
  for (const [low, high] of keys) {
    let slot = tabulationHash(words, low, high) & (taken.length - 1);
    for (probes++; taken[slot] === 1; probes++) slot = (slot + 1) & (taken.length - 1);
    taken[slot] = 1;
  }
  return probes;
}

test.each(CHOSEN)(
  "keys that collide under a hash of another kind, %s, do not here",
  (_, keysOf) => {
    const seed = 90_100;
    const random = seededRandom(seed);
    for (const count of [2_000, 4_000, 16_000]) {
      const keys = keysOf(count);
      // Between 1.2 and 1.5 for words that are drawn for each key.
      expect(probesOf(keys, random) / count, `seed ${seed}`).toBeLessThan(2);
      const table = new WordTable(drawHashWords(random));
      for (const [i, key] of keys.entries()) table.add(...key, i + 1);
      for (const [i, key] of keys.entries()) {
        if (table.get(...key) !== i + 1) expect.fail(`seed ${seed}: key ${i} of ${count}`);
      }
    }
  },
);

test("keys that collide all the same have another hash drawn", () => {
  const random = seededRandom(90_200);
  const draws = vi.spyOn(random, "bytes");
  // All keys have one hash.
  const table = new WordTable(drawHashWords(seededRandom(1)).fill(7), random);
  const keys = Array.from({ length: 10 * PROBES_MAX }, (_, i) => i);
  for (const key of keys) table.add(key, -key, key + 1);
  expect(keys.map((key) => table.get(key, -key))).toEqual(keys.map((key) => key + 1));
  expect(table.get(keys.length, 0)).toBe(0);
  expect(draws).toHaveBeenCalledOnce();
});

test("the shards of a large table grow one after another", () => {
  const keys = 300_000;
  const window = 4096;
  let slotWords = 0;
  vi.stubGlobal(
    "Int32Array",
    class extends Int32Array {
      constructor(length: number) {
        super(length);
        slotWords += this.length;
      }
    },
  );
  const byWindow: number[] = [];
  try {
    const table = new WordTable(drawHashWords(seededRandom(1)), seededRandom(2));
    for (let key = 0; key < keys; key++) {
      const before = slotWords;
      table.add(key, 0, key + 1);
      const at = Math.floor(key / window);
      byWindow[at] = (byWindow[at] ?? 0) + slotWords - before;
    }
  } finally {
    vi.unstubAllGlobals();
  }
  // At once, 64 shards would grow to 16,384 slots of three words each.
  expect(Math.max(...byWindow)).toBeGreaterThan(0);
  expect(Math.max(...byWindow)).toBeLessThan((64 * 16_384 * 3) / 6);
});
