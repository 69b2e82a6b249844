import { expect, test } from "vitest";
import { drawOrdinals } from "../../../test/support/random/random-ordinals.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { ordinalListOf } from "../../../test/support/segments/ordinal-list-of.ts";
import { bitmapOrdinals, bitmapWords } from "../../codec/bitmap.ts";

test("ordinals are found in a list as in an array", () => {
  const random = testRandom();
  for (let round = 0; round < 60; round++) {
    const documentCount = [100, 65_536, 65_537, 400_000][round % 4];
    const expected = drawOrdinals(random, documentCount);
    const list = ordinalListOf(Uint32Array.from(expected), documentCount);
    expect(list.length).toBe(expected.length);
    for (let times = 0; times < 20; times++) {
      const ordinal = random.below(2) === 0 ? random.below(documentCount + 5) : expected[0];
      const start = random.below(expected.length + 1);
      const end = start + random.below(expected.length + 1 - start);
      const found = expected.findIndex((other, i) => i >= start && i < end && other >= ordinal);
      expect(list.find(ordinal, start, end)).toBe(found < 0 ? end : found);
      expect(list.includes(ordinal)).toBe(expected.includes(ordinal));
      expect(list.isAt(start, ordinal)).toBe(expected[start] === ordinal);
      const bits = new Uint32Array(bitmapWords(documentCount));
      list.addTo(bits, 0, { start, end });
      expect([...bitmapOrdinals(bits)]).toEqual(expected.slice(start, end));
    }
    const base = expected[0] & ~31;
    const bits = new Uint32Array(bitmapWords(documentCount));
    list.addTo(bits, base, { start: 0, end: list.length });
    expect([...bitmapOrdinals(bits)]).toEqual(expected.map((ordinal) => ordinal - base));
  }
});
