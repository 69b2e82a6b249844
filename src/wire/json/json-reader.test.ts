import { describe, expect, test } from "vitest";
import { DatabaseError } from "../../base/errors.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import {
  isJsonNumbers,
  type JsonNumbers,
  type JsonValue,
  jsonElements,
} from "../../model/json-value.ts";
import { NUMBER_BYTES_MAX } from "./json-numbers.ts";
import { JsonReader, parseJson } from "./json-reader.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

/** What JSON.parse would have given; only for values whose integers it keeps. */
function plain(value: JsonValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isJsonNumbers(value)) return Array.from(value.values, (v) => v + 0);
  if (value instanceof Map) return [...value].map(([name, member]) => [name, plain(member)]);
  return Array.isArray(value) ? value.map(plain) : value;
}

/** The same form of what JSON.parse gave. Objects must not have keys that look like integers. */
function listed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(listed);
  if (typeof value === "number") return value + 0;
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value).map(([name, member]) => [name, listed(member)]);
}

const TEXTS = [
  "",
  "a",
  "id",
  "é",
  "日本語",
  "😀",
  '"\\/\b\f\n\r\t',
  "\u2028",
  "x".repeat(70),
  "\u007f",
];

function randomText(random: Random): string {
  return `k${TEXTS[random.below(TEXTS.length)]}${random.below(40)}`;
}

function randomNumber(random: Random): number {
  const kind = random.below(5);
  if (kind === 0) return random.below(1000) - 500;
  if (kind === 1) return random.next() * 2 - 1;
  if (kind === 2) return (random.next() - 0.5) * 10 ** (random.below(600) - 300);
  if (kind === 3) return Math.fround(random.next());
  return random.below(2 ** 31) * 2 ** 21;
}

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 6 : 9);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind <= 3) return randomNumber(random);
  if (kind <= 5) return randomText(random);
  const length = random.below(12);
  if (kind === 6) return Array.from({ length }, () => randomNumber(random));
  if (kind === 7) return Array.from({ length }, () => randomValue(random, depth + 1));
  const members = Array.from({ length }, () => [
    randomText(random),
    randomValue(random, depth + 1),
  ]);
  return Object.fromEntries(members);
}

/** Parses by steps while `sizes()` says how long the next chunk is; each step reads all. */
function parseInChunks(bytes: Uint8Array, sizes: () => number): JsonValue | undefined {
  const reader = new JsonReader();
  let value: JsonValue | undefined;
  let read = false;
  const run = () => {
    if (!read)
      read = reader.attempt(() => {
        value = reader.readValue();
      });
    return read && reader.attempt(() => reader.finish());
  };
  for (let at = 0; at < bytes.length; ) {
    const end = at + sizes();
    if (reader.push(bytes.subarray(at, end))) run();
    at = end;
  }
  reader.end();
  expect(run()).toBe(true);
  return value;
}

function faultOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof DatabaseError) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("values", () => {
  test("random values read as JSON.parse reads them, whole and in random chunks", () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const random = seededRandom(seed);
      const source = randomValue(random, 0);
      const text = JSON.stringify(source, null, random.below(3));
      const wanted = listed(JSON.parse(text));
      expect(plain(parseJson(utf8(text))), `seed ${seed}`).toEqual(wanted);
      const chunked = parseInChunks(utf8(text), () => 1 + random.below(40));
      expect(chunked === undefined ? undefined : plain(chunked), `seed ${seed}`).toEqual(wanted);
    }
  });

  test("a body may be cut in two at every byte", () => {
    const text =
      '\ufeff{"upsert_rows":[{"id":18446744073709551615,"né\\ud83d\\ude00\\n":' +
      "[1,-2.5e-3,0.1,4,5,6,7,8," +
      '9.25],"t":true,"f":false,"n":null,"日本":"語"}]}\n ';
    const bytes = utf8(text);
    const wanted = parseJson(bytes);
    for (let cut = 0; cut <= bytes.length; cut++) {
      let first = true;
      const sizes = () => {
        const size = first ? cut : bytes.length;
        first = false;
        return size;
      };
      expect(parseInChunks(bytes, sizes), `cut at ${cut}`).toEqual(wanted);
    }
    expect(parseInChunks(bytes, () => 1)).toEqual(wanted);
  });

  test("the syntax of a number decides its type", () => {
    const value = parseJson(utf8("[7, -0, 7.0, 7e0, -9223372036854775808, 9007199254740993]"));
    expect(value).toEqual([7n, 0n, 7, 7, -9223372036854775808n, 9007199254740993n]);
  });

  test("long arrays of numbers are flat, and exact where float64 is not", () => {
    expect(parseJson(utf8("[1,2,3,4,5,6,7,8,-9]"))).toEqual({
      values: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, -9),
      integers: true,
      exact: undefined,
    });
    const mixed = parseJson(utf8("[1,2,3,4,5,6,7,8,9.0]"));
    expect(isJsonNumbers(mixed) && !mixed.integers).toBe(true);
    const large = parseJson(utf8("[1,2,3,4,5,6,7 , 8,\n18446744073709551615]")) as JsonNumbers;
    expect(large.exact).toEqual([[8, 2n ** 64n - 1n]]);
    expect(jsonElements(large)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 2n ** 64n - 1n]);
    expect(parseJson(utf8("[1,2,3,4,5,6,7,8]"))).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
    expect(Array.isArray(parseJson(utf8('[1,2,3,4,5,6,7,8,9,"a"]')))).toBe(true);
  });

  test("the name __proto__ is a name like any other", () => {
    expect(parseJson(utf8('{"__proto__":{"a":1}}'))).toEqual(
      new Map([["__proto__", new Map([["a", 1n]])]]),
    );
  });
});

const ACCEPTED = [
  "null",
  " true ",
  "\t\r\n0",
  "-0",
  "-1",
  "0.5",
  "1E5",
  "1e+5",
  "1e-5",
  "0e0",
  "123456789012345678901",
  "1.7976931348623157e308",
  "5e-324",
  "1e-400",
  '""',
  '"\\u0000"',
  '"\\uD83D\\uDE00"',
  '"\\/"',
  '"\u007f"',
  "[]",
  "[ ]",
  "{}",
  "{ }",
  "[[[]]]",
  '{"":0}',
  '{"a":{"a":1}}',
  "[1, [2]]",
  '"\uffff"',
  '"\u{10ffff}"',
];

