import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { Xxh64 } from "./xxh64.ts";

const [P1, P2, P3, P4, P5] = [
  11400714785074694791n,
  14029467366897019727n,
  1609587929392839161n,
  9650029242287828579n,
  2870177450012600261n,
];
const u64 = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: number) =>
  u64((u64(value) << BigInt(bits)) | (u64(value) >> BigInt(64 - bits)));
const round = (acc: bigint, word: bigint) => u64(rotate(acc + word * P2, 31) * P1);

/** The specification, step by step, over the whole text. */
function slow(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let acc = P5;
  if (bytes.length >= 32) {
    const lanes = [u64(P1 + P2), P2, 0n, u64(-P1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) lanes[i] = round(lanes[i], view.getBigUint64(at + 8 * i, true));
    }
    acc = u64([1, 7, 12, 18].reduce((sum, bits, i) => sum + rotate(lanes[i], bits), 0n));
    for (const lane of lanes) acc = u64((acc ^ round(0n, lane)) * P1 + P4);
  }
  acc = u64(acc + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    acc = u64(rotate(acc ^ round(0n, view.getBigUint64(at, true)), 27) * P1 + P4);
  }
  for (; at + 4 <= bytes.length; at += 4) {
    acc = u64(rotate(acc ^ u64(BigInt(view.getUint32(at, true)) * P1), 23) * P2 + P3);
  }
  for (; at < bytes.length; at++) {
    acc = u64(rotate(acc ^ u64(BigInt(bytes[at]) * P5), 11) * P1);
  }
  acc = u64((acc ^ (acc >> 33n)) * P2);
  acc = u64((acc ^ (acc >> 29n)) * P3);
  return acc ^ (acc >> 32n);
}

function sumOf(...parts: readonly Uint8Array[]): bigint {
  const sum = new Xxh64();
  for (const part of parts) sum.update(part);
  return sum.digest();
}

test("the sums that are known are found", () => {
  const text = new TextEncoder();
  expect(sumOf()).toBe(0xef46db3751d8e999n);
  expect(sumOf(text.encode("abc"))).toBe(0x44bc2cf5ad770999n);
});

test("texts of any length have the sum of the slow way, wherever they are cut", () => {
  const random = testRandom();
  for (let i = 0; i < 400; i++) {
    // High bytes are frequent: carries between the halves happen with them.
    const isHigh = random.below(2) === 0;
    const bytes = Uint8Array.from({ length: random.below(300) }, () =>
      isHigh ? 255 - random.below(3) : random.below(256),
    );
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + random.below(70);
      parts.push(bytes.subarray(at, end));
      at = end;
    }
    expect(sumOf(...parts)).toBe(slow(bytes));
  }
});
