import { expect, test } from "vitest";
import { expectEqual } from "../../../../test/support/expect-equal.ts";
import { ordinalListOf } from "../../../../test/support/segments/ordinal-list-of.ts";
import { seededRandom } from "../../../base/random.ts";
import { bitmapOrdinals, hasBit, setBit } from "../../../codec/bitmap.ts";
import { findTaken, listReached, takeReached } from "./take-reached.ts";

const CHUNK = 8192;
/** Two pages, and the chunk lies in both. */
const DOCUMENTS = 131_072;
const BASE = 65_536 - 4096;

test.each([1, 2, 3])("seed %i: sums are taken once, and found again in each list", (seed) => {
  const random = seededRandom(seed);
  for (let run = 0; run < 50; run++) {
    const lists = Array.from({ length: 3 }, () => drawOrdinals());
    const sums = new Float64Array(CHUNK);
    const expected = new Map<number, number>();
    for (const list of lists) {
      for (const ordinal of list) {
        const score = random.next();
        sums[ordinal - BASE] += score;
        expected.set(ordinal, sums[ordinal - BASE]);
      }
    }
    const least = [Number.NEGATIVE_INFINITY, -0.5, 0, 0.5, 1, 4][random.below(6)];
    const label = `seed ${seed}, run ${run}, least ${least}`;
    if (least > 0) expectListed(sums.slice(), least, label);
    const taken = new Uint32Array(CHUNK / 32);
    const takenWords = new Uint32Array(CHUNK / 1024);
    const chunk = { sums, taken, takenWords, kept: new Float64Array(CHUNK) };
    for (const list of lists) takeReached(chunk, postingsOf(list), least);
    const reached = [...expected].filter(([, sum]) => sum >= least).sort(([a], [b]) => a - b);
    const found = [...bitmapOrdinals(chunk.taken)];
    expectEqual(
      found.map((at) => BASE + at),
      reached.map(([ordinal]) => ordinal),
      label,
    );
    expectEqual(
      found.map((at) => chunk.kept[at]),
      reached.map(([, sum]) => sum),
      label,
    );
    expect(
      sums.every((sum) => sum === 0),
      label,
    ).toBe(true);
    const words = [...taken.keys()].filter((w) => taken[w] !== 0);
    const marked = [...taken.keys()].filter((w) => hasBit(takenWords, w));
    expect(marked, label).toEqual(words);

    for (const list of lists) {
      const indexes = new Uint32Array(list.length + 1);
      const count = findTaken(chunk.taken, postingsOf(list), indexes);
      const wanted = [...list.keys()].filter((i) => hasBit(chunk.taken, list[i] - BASE));
      expectEqual([...indexes.subarray(0, count)], wanted, label);
    }
  }

  /** Where all sums are looked at, the same are listed that are in a set. */
  function expectListed(sums: Float64Array, least: number, label: string): void {
    const within = new Uint32Array(DOCUMENTS / 32);
    for (let w = 0; w < within.length; w++) within[w] = random.below(2 ** 32);
    const end = BASE + CHUNK - random.below(40);
    const wanted = [...sums.keys()].filter((at) => {
      return sums[at] >= least && BASE + at < end && hasBit(within, BASE + at);
    });
    const ordinals = new Uint32Array(CHUNK);
    const scores = new Float64Array(CHUNK);
    const sumsOf = wanted.map((at) => sums[at]);
    const chunk = { sums, ordinals, scores };
    const count = listReached(chunk, within, { base: BASE, end }, least);
    const found = ordinals.subarray(0, count).map((ordinal) => ordinal - BASE);
    expectEqual([...found], wanted, label);
    expectEqual([...scores.subarray(0, count)], sumsOf, label);
    expect(
      sums.subarray(0, end - BASE).every((sum) => sum === 0),
      label,
    ).toBe(true);
  }

  function drawOrdinals(): Uint32Array {
    const bits = new Uint32Array(CHUNK / 32);
    const count = random.below(600);
    for (let i = 0; i < count; i++) setBit(bits, random.below(CHUNK));
    return bitmapOrdinals(bits).map((at) => BASE + at);
  }
});

function postingsOf(list: Uint32Array) {
  const ordinals = ordinalListOf(list, DOCUMENTS);
  return { ordinals, base: BASE, range: { start: 0, end: list.length } };
}