const REFUSED: [text: string, reason: string, hint?: string][] = [
  ["", "unexpected end of the body at line 1 column 1", "the body is empty, send a JSON object"],
  [" \n", "unexpected end of the body at line 2 column 1"],
  ["nul", "unexpected end of the body at line 1 column 4"],
  ["nulL", "expected `null` at line 1 column 4"],
  ["True", "expected a value at line 1 column 1", "JSON's word is true"],
  [
    "NaN",
    "expected a value at line 1 column 1",
    "JSON has finite numbers only; leave the value out or use null",
  ],
  [
    "Infinity",
    "expected a value at line 1 column 1",
    "JSON has finite numbers only; leave the value out or use null",
  ],
  [
    "-Infinity",
    "invalid number at line 1 column 2",
    "JSON has finite numbers only; leave the value out or use null",
  ],
  [
    "+1",
    "expected a value at line 1 column 1",
    "JSON's numbers begin with a digit or a minus and one, as in 0.5 and -1",
  ],
  ["01", "trailing characters at line 1 column 2"],
  ["-01", "trailing characters at line 1 column 3"],
  ["1.", "unexpected end of the body at line 1 column 3"],
  ["1.a", "invalid number at line 1 column 3"],
  [
    ".5",
    "expected a value at line 1 column 1",
    "JSON's numbers begin with a digit or a minus and one, as in 0.5 and -1",
  ],
  ["1e", "unexpected end of the body at line 1 column 3"],
  ["1e+x", "invalid number at line 1 column 4"],
  ["-", "unexpected end of the body at line 1 column 2"],
  ["0x10", "trailing characters at line 1 column 2"],
  ["1_000", "trailing characters at line 1 column 2"],
  [
    "1e400",
    "number out of range at line 1 column 1",
    "`1e400` is beyond the range of 64-bit floats, -1.8e308 to 1.8e308",
  ],
  [
    "-1e400",
    "number out of range at line 1 column 1",
    "`-1e400` is beyond the range of 64-bit floats, -1.8e308 to 1.8e308",
  ],
  [
    `${"9".repeat(400)}`,
    "number out of range at line 1 column 1",
    `\`${"9".repeat(100)}…\` is beyond the range of 64-bit floats, -1.8e308 to 1.8e308`,
  ],
  [
    "[nan]",
    "[0]: expected `null` at line 1 column 3",
    "JSON has finite numbers only; leave the value out or use null",
  ],
  ["[None]", "[0]: expected a value at line 1 column 2", "JSON's word for no value is null"],
  ["[undefined]", "[0]: expected a value at line 1 column 2", "JSON's word for no value is null"],
  [
    "[+inf]",
    "[0]: expected a value at line 1 column 2",
    "JSON has finite numbers only; leave the value out or use null",
  ],
  ["['a']", "[0]: expected a value at line 1 column 2", "JSON has double quotes only"],
  ["[Name]", "[0]: expected a value at line 1 column 2"],
  ["[1] # c", "trailing characters at line 1 column 5", "JSON has no comments"],
  ["[1 // c\n]", "[0]: expected `,` or `]` at line 1 column 4", "JSON has no comments"],
  ["{/*c*/}", "expected a member's name in quotes at line 1 column 2", "JSON has no comments"],
  ["1 2", "trailing characters at line 1 column 3"],
  ["[1,]", "[0]: trailing comma at line 1 column 4"],
  ["[,1]", "[0]: expected a value at line 1 column 2"],
  ["[1 2]", "[0]: expected `,` or `]` at line 1 column 4"],
  ["[1", "[0]: unexpected end of the body at line 1 column 3"],
  ["[1}", "[0]: expected `,` or `]` at line 1 column 3"],
  ["]", "expected a value at line 1 column 1"],
  ['{"a":1,}', "a: trailing comma at line 1 column 8"],
  ['{"a" 1}', "a: expected `:` at line 1 column 6"],
  ['{"a"}', "a: expected `:` at line 1 column 5"],
  ["{a:1}", "expected a member's name in quotes at line 1 column 2"],
  [
    "{'a':1}",
    "expected a member's name in quotes at line 1 column 2",
    "JSON has double quotes only",
  ],
  ['{"a":1 "b":2}', "a: expected `,` or `}` at line 1 column 8"],
  ['{"a":1,"a":2}', "a: duplicate key at line 1 column 12"],
  ['{"a":[{"b":1,"b":2}]}', "a[0].b: duplicate key at line 1 column 18"],
  ['"a', "unexpected end of the body at line 1 column 3"],
  ['"\\', "unexpected end of the body at line 1 column 3"],
  ['"\\u12', "unexpected end of the body at line 1 column 6"],
  ['"a\nb"', "control character in a string at line 1 column 3"],
  ['"a\u0000b"', "control character in a string at line 1 column 3"],
  ['"\\x41"', "unknown escape in a string at line 1 column 2"],
  ['"\\u12g4"', "bad \\u escape in a string at line 1 column 2"],
  ['"\\ud800"', "lone surrogate in a string at line 1 column 2"],
  ['"\\ud800\\u0041"', "lone surrogate in a string at line 1 column 2"],
  ['"\\udc00"', "lone surrogate in a string at line 1 column 2"],
  ["\u00a01", "expected a value at line 1 column 1"],
  ["// c\n1", "expected a value at line 1 column 1", "JSON has no comments"],
  ["[1,/*c*/2]", "[1]: expected a value at line 1 column 4", "JSON has no comments"],
  ["\ufeff\ufeff1", "expected a value at line 1 column 4"],
];

