import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { shortestFloat32 } from "./float32-decimal.ts";
import { Float32Builder } from "./json-numbers.ts";
import { JsonReader } from "./json-reader.ts";
import { JsonWriter } from "./json-writer.ts";

const written = (write: (writer: JsonWriter) => void) => {
  const writer = new JsonWriter();
  write(writer);
  return new TextDecoder("utf-8", { fatal: true }).decode(writer.bytes());
};

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);
function randomFloat32(random: Random): number {
  do bits[0] = random.below(2 ** 32);
  while (!Number.isFinite(floats[0]));
  return floats[0];
}

describe("strings", () => {
  test("are written as JSON.stringify writes them", () => {
    const pieces = [
      "a",
      "é",
      "日",
      "😀",
      '"',
      "\\",
      "\n",
      "\u0000",
      "\u001f",
      "\u007f",
      "\ud83d",
      "\ude00",
      "/",
    ];
    for (let seed = 1; seed <= 5000; seed++) {
      const random = seededRandom(seed);
      let text = "";
      for (let i = random.below(40); i > 0; i--) text += pieces[random.below(pieces.length)];
      expect(
        written((w) => w.string(text)),
        `seed ${seed}`,
      ).toBe(JSON.stringify(text));
    }
    const long = "日本😀".repeat(10_000);
    expect(written((w) => w.string(long))).toBe(JSON.stringify(long));
  });
});

describe("numbers", () => {
  test("integers keep all digits", () => {
    expect(written((w) => w.integer(18446744073709551615n))).toBe("18446744073709551615");
    expect(written((w) => w.integer(-9223372036854775808n))).toBe("-9223372036854775808");
    expect(written((w) => w.integer(-5))).toBe("-5");
  });

  test("float64 are the shortest that read back", () => {
    expect(written((w) => w.float64(0.1 + 0.2))).toBe("0.30000000000000004");
    expect(written((w) => w.float64(-0))).toBe("-0.0");
    expect(written((w) => w.float64(1e21))).toBe("1e+21");
    expect(written((w) => w.float64(Number.NaN))).toBe("null");
  });

  test("float32 are the shortest that read back", () => {
    const spelled: [number, string][] = [
      [0.7, "0.7"],
      [0.123456789, "0.12345679"],
      [16777216, "16777216"],
      [3.4028235e38, "3.4028235e+38"],
      [1e-45, "1e-45"],
      [-0, "-0.0"],
      [0, "0"],
      [1, "1"],
      [100, "100"],
      [1e10, "10000000000"],
      [0.001, "0.001"],
      [9.999999e-6, "0.000009999999"],
      [1e20, "100000000000000000000"],
    ];
    for (const [value, text] of spelled) {
      expect(written((w) => w.float32(Math.fround(value)))).toBe(text);
    }
    for (let seed = 1; seed <= effort({ usual: 25_000, full: 100_000 }); seed++) {
      const random = seededRandom(seed);
      const kind = random.below(3);
      const value =
        kind === 0
          ? randomFloat32(random)
          : Math.fround(
              kind === 1 ? random.next() * 2 - 1 : random.below(1e6) / 10 ** random.below(9),
            );
      const text = written((w) => w.float32(value));
      expect(text, `seed ${seed}`).toBe(String(shortestFloat32(value)));
      expect(Math.fround(Number(text)), `seed ${seed}`).toBe(value);
    }
  });

  test("arrays of float32 come back bit by bit through the reader", () => {
    const random = seededRandom(7);
    const values = Float32Array.from({ length: 20_000 }, () => randomFloat32(random));
    const text = written((w) => w.float32Array(values));
    const reader = new JsonReader();
    reader.push(new TextEncoder().encode(text));
    reader.end();
    const builder = new Float32Builder();
    expect(reader.readNumbersInto(builder)).toBe(values.length);
    expect(new Uint32Array(builder.view().slice().buffer)).toEqual(new Uint32Array(values.buffer));
    expect(written((w) => w.float32Array(new Float32Array(0)))).toBe("[]");
  });
});

test("values, keys and punctuation make a body", () => {
  const text = written((w) => {
    w.raw('{"rows":[{');
    w.key('a"b');
    w.boolean(true);
    w.raw(",");
    w.key("v");
    w.float32Base64(Float32Array.of(1, -2));
    w.raw("},");
    w.null();
    w.rawBytes(new TextEncoder().encode("]}"));
  });
  expect(JSON.parse(text)).toEqual({ rows: [{ 'a"b': true, v: "AACAPwAAAMA=" }, null] });
});

test("what was cut off is forgotten", () => {
  expect(
    written((w) => {
      w.raw("[1");
      const mark = w.length;
      w.raw(",2".repeat(5000));
      w.truncate(mark);
      w.raw("]");
    }),
  ).toBe("[1]");
});
