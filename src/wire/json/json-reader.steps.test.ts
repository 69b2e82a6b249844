import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { DatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { Float32Builder } from "./json-numbers.ts";
import { JsonReader } from "./json-reader.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const ALL_NAMES = { has: () => true };

/** Reads `{"rows":[…],"columns":{name:[…]}}` element by element, as a caller of bodies would. */
class BodyParser {
  readonly reader: JsonReader;
  readonly elements: string[] = [];
  readonly vectors = new Float32Builder();
  done = false;
  #step: () => void = this.#begin;

  constructor(reader: JsonReader) {
    this.reader = reader;
  }

  run(): void {
    while (!this.done && this.reader.attempt(() => this.#step()));
  }

  #begin(): void {
    this.reader.beginObject();
    this.#step = this.#member;
  }

  #member(): void {
    const name = this.reader.nextKnownKey(ALL_NAMES);
    if (name === undefined) {
      this.#step = this.#finish;
    } else if (name === "rows") {
      this.reader.beginArray();
      this.#step = this.#row;
    } else if (name === "columns") {
      this.reader.beginObject();
      this.#step = this.#column;
    } else {
      this.reader.skipValue();
    }
  }

  #row(): void {
    if (!this.reader.nextElement()) {
      this.#step = this.#member;
      return;
    }
    const value = this.reader.readValue();
    this.elements.push(`row ${show(value)}`);
  }

  #column(): void {
    const name = this.reader.nextKnownKey(ALL_NAMES);
    if (name === undefined) {
      this.#step = this.#member;
      return;
    }
    this.reader.beginArray();
    this.#step = () => this.#cell(name);
  }

  #cell(name: string): void {
    const before = this.vectors.length;
    const path = this.reader.path();
    if (!this.reader.nextElement()) {
      this.#step = this.#column;
      return;
    }
    expect(this.reader.path().startsWith(path.replace(/\[\d+\]$/, ""))).toBe(true);
    if (name !== "vector") {
      const value = this.reader.readValue();
      this.elements.push(`${this.reader.path()} ${show(value)}`);
      return;
    }
    try {
      this.reader.readNumbersInto(this.vectors);
    } catch (signal) {
      this.vectors.truncate(before);
      throw signal;
    }
  }

  #finish(): void {
    this.reader.finish();
    this.done = true;
  }
}

function show(value: JsonValue): string {
  return JSON.stringify(value, (_, v) => {
    if (typeof v === "bigint") return `${v}`;
    return v instanceof Map ? [...v] : v;
  });
}

const BODY = JSON.stringify({
  other: { a: [1, 2, { b: null }] },
  rows: Array.from({ length: 40 }, (_, i) => ({ id: i, text: "é".repeat(i), v: [i, i / 3] })),
  columns: {
    id: Array.from({ length: 25 }, (_, i) => i),
    vector: Array.from({ length: 25 }, (_, i) => Array.from({ length: 12 }, (_, j) => i / (j + 1))),
    text: ["a", null, "b"],
  },
  last: true,
});

function parse(chunks: Iterable<Uint8Array>): BodyParser {
  const parser = new BodyParser(new JsonReader());
  for (const chunk of chunks) if (parser.reader.push(chunk)) parser.run();
  parser.reader.end();
  parser.run();
  expect(parser.done).toBe(true);
  return parser;
}

function* chunksOf(bytes: Uint8Array, size: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + size();
    yield bytes.subarray(at, end);
    at = end;
  }
}

