import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { decodeVector, normalized } from "./decode-vector.ts";

test("base64 and arrays of numbers give the same vector", () => {
  const random = testRandom();
  for (const dims of [1, 2, 3, 384]) {
    const vector = Float32Array.from({ length: dims }, () => random.next() - 0.5);
    const text = base64(vector);
    expect(decodeVector(text, dims)).toEqual(vector);
    expect(decodeVector([...vector], dims)).toEqual(vector);
  }
});

test("what is no vector of these dimensions is none", () => {
  const text = base64(Float32Array.of(1, 2));
  for (const value of [undefined, null, 3, {}, [1], text.slice(0, 8)]) {
    expect(decodeVector(value, 2)).toBeUndefined();
  }
  expect(decodeVector(text, 3)).toBeUndefined();
});

test("a normalized vector has length 1, and one of zeros stays", () => {
  expect([...normalized(Float32Array.of(3, 4))]).toEqual([
    expect.closeTo(0.6, 6),
    expect.closeTo(0.8, 6),
  ]);
  expect(normalized(new Float32Array(2))).toEqual(new Float32Array(2));
});

function base64(vector: Float32Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(vector.buffer)));
}
