import { expect, test } from "vitest";
import { isDatabaseError } from "../base/errors.ts";
import { seededRandom } from "../base/random.ts";
import {
  bitmapOrdinals,
  bitmapWords,
  clearBit,
  countBits,
  decodeBitmap,
  encodeBitmap,
  fullBitmap,
  hasBit,
  setBit,
} from "./bitmap.ts";

test("a bitmap equals a set of numbers, and survives its encoding", () => {
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom(seed);
    const count = random.below(200);
    const words = random.below(2) === 0 ? fullBitmap(count) : new Uint32Array(bitmapWords(count));
    const twin = new Set(bitmapOrdinals(words));
    expect(twin.size === count || twin.size === 0, `seed ${seed}`).toBe(true);
    for (let i = random.below(count + 1); i > 0; i--) {
      const ordinal = random.below(count);
      if (random.below(2) === 0) {
        expect(clearBit(words, ordinal), `seed ${seed}`).toBe(twin.delete(ordinal));
      } else {
        setBit(words, ordinal);
        twin.add(ordinal);
      }
      expect(hasBit(words, ordinal), `seed ${seed}`).toBe(twin.has(ordinal));
    }
    const ascending = [...twin].sort((a, b) => a - b);
    expect([...bitmapOrdinals(words)], `seed ${seed}`).toEqual(ascending);
    expect(countBits(words), `seed ${seed}`).toBe(twin.size);
    expect(decodeBitmap(encodeBitmap(words, count), count), `seed ${seed}`).toEqual(words);
  }
});

test("few members or few gaps take few bytes", () => {
  const words = fullBitmap(100_000);
  clearBit(words, 77_777);
  expect(encodeBitmap(words, 100_000).length).toBe(12);
  const few = new Uint32Array(bitmapWords(100_000));
  setBit(few, 5);
  expect(encodeBitmap(few, 100_000)).toEqual(new Uint8Array(Uint32Array.of(2, 100_000, 5).buffer));
});

test("damaged bitmaps are corrupt", () => {
  const bytes = encodeBitmap(fullBitmap(40), 40);
  const cases = [
    () => decodeBitmap(bytes, 41),
    () => decodeBitmap(bytes.subarray(1), 40),
    () => decodeBitmap(new Uint8Array(Uint32Array.of(9, 40).buffer), 40),
    () => decodeBitmap(new Uint8Array(Uint32Array.of(2, 40, 40).buffer), 40),
    () => decodeBitmap(new Uint8Array(Uint32Array.of(1, 40, 0, 256).buffer), 40),
    () => decodeBitmap(new Uint8Array(Uint32Array.of(1, 40, 0).buffer), 40),
  ];
  for (const decode of cases) {
    let thrown: unknown;
    try {
      decode();
    } catch (error) {
      thrown = error;
    }
    expect(isDatabaseError(thrown, "corrupt")).toBe(true);
  }
});