describe("steps", () => {
  const whole = parse([utf8(BODY)]);

  test("read the same elements however the body is cut", () => {
    expect(whole.elements).toHaveLength(40 + 25 + 3);
    expect(whole.elements[66]).toBe("columns.text[1] null");
    for (let seed = 1; seed <= effort({ usual: 60, full: 300 }); seed++) {
      const random = seededRandom(seed);
      const longest = 1 + random.below(400);
      const parser = parse(chunksOf(utf8(BODY), () => 1 + random.below(longest)));
      expectEqual(parser.elements, whole.elements, `seed ${seed}`);
      expectEqual(parser.vectors.view(), whole.vectors.view(), `seed ${seed}`);
    }
  });

  test("round vectors to float32", () => {
    expect(whole.vectors.length).toBe(25 * 12);
    expect(whole.vectors.view().subarray(12 + 2, 12 + 3)).toEqual(Float32Array.of(1 / 3));
  });

  test("run again only when the unread bytes have doubled", () => {
    const reader = new JsonReader();
    let runs = 0;
    const step = () => {
      runs++;
      reader.readValue();
    };
    const bytes = utf8(JSON.stringify("x".repeat(1 << 20)));
    for (const chunk of chunksOf(bytes, () => 64)) if (reader.push(chunk)) reader.attempt(step);
    reader.end();
    expect(reader.attempt(step)).toBe(true);
    expect(runs).toBeLessThan(20);
    expect(reader.offset).toBe(bytes.length);
  });

  test("take memory for the longest element, not for the body", () => {
    const reader = new JsonReader();
    let elements = 0;
    const open = () => reader.beginArray();
    const step = () => {
      expect(reader.nextElement()).toBe(true);
      reader.readString();
    };
    reader.push(utf8("["));
    reader.attempt(open);
    const before = process.memoryUsage().arrayBuffers;
    const element = utf8(`"${"x".repeat(100_000)}",\n`);
    for (let i = 0; i < 500; i++) {
      if (reader.push(element)) while (reader.attempt(step)) elements++;
    }
    expect(elements).toBe(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 << 20);
    reader.push(utf8("x"));
    expect(() => reader.attempt(step)).toThrow("[500]: expected a value at line 501 column 1");
  });

  test("longer than allowed are refused as too large", () => {
    const reader = new JsonReader({ stepBytesMax: 1000 });
    reader.push(utf8(`"${"x".repeat(2000)}`));
    try {
      reader.attempt(() => reader.readString());
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseError);
      expect((error as DatabaseError).code).toBe("too_large");
    }
  });

  test("an interrupted object does not take its names for duplicates", () => {
    const names = Array.from({ length: 50 }, (_, i) => `name${i}`);
    const text = `{${names.map((name) => `"${name}":1`).join(",")},"name3":2}`;
    const reader = new JsonReader();
    const read: string[] = [];
    const step = () => {
      const name = reader.nextKnownKey(ALL_NAMES);
      reader.skipValue();
      if (name !== undefined) read.push(name);
    };
    let open = false;
    const run = () => {
      open ||= reader.attempt(() => reader.beginObject());
      if (open) while (reader.attempt(step));
    };
    const feed = () => {
      for (const byte of utf8(text)) if (reader.push(Uint8Array.of(byte))) run();
      reader.end();
      run();
    };
    expect(feed).toThrow("name3: duplicate key");
    expect(read).toEqual(names);
  });

  test("an interruption costs the same after many names as after few", () => {
    const reader = new JsonReader();
    reader.push(utf8("{"));
    reader.attempt(() => reader.beginObject());
    let count = 0;
    const step = () => {
      reader.nextKnownKey(ALL_NAMES);
      reader.skipValue();
      count++;
    };
    // Each piece ends inside a member. One pass over all names each time would take minutes.
    const pieces = effort({ usual: 20_000, full: 80_000 });
    for (let i = 0; i < pieces; i++) {
      if (reader.push(utf8(`"name${i}":1,"name${i}+":`))) while (reader.attempt(step));
      if (reader.push(utf8("2,"))) while (reader.attempt(step));
    }
    reader.push(utf8('"last":3}'));
    reader.end();
    while (count <= 2 * pieces) reader.attempt(step);
    expect(reader.nextKnownKey(ALL_NAMES)).toBeUndefined();
  });
});