const BROKEN_UTF8: [string, number[]][] = [
  ["lone continuation", [0x80]],
  ["overlong slash", [0xc0, 0xaf]],
  ["overlong in three", [0xe0, 0x80, 0xaf]],
  ["surrogate", [0xed, 0xa0, 0x80]],
  ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ["cut short", [0xe3, 0x81]],
  ["five bytes", [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ["0xff", [0xff]],
];

describe("grammar", () => {
  test.each(ACCEPTED)("accepts %j", (text) => {
    expect(plain(parseJson(utf8(text)))).toEqual(listed(JSON.parse(text)));
  });

  test.each(REFUSED)("refuses %j", (text, reason, hint) => {
    const whole = `Failed to parse the request body as JSON: ${reason}${hint ? `; ${hint}` : ""}`;
    expect(faultOf(() => parseJson(utf8(text)))).toBe(whole);
    // The same in whatever pieces it comes.
    const reader = new JsonReader();
    const step = (): void => {
      reader.readValue();
      reader.finish();
    };
    expect(
      faultOf(() => {
        for (const byte of utf8(text)) {
          reader.push(Uint8Array.of(byte));
          if (reader.attempt(step)) return;
        }
        reader.end();
        reader.attempt(step);
      }),
    ).toBe(whole);
  });

  test("a second object is told how JSON lines are sent", () => {
    const text = '{"id":1}\n{"id":2}';
    expect(faultOf(() => parseJson(utf8(text)))).toMatch(
      /trailing characters at line 2 column 1; the body is one JSON value; .* \{"upsert_rows": \[/,
    );
  });

  test.each(BROKEN_UTF8)("refuses %s as invalid UTF-8", (_, broken) => {
    const bytes = Uint8Array.of(...utf8('{"é":"aé'), ...broken, ...utf8('z"}'));
    expect(faultOf(() => parseJson(bytes))).toMatch(
      /^Failed to parse the request body as JSON: é: invalid UTF-8 at line 1 column \d+$/u,
    );
  });

  test("the length of a number is bounded", () => {
    const longest = `0.${"7".repeat(NUMBER_BYTES_MAX - 2)}`;
    expect(parseJson(utf8(`[true,${longest}]`))).toEqual([true, Number(longest)]);
    const shapes = ["7", "0.0", "0.7", "7e0", "7e7", "-7"];
    for (const shape of shapes) {
      const text = shape + shape.slice(-1).repeat(NUMBER_BYTES_MAX + 1 - shape.length);
      expect(() => parseJson(utf8(`[${text}]`)), shape).toThrow(
        `a number has at most ${NUMBER_BYTES_MAX} characters at line 1 column 2`,
      );
    }
    // Each part is within the limit.
    const half = "7".repeat(NUMBER_BYTES_MAX / 2);
    expect(() => parseJson(utf8(`${half}.${half}e${half}`))).toThrow("a number has at most");
  });

  test("nesting is bounded", () => {
    expect(() => parseJson(utf8("[".repeat(64) + "]".repeat(64)))).not.toThrow();
    expect(faultOf(() => parseJson(utf8("[".repeat(65))))).toContain(
      "nested deeper than 64 levels",
    );
    expect(faultOf(() => parseJson(utf8('{"a":'.repeat(1e5))))).toContain("nested deeper");
  });

  test("mutated bodies give a value or an operating error, and nothing else", () => {
    const source = utf8(
      '{"upsert_rows":[{"id":1,"vector":[0.1,-0.25,3e-2,4,5,6,7,8,9.5],' +
        '"s":"a\\u00e9\\n日本"},{"id":"x"}],"distance_metric":"cosine_distance",' +
        '"filters":["And",[["a","Eq",null],["b","In",[true,false]]]]}',
    );
    let accepted = 0;
    for (let seed = 1; seed <= 20_000; seed++) {
      const random = seededRandom(seed);
      let bytes = source.slice();
      for (let i = random.below(3); i >= 0; i--) {
        const at = random.below(bytes.length);
        const kind = random.below(3);
        if (kind === 0) bytes[at] = random.below(256);
        else if (kind === 1) bytes = bytes.slice(0, at);
        else bytes.copyWithin(at, random.below(bytes.length), random.below(bytes.length));
        if (bytes.length === 0) bytes = source.slice();
      }
      try {
        parseJson(bytes);
        accepted++;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw new Error(`seed ${seed}`, { cause: error });
        expect(error.code).toBe("invalid");
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });
});
