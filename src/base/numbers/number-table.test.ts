import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { NumberTable } from "./number-table.ts";

test("has what a map has", () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seededRandom(seed);
    const map = new Map<number, number>();
    const table = new NumberTable();
    const spread = 2 ** random.below(54);
    const step = 2 ** random.below(20);
    for (let i = 1; i < 100 * seed; i++) {
      const key = Math.trunc((random.next() - 0.5) * spread) * step;
      if (!Number.isSafeInteger(key)) continue;
      const number = map.get(key) ?? 0;
      if (table.get(key) !== number) expect(table.get(key), `seed ${seed}`).toBe(number);
      if (map.has(key)) continue;
      map.set(key, i);
      table.add(key, i);
    }
    const found = [...map.keys()].map((key) => table.get(key));
    expect(found, `seed ${seed}`).toEqual([...map.values()]);
  }
});

test("zeros of either sign are one key, and the greatest keys are told apart", () => {
  const table = new NumberTable();
  table.add(-0, 7);
  table.add(Number.MAX_SAFE_INTEGER, 2 ** 32 - 1);
  table.add(Number.MIN_SAFE_INTEGER, 9);
  expect([0, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 1].map((key) => table.get(key)))
    // By key.
    .toEqual([7, 7, 2 ** 32 - 1, 9, 0]);
});

test("keys of one slot are found, too", () => {
  const table = new NumberTable();
  const keys = Array.from({ length: 300_000 }, (_, i) => i).filter((key) => slotOf(key) === 0);
  expect(keys.length).toBeGreaterThan(100);
  for (const [i, key] of keys.entries()) table.add(key, i + 1);
  for (const [i, key] of keys.entries()) expect(table.get(key)).toBe(i + 1);
});

/** The low bits of the table's hash, which choose shard and slot. */
function slotOf(key: number): number {
  let hash = Math.imul(key, 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & 1023;
}
