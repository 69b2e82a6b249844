import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { collidingFloats, collidingIntegers } from "../../../test/support/random/colliding-keys.ts";
import { type Random, seededRandom } from "../random.ts";
import { distinct, ScalarMap, ScalarSet } from "./scalar-map.ts";
import { type Scalar, ScalarTable } from "./scalar-table.ts";

const SEEDS = effort({ usual: 3, full: 10 });

const [FLOATS, INTEGERS] = [collidingFloats(40), collidingIntegers(40)];

/** Each draws keys of one type. */
const KEYS: Readonly<Record<string, (random: Random) => Scalar>> = {
  strings: (random) => `${"k".repeat(random.below(40))}${random.below(6000)}`,
  floats: (random) => [0, -0, Number.NaN, 1 / 3, random.below(6000) / 7][random.below(5)],
  "colliding floats": (random) => FLOATS[random.below(FLOATS.length)],
  "signed integers": (random) =>
    [-1n, 0n, -(2n ** 63n), 2n ** 63n - 1n, BigInt(random.below(6000) - 3000)][random.below(5)],
  "unsigned integers": (random) =>
    [2n ** 64n - 1n, 2n ** 63n, BigInt(random.below(6000)) << 30n][random.below(3)],
  "colliding integers": (random) => INTEGERS[random.below(INTEGERS.length)],
  bools: (random) => random.below(2) === 0,
};

test.each(Object.entries(KEYS))("with %s as keys it has what a map has", (_, draw) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const expected = new Map<Scalar, number>();
    const firstOf = new Map<Scalar, number>();
    const map = new ScalarMap<Scalar, number>();
    const firsts = new ScalarMap<Scalar, number>();
    const set = new ScalarSet<Scalar>();
    const drawn: Scalar[] = [];
    for (let i = 0; i < 3000 * seed; i++) {
      const key = draw(random);
      drawn.push(key);
      if (map.get(key) !== expected.get(key)) expect.fail(`seed ${seed}: ${String(key)}`);
      if (map.has(key) !== expected.has(key)) expect.fail(`seed ${seed}: ${String(key)}`);
      const first = firsts.getOrAdd(key, () => i);
      if (first !== (firstOf.get(key) ?? i)) expect.fail(`seed ${seed}: ${String(key)}`);
      if (set.add(key) === expected.has(key)) expect.fail(`seed ${seed}: ${String(key)}`);
      if (!firstOf.has(key)) firstOf.set(key, i);
      map.set(key, i);
      expected.set(key, i);
    }
    expect(map.size, `seed ${seed}`).toBe(expected.size);
    const plain = (keys: Iterable<Scalar>) => [...keys].map((key) => (key === 0 ? 0 : key));
    expect(plain(map.keys), `seed ${seed}`).toEqual(plain(expected.keys()));
    expect([...map.values], `seed ${seed}`).toEqual([...expected.values()]);
    expect(plain(distinct(drawn)), `seed ${seed}`).toEqual(plain(new Set(drawn)));
  }
});

test("words have the keys of their bigints", () => {
  const table = new ScalarTable();
  const integers = [0n, -1n, 2n ** 32n - 1n, 2n ** 31n, -(2n ** 31n) - 1n, -(2n ** 63n)];
  for (const [i, integer] of integers.entries()) {
    const [low, high] = [Number(integer & 0xffff_ffffn), Number(integer >> 32n)];
    expect(table.addWords(low, high, i + 1)).toBe(0);
    expect(table.addWords(low, high, 99)).toBe(i + 1);
  }
  expect(integers.map((integer) => table.get(integer))).toEqual([1, 2, 3, 4, 5, 6]);
  expect([table.addWords(-1, 0, 99), table.get(2n ** 64n - 1n)]).toEqual([3, 2]);
  expect(table.get(1n)).toBe(0);
});
