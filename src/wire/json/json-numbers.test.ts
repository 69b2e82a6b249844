import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { ByteWindow } from "./byte-window.ts";
import { Float32Builder, NumberScanner } from "./json-numbers.ts";

/** One in so many of the random numbers is tried. */
const SHARE = effort({ usual: 5, full: 1 });

function scan(text: string): { scanner: NumberScanner; value64: number; value32: number } {
  const window = new ByteWindow(text.length + 1);
  window.push(new TextEncoder().encode(text));
  window.ended = true;
  const scanner = new NumberScanner(window);
  const value32 = scanner.scanFloat32();
  return { scanner, value32, value64: scanner.scanFloat64() };
}

/** Number() is the slow twin: it rounds correctly. Compared plainly first, as `expect` is slow. */
function check(text: string, note = text): void {
  const { scanner, value64, value32 } = scan(text);
  const { end, valid, integer } = scanner;
  const given = [end, valid, integer, value64, value32];
  const value = Number(text);
  const wanted = [text.length, true, /^-?\d+$/.test(text), value, Math.fround(value)];
  if (!given.every((part, i) => Object.is(part, wanted[i]))) expect(given, note).toEqual(wanted);
}

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);
function float32FromBits(pattern: number): number {
  bits[0] = pattern;
  return floats[0];
}

function digits(random: Random, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += random.below(10);
  return text;
}

describe("numbers", () => {
  test("at the corners of the formats are rounded correctly", () => {
    const corners = [
      "0",
      "-0",
      "0.0",
      "-0.0e5",
      "0e999999999999",
      "0.000",
      "1",
      "10",
      "0.1",
      "-0.7",
      "5e-324",
      "2e-324",
      "2.4703282292062327208e-324",
      "2.4703282292062328e-324",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "9007199254740991",
      "9007199254740992",
      "9007199254740993",
      "9007199254740995",
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "1e22",
      "1e23",
      "8.5e22",
      "123456789012345",
      "1234567890123456",
      "999999999999999999999",
      "0.30000000000000004",
      "3.4028234663852886e38",
      "3.4028235677973366e38",
      "1.401298464324817e-45",
      "7.006492321624085e-46",
      "7.0064923216240854e-46",
      "7.00649232162408535461864791644958e-46",
      "1.1754943508222875e-38",
      "1.17549428e-38",
      "16777216",
      "16777217",
      "16777218",
      "16777219",
      "33554433",
      "1.00000005960464477539062500",
      "1.00000005960464477539062501",
      "1.00000005960464477539062499",
      "1.0000001788139343",
      "0.50000002980232238769531250",
      "1e-45",
      "1e-46",
      "1e38",
      "1e60",
      "1e-60",
      "1e61",
      "1e-61",
      "0.00000000000000000000000000000000000000000000001",
      "1e00005",
      "1E+05",
      `0.${"0".repeat(400)}1`,
      `1${"0".repeat(300)}`,
      `0.${"123456789".repeat(100)}`,
      "1234567890.12345678901234567890",
      "12345678901234.5",
      "123456789012345.6",
      "1234567890123456.7",
      "1000000000.5",
      "100000000.25",
      "0.1234",
      "0.12345",
      "0.123456789012",
      "0.1234567890123456",
    ];
    for (const text of corners) {
      check(text);
      check(text.startsWith("-") ? text.slice(1) : `-${text}`);
    }
    expect(Object.is(scan("-0").value64, -0)).toBe(true);
    expect(Object.is(scan("-0.0").value32, -0)).toBe(true);
    expect(scan("1e400").value64).toBe(Number.POSITIVE_INFINITY);
    expect(scan("-1e39").value32).toBe(Number.NEGATIVE_INFINITY);
  });

  test("of random digits are rounded as Number does", () => {
    for (let seed = 1; seed <= 60_000 / SHARE; seed++) {
      const random = seededRandom(seed);
      let text =
        random.below(3) === 0 ? "0" : `${1 + random.below(9)}${digits(random, random.below(20))}`;
      if (random.below(4) > 0)
        text += `.${"0".repeat(random.below(4))}${digits(random, 1 + random.below(22))}`;
      if (random.below(3) === 0) text += `e${random.below(2) ? "-" : ""}${random.below(45)}`;
      if (!Number.isFinite(Number(text))) continue;
      check(random.below(2) ? text : `-${text}`, `seed ${seed}: ${text}`);
    }
  });

  test("near the middle of two float32 are rounded as Number does", () => {
    for (let seed = 1; seed <= 20_000 / SHARE; seed++) {
      const random = seededRandom(seed);
      const pattern = random.below(0x7f7fffff);
      const middle = (float32FromBits(pattern) + float32FromBits(pattern + 1)) / 2;
      const nudged = middle * (1 + (random.below(9) - 4) * 2 ** -53);
      check(String(nudged), `seed ${seed}: ${nudged}`);
      if (middle > 1e-6 && middle < 1e20) check(middle.toFixed(60), `seed ${seed}: ${middle}`);
    }
  });

  test("that are float32 come back as themselves, in every usual spelling", () => {
    for (let seed = 1; seed <= 20_000 / SHARE; seed++) {
      const random = seededRandom(seed);
      const value = float32FromBits(random.below(0x7f800000));
      for (const text of [String(value), value.toPrecision(9), value.toExponential(16)]) {
        const { value32 } = scan(text);
        if (!Object.is(value32, value)) expect(value32, `seed ${seed}: ${text}`).toBe(value);
      }
    }
  });

  test("end where they stop being numbers", () => {
    const ends: [string, number, boolean][] = [
      ["-", 1, false],
      ["-a", 1, false],
      ["a", 0, false],
      ["1.", 2, false],
      ["1.e5", 2, false],
      ["1e", 2, false],
      ["1e+", 3, false],
      ["01", 1, true],
      ["12]", 2, true],
      ["1.5.5", 3, true],
      ["1-2", 1, true],
      ["1e5e5", 3, true],
      ["0.1234x", 6, true],
      ["1.2345678x", 9, true],
    ];
    for (const [text, end, valid] of ends) {
      const { scanner } = scan(text);
      expect([scanner.end, scanner.valid], text).toEqual([end, valid]);
    }
  });
});

