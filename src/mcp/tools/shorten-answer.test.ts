import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { seededRandom } from "../../base/random.ts";
import { ANSWER_BYTES_MAX, RESULT_BYTES_MAX, shortenAnswer } from "./shorten-answer.ts";

const shown = (value: unknown) =>
  shortenAnswer(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), "ask less");

test("an answer that fits is whole, integers of 64 bits too", () => {
  const text = '{"rows":[{"id":18446744073709551615,"price":0.5,"none":null}]}';
  expect(shown(text)).toBe(text);
});

test("vectors are shown by their first numbers", () => {
  const vector = Array.from({ length: 768 }, (_, i) => i + 0.5);
  expect(shown({ rows: [{ id: 1, vector, few: [1, 2, 3] }] })).toBe(
    '{"rows":[{"id":1,"vector":"[0.5, 1.5, 2.5, … 768 numbers]","few":[1,2,3]}]}',
  );
});

test("what is cut is said first, and the rest is JSON", () => {
  const rows = Array.from({ length: 1000 }, (_, id) => ({ id, text: "word ".repeat(20) }));
  const [note, json] = shown({ rows }).split("\n");
  const kept = JSON.parse(json).rows;
  expect(note).toBe(
    "This answer was longer than 32768 bytes: texts longer than 1000 characters are cut; " +
      `${kept.length} of 1000 rows are shown. To see the rest, ask less.`,
  );
  expect(kept).toEqual(rows.slice(0, kept.length));
});

test("lists of several subqueries are cut, the longest first", () => {
  const long = Array.from({ length: 500 }, (_, id) => ({ id, text: "x".repeat(100) }));
  const results = [{ rows: long }, { rows: long.slice(0, 3) }];
  const [note, json] = shown({ results }).split("\n");
  expect(JSON.parse(json).results[1].rows).toHaveLength(3);
  expect(note).toMatch(/; \d+ of 500 results\[0\]\.rows are shown\./);
});

test("where no list can be shortened the end is missing", () => {
  const schema = Object.fromEntries(
    Array.from({ length: 1024 }, (_, i) => [`attribute_${i}_${"ü".repeat(50)}`, "string"]),
  );
  const text = shown({ schema });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
  expect(text).toMatch(/… \(the end is missing\)$/);
});

test("what is too large to be looked at is refused, with what to do", () => {
  const body = Buffer.alloc(ANSWER_BYTES_MAX + 1, "1");
  expect(() => shortenAnswer(body, "ask less")).toThrow(/4194305 bytes.*; ask less$/);
});

test("no answer is longer than the limit, whatever is in it", () => {
  const random = seededRandom(7);
  const draw = (n: number) => random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) % n;
  for (let round = 0; round < effort({ usual: 10, full: 40 }); round++) {
    const rows = Array.from({ length: draw(300) }, (_, id) => ({
      id,
      text: ["é", "x", "\u0001", "😀"][draw(4)].repeat(draw(3000)),
      tags: Array.from({ length: draw(20) }, () => "tag".repeat(draw(50))),
    }));
    const text = shown({ rows });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RESULT_BYTES_MAX);
    JSON.parse(text.slice(text.indexOf("{")));
  }
});
