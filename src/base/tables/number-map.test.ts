import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MIB } from "../byte-sizes.ts";
import { seededRandom } from "../random.ts";
import { NumberMap } from "./number-map.ts";

describe("number map", () => {
  it("holds what a Map holds, whatever comes and goes", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seededRandom(seed);
      const map = new NumberMap<string>();
      const expected = new Map<number, string>();
      // Keys that begin their search at few places, so that many collide and wrap around.
      const stride = [1, 7, 16, 1024][random.below(4)];
      for (let step = 0; step < 500; step++) {
        const key = random.below(60) * stride;
        if (random.below(2) === 0) {
          map.set(key, `${step}`);
          expected.set(key, `${step}`);
        } else {
          expect(map.delete(key), `seed ${seed}`).toBe(expected.delete(key));
        }
        expect(map.size, `seed ${seed}`).toBe(expected.size);
        expect(map.get(key), `seed ${seed}`).toBe(expected.get(key));
      }
      const inOrder = [...expected].sort(([a], [b]) => a - b);
      expect(
        map.entries().sort(([a], [b]) => a - b),
        `seed ${seed}`,
      ).toEqual(inOrder);
      for (const [key, value] of expected) expect(map.get(key), `seed ${seed}`).toBe(value);
    }
  });

  it("tells numbers beyond 32 bits apart", () => {
    const map = new NumberMap<string>();
    const keys = [5, 2 ** 32 + 5, 2 ** 33 + 5, Number.MAX_SAFE_INTEGER];
    for (const key of keys) map.set(key, String(key));
    expect(keys.map((key) => map.get(key))).toEqual(keys.map(String));
    expect(map.delete(2 ** 32 + 5)).toBe(true);
    expect(keys.map((key) => map.get(key))).toEqual([
      "5",
      undefined,
      String(2 ** 33 + 5),
      String(Number.MAX_SAFE_INTEGER),
    ]);
  });

  it("may be changed while its values are gone through", () => {
    const map = new NumberMap<number>();
    for (let i = 0; i < 20; i++) map.set(i, i);
    for (const value of map.values()) map.delete(value);
    expect(map.size).toBe(0);
  });

  it("leaves nothing of what has gone to the old generation", () => {
    setFlagsFromString("--expose-gc");
    const collect: (options: { type: "minor" }) => void = runInNewContext("gc");
    const map = new NumberMap<readonly number[]>();
    const underWay = 8;
    let next = 0;
    // 40 MiB in all.
    const churn = (count: number): void => {
      for (const end = next + count; next < end; next++) {
        map.set(
          next,
          Array.from({ length: 1000 }, (_, i) => i / 7),
        );
        map.delete(next - underWay);
      }
    };
    churn(underWay);
    // Its table is old by then.
    for (let round = 0; round < 3; round++) collect({ type: "minor" });
    const before = oldBytes();
    for (let round = 0; round < 50; round++) {
      churn(100);
      collect({ type: "minor" });
    }
    expect(oldBytes() - before).toBeLessThan(8 * MIB);
  });
});

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space");
  return old?.space_used_size ?? Number.NaN;
}