test("a builder holds what was added and forgets what was cut off", () => {
  const builder = new Float32Builder();
  for (let i = 0; i < 3000; i++) builder.push(i);
  expect(builder.view()).toEqual(Float32Array.from({ length: 3000 }, (_, i) => i));
  builder.truncate(3);
  builder.push(7);
  expect(builder.view()).toEqual(Float32Array.of(0, 1, 2, 7));
});

test("float64 of 16 to 19 digits are rounded as Number does, also next to the middle", () => {
  for (let seed = 1; seed <= 60_000 / SHARE; seed++) {
    const random = seededRandom(seed);
    const value = random.next() * 10 ** random.below(5);
    // Digits of the exact middle between this float64 and the next, cut and nudged.
    const exact = BigInt(Math.floor(value * 2 ** 60)) * 2n + BigInt(random.below(3) - 1);
    const scaled = (exact * 10n ** 22n) / 2n ** 61n;
    const text = scaled.toString().padStart(23, "0");
    const point = text.length - 22;
    const digits = text.slice(0, point).length + random.below(22) + 1;
    check(`${text.slice(0, point)}.${text.slice(point)}`.slice(0, digits + 1), `seed ${seed}`);
    check(String(value), `seed ${seed}`);
  }
  for (let seed = 1; seed <= 20_000 / SHARE; seed++) {
    const random = seededRandom(seed);
    // Integers beyond 2^53 divided by powers of two have middles of few digits.
    const middle = (2n ** 54n + 2n * BigInt(random.below(2 ** 31)) + 1n) * 5n ** 3n;
    const text = (middle + BigInt(random.below(3) - 1)).toString();
    const point = 1 + random.below(text.length - 1);
    check(`${text.slice(0, point)}.${text.slice(point)}`, `seed ${seed}`);
    check(`${text}.0`, `seed ${seed}`);
  }
});
