import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { base64FloatCount, decodeBase64, decodeBase64Floats, encodeBase64 } from "./base64.ts";

test("bytes of every length come back, with padding and without", () => {
  const seed = 9;
  const random = seededRandom(seed);
  for (let length = 0; length < 200; length++) {
    const bytes = random.bytes(length);
    const text = encodeBase64(bytes);
    expect(decodeBase64(text), `seed ${seed}`).toEqual(bytes);
    expect(decodeBase64(text.replace(/=+$/, "")), `seed ${seed}`).toEqual(bytes);
  }
});

test.each([
  "A",
  "AAAAA",
  "AA=",
  "AAA==",
  "AAAA=",
  "AAAA==",
  "AA==AAAA",
  "=",
  "==",
  "====",
  "A===",
  "AA A",
  "AAAA\n",
  " AAA",
  "AA-A",
  "AA_A",
  "AAéA",
  "AA🐡",
  "AB==",
  "AAB=",
  "AB",
  "AAAA\0AAA",
])("%j is no base64", (text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

test("agrees with a slow decoder on random texts", () => {
  const seed = 11;
  const random = seededRandom(seed);
  const alphabet = "ABab01+/=-_ ";
  for (let i = 0; i < 20_000; i++) {
    const length = random.below(9);
    const text = Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join("");
    expect(decodeBase64(text), `seed ${seed}, ${JSON.stringify(text)}`).toEqual(slowDecode(text));
  }
});

test("float32 values are little-endian", () => {
  expect(base64FloatCount("AACAPwAAAEA=")).toBe(2);
  const floats = new Float32Array(3);
  expect(decodeBase64Floats("AACAPwAAAEA=", floats.subarray(1))).toBe(true);
  expect(floats).toEqual(Float32Array.of(0, 1, 2));
  expect(decodeBase64Floats("AACAP*AAAEA=", floats.subarray(1))).toBe(false);
  expect(base64FloatCount("")).toBe(0);
  expect(base64FloatCount("AAAA")).toContain("3 bytes");
  expect(base64FloatCount("AAAAA")).toBe("invalid base64");
});

/** Decodes by bits, from the definition. */
function slowDecode(text: string): Uint8Array | undefined {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bare = text.replace(/=+$/, "");
  const padding = text.length - bare.length;
  if (padding > 2 || (padding > 0 && text.length % 4 !== 0)) return undefined;
  if ([...bare].some((digit) => !alphabet.includes(digit))) return undefined;
  const bits = [...bare].map((d) => alphabet.indexOf(d).toString(2).padStart(6, "0")).join("");
  const rest = bits.length % 8;
  if (rest === 6 || /1/.test(bits.slice(bits.length - rest))) return undefined;
  return Uint8Array.from({ length: bits.length >> 3 }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
}
