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
    expect(decodeBitmap(encodeBitmap(words), count), `seed ${seed}`).toEqual(words);
  }
});

test("a bitmap is encoded as its words, little-endian, wherever its bytes lie", () => {
  const words = fullBitmap(40);
  clearBit(words, 1);
  const bytes = Uint8Array.of(0xfd, 0xff, 0xff, 0xff, 0xff, 0, 0, 0);
  expect(encodeBitmap(words)).toEqual(bytes);
  expect(decodeBitmap(Uint8Array.of(9, ...bytes).subarray(1), 40)).toEqual(words);
});

test("damaged bitmaps are corrupt", () => {
  const bytes = encodeBitmap(fullBitmap(40));
  const cases = [
    () => decodeBitmap(bytes, 65),
    () => decodeBitmap(bytes, 32),
    () => decodeBitmap(bytes.subarray(1), 40),
    () => decodeBitmap(bytes, 39),
    () => decodeBitmap(Uint8Array.of(0, 0, 0, 0), 0),
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
