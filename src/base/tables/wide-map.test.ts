import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { shortHash, WideMap } from "./wide-map.ts";

test("has what a map has, narrow and wide", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    const map = new Map<string, number>();
    const wide = new WideMap<number>(100);
    for (let i = 0; i < 40 * seed; i++) {
      const key = `${"k".repeat(random.below(40))}${random.below(1000)}`;
      expect(wide.get(key), `seed ${seed}`).toBe(map.get(key));
      expect(wide.add(key, i), `seed ${seed}`).toBe(map.get(key));
      if (!map.has(key)) map.set(key, i);
    }
    for (const [key, value] of map) expect(wide.get(key), `seed ${seed}`).toBe(value);
  }
});

test.each<[string, number[]]>([
  [
    "strings with a number at the end",
    Array.from({ length: 20_000 }, (_, i) => i).map((i) =>
      shortHash(`a long beginning of a key ${i}`),
    ),
  ],
  ["short strings", Array.from({ length: 20_000 }, (_, i) => shortHash(`${i},${i % 97}`))],
])("hashes of %s spread", (_name, hashes) => {
  const counts = new Map<number, number>();
  for (const hash of hashes) counts.set(hash & 255, (counts.get(hash & 255) ?? 0) + 1);
  expect(Math.max(...counts.values())).toBeLessThan(hashes.length / 20);
});