describe("typed reads", () => {
  const reading = (text: string) => {
    const reader = new JsonReader();
    reader.push(utf8(text));
    reader.end();
    return reader;
  };

  test("integers are exact", () => {
    expect(reading("18446744073709551615").readNumeric()).toBe(18446744073709551615n);
    expect(reading("-9007199254740991").readNumeric()).toBe(-9007199254740991);
    expect(Object.is(reading("-0").readNumeric(), 0)).toBe(true);
  });

  test("a value of another kind is named with path and position", () => {
    const mismatch = (text: string, read: (reader: JsonReader) => unknown) => {
      const reader = reading(text);
      reader.beginObject();
      reader.nextKnownKey(ALL_NAMES);
      expect(() => read(reader)).toThrow(DatabaseError);
      const again = reading(text);
      again.beginObject();
      again.nextKnownKey(ALL_NAMES);
      try {
        read(again);
      } catch (error) {
        expect((error as DatabaseError).code).toBe("malformed");
        return (error as DatabaseError).message.replace(/^.*target type: /, "");
      }
      return undefined;
    };
    expect(mismatch('{"upsert_rows":{}}', (r) => r.beginArray())).toBe(
      "upsert_rows: invalid type: map, expected a sequence at line 1 column 16",
    );
    expect(
      mismatch('{"consistency": "eventual"}', (r) => r.beginObject("struct Consistency")),
    ).toBe(
      'consistency: invalid type: string "eventual", expected struct Consistency ' +
        "at line 1 column 17",
    );
    expect(mismatch('{"limit":1.5}', (r) => r.readString())).toBe(
      "limit: invalid type: floating point `1.5`, expected a string at line 1 column 10",
    );
    expect(mismatch('{"v":[1,null]}', (r) => r.readNumbersInto(new Float32Builder()))).toBe(
      "v[1]: invalid type: null, expected a number at line 1 column 9",
    );
    expect(mismatch('{"v":[[1]]}', (r) => r.readBoolean())).toBe(
      "v: invalid type: sequence, expected a boolean at line 1 column 6",
    );
    expect(mismatch('{"v":true}', (r) => r.readString())).toBe(
      "v: invalid type: boolean `true`, expected a string at line 1 column 6",
    );
  });

  test("the first element of an array can be seen from outside", () => {
    const reader = reading(" [ [1], 2]");
    expect(reader.peekElementKind()).toBe("array");
    expect(reader.readValue()).toEqual([[1n], 2n]);
    expect(reading("[ ]").peekElementKind()).toBeUndefined();
  });
});

/** The fault of reading `{"<name>":1}` whose name is an attribute's, in chunks; undefined if none. */
function nameFault(name: string, chunkBytes: number): string | undefined {
  const reader = new JsonReader();
  let names = 0;
  reader.push(utf8("{"));
  reader.attempt(() => reader.beginObject());
  const run = () => {
    while (names === 0 && reader.attempt(() => reader.nextAttributeName() !== undefined)) names++;
  };
  try {
    for (const chunk of chunksOf(utf8(`"${name}":1}`), () => chunkBytes)) {
      if (reader.push(chunk)) run();
    }
    reader.end();
    run();
  } catch (error) {
    return (error as DatabaseError).message;
  }
  return undefined;
}

describe("attributes' names", () => {
  test.each([
    ["of 128 letters", "y".repeat(128)],
    ["of 128 escapes", "\\ud83d\\udc21".repeat(128)],
    ["of 128 characters of four bytes", "🐡".repeat(128)],
  ])("%s are read", (_, name) => {
    for (const bytes of [1, 7, 1000, 1e6]) expect(nameFault(name, bytes)).toBeUndefined();
  });

  test.each([
    ["of 129 letters", "y".repeat(129), "is too long"],
    ["of 129 escapes", "\\ud83d\\udc21".repeat(129), "is too long"],
    ["of 100,000 quotes", '\\"'.repeat(100_000), "is too long"],
    ["of 100,000 characters", "é".repeat(100_000), "is too long"],
    ["with a fault far behind", `${"y".repeat(50_000)}\n`, "is too long"],
    ["with a fault before", `\n${"y".repeat(50_000)}`, "control character"],
  ])("%s are refused in the same words however they are cut", (_, name, text) => {
    const whole = nameFault(name, 1e6);
    expect(whole).toContain(text);
    expect(whole?.length).toBeLessThan(200);
    for (const bytes of [1, 7, 1000]) expect(nameFault(name, bytes)).toBe(whole);
  });

  test("are refused before their ends are there", () => {
    const reader = new JsonReader();
    reader.push(utf8(`{"${"y".repeat(2000)}`));
    reader.attempt(() => reader.beginObject());
    expect(() => reader.attempt(() => reader.nextAttributeName())).toThrow("is too long");
  });

  test("paths quote a bounded part of them", () => {
    const reader = new JsonReader();
    reader.push(utf8(`{"${"y".repeat(1e6)}":x}`));
    reader.end();
    expect(() => reader.readValue()).toThrow(/: \["y{256}…"\]: expected a value at line 1/);
  });
});
