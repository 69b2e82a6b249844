import { expect, test } from "vitest";
import { seededRandom } from "../../../base/random.ts";
import { hasBit, setBit } from "../../../codec/bitmap.ts";
import { OrdinalList } from "../../../segment/postings/ordinal-list.ts";
import { findTaken, takeReached } from "./take-reached.ts";

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
    const taken = new Uint32Array(CHUNK / 32);
    const takenWords = new Uint32Array(CHUNK / 1024);
    const chunk = { sums, taken, takenWords, kept: new Float64Array(CHUNK) };
    for (const list of lists) takeReached(chunk, postingsOf(list), least);
    const label = `seed ${seed}, run ${run}, least ${least}`;
    for (let at = 0; at < CHUNK; at++) {
      const sum = expected.get(BASE + at);
      const isReached = sum !== undefined && sum >= least;
      expect(hasBit(chunk.taken, at), label).toBe(isReached);
      if (isReached) expect(chunk.kept[at], label).toBe(sum);
    }
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
      expect([...indexes.subarray(0, count)], label).toEqual(wanted);
    }
  }

  function drawOrdinals(): Uint32Array {
    const bits = new Uint32Array(CHUNK / 32);
    const count = random.below(600);
    for (let i = 0; i < count; i++) setBit(bits, random.below(CHUNK));
    const places = Array.from({ length: CHUNK }, (_, at) => at).filter((at) => hasBit(bits, at));
    return Uint32Array.from(places, (at) => BASE + at);
  }
});

function postingsOf(list: Uint32Array) {
  const ordinals = OrdinalList.from(list, DOCUMENTS);
  return { ordinals, base: BASE, range: { start: 0, end: list.length } };
}
