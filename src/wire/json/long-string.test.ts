/** Tokens that take several steps: strings, and space, in bodies that arrive in pieces. */

import { describe, expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { parseQueryBody } from "../query/parse-query.ts";
import { WriteBodyParser } from "../write/parse-write.ts";
import { JsonReader } from "./json-reader.ts";
import { LONG_PIECE_BYTES } from "./long-string.ts";

/** Units of the random strings, as JSON. */
const UNITS = [
  "a",
  "é",
  "€",
  "🐡",
  "\\n",
  "\\u00e9",
  "\\ud83d\\udc21",
  '\\"',
  "\\\\",
  "some words ",
];
const FAULTS = ["\n", "\\x", "\\u12x", "\\ud83d", "\\udc21", "\\ud83d\\u0041"];

/** The JSON of a string of about so many bytes, in which a few units repeat. */
function longString(random: Random, bytes: number, fault = ""): string {
  const parts: string[] = [];
  for (let length = 0; length < bytes; ) {
    const unit = UNITS[random.below(UNITS.length)].repeat(1 + random.below(5000));
    parts.push(unit);
    length += unit.length;
  }
  if (fault !== "") parts.splice(random.below(parts.length), 0, fault);
  return `"${parts.join("")}"`;
}

function* cutUp(bytes: Buffer, random: Random, most: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + random.below(most);
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** The text of the one attribute of the one document of a write. */
function written(body: string, random: Random, most = 400_000): unknown {
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  for (const chunk of cutUp(Buffer.from(body), random, most)) runSteps(parser.push(chunk));
  const { upserts } = runSteps(parser.finish());
  return upserts?.attributes.get("a")?.values[0];
}

describe("long strings", () => {
  test("are what JSON.parse reads, however they arrive", () => {
    const random = testRandom();
    for (let round = 0; round < 8; round++) {
      const text = longString(random, random.below(4 * LONG_PIECE_BYTES));
      const space = " \n".repeat(random.below(LONG_PIECE_BYTES));
      const body = `{"upsert_rows":[{"id":1${space},${space}"a"${space}:${space}${text}}]}`;
      expect(written(body, random) === JSON.parse(text), `round ${round}`).toBe(true);
      const inArray = body.replace(text, () => `["x",${text},${space}${text}]`);
      expect(written(inArray, random)).toEqual(["x", JSON.parse(text), JSON.parse(text)]);
    }
  });

  test("have the same faults at the same places as short ones", () => {
    const random = testRandom();
    const faultOf = (read: () => unknown): string => {
      try {
        read();
      } catch (error) {
        if (error instanceof DatabaseError) return error.message;
        throw error;
      }
      return "none";
    };
    for (let round = 0; round < 12; round++) {
      const text = longString(random, 2 * LONG_PIECE_BYTES, FAULTS[round % FAULTS.length]);
      const body = `{"upsert_rows":[{"id":1,"a":${text}}]}`;
      const whole = faultOf(() => {
        const reader = new JsonReader();
        reader.push(Buffer.from(body));
        reader.end();
        return reader.readValue();
      });
      expect(whole).toMatch(/in a string at line|control character/);
      expect(
        faultOf(() => written(body, random)),
        `round ${round}`,
      ).toBe(whole);
    }
  });

  test.each([
    ["a string", (long: string) => `"${long}"`, "a"],
    ["escapes", (long: string) => `"${long}"`, "\\u00e9"],
    ["space", (long: string) => `[1,${long}2]`, " "],
  ])("%s of an unknown member is passed in steps", (_, spell, unit) => {
    const long = unit.repeat((16 * LONG_PIECE_BYTES) / unit.length);
    const body = Buffer.from(`{"top_k":1,"filters":["a","Eq",1],"x":${spell(long)}}`);
    expect(countSteps(parseQueryBody(body)).count).toBeGreaterThanOrEqual(16);
  });

  test("a name may have at most so many bytes", () => {
    const body = `{"top_k":1,"filters":["a","Eq",1],"x":{"${"é".repeat(1e6)}":1}}`;
    expect(() => runSteps(parseQueryBody(Buffer.from(body)))).toThrow(
      "a string here may have at most 1048576 bytes of JSON",
    );
  });

  test("a request of many comes to its end", () => {
    const long = "x".repeat(2 * LONG_PIECE_BYTES);
    const space = " ".repeat(2 * LONG_PIECE_BYTES);
    const members = Array.from(
      { length: 12 },
      (_, i) => `"${i}"${space}:${space}"${long}"${space}`,
    );
    const body = Buffer.from(`{"top_k":1,"filters":["a","Eq",1],"x":{${members}}}`);
    const { result, count } = countSteps(parseQueryBody(body));
    expect(result.queries).toHaveLength(1);
    expect(count).toBeLessThan(500);
  });
});

test("a number has at most so many characters", () => {
  const read = (number: string) => () =>
    runSteps(parseQueryBody(Buffer.from(`{"top_k":1,"filters":["a","Eq",${number}]}`)));
  const rule = "filters[2]: a number has at most 65536 characters";
  for (const start of ["", "0.", "0.000", "1e", "1.5e-"]) {
    expect(read(`${start}${"7".repeat(70_000)}`)).toThrow(rule);
  }
  expect(read(`0.${"0".repeat(70_000)}1`)).toThrow(rule);
  expect(read(`0.${"7".repeat(60_000)}`)).not.toThrow();
});
