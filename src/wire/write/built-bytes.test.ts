import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import { ARRAY_BYTES, CELL_BYTES, ELEMENT_BYTES, STRING_BYTES, VIEW_BYTES } from "./built-bytes.ts";
import { WriteBodyParser } from "./parse-write.ts";

/** The most that was held while a body was parsed; `bytesMax` ends it. */
function heldBy(body: string, bytesMax = Number.POSITIVE_INFINITY): number {
  let held = 0;
  const memory = {
    vectors: () => undefined,
    hold: (bytes: number) => {
      held = Math.max(held, bytes);
      if (bytes > bytesMax) throw new Error("too much");
    },
  };
  const hints = { typeOf: () => undefined };
  const parser = new WriteBodyParser(hints, new UnknownMembers(), memory);
  runSteps(parser.push(Buffer.from(body)));
  runSteps(parser.finish());
  return held + body.length;
}

const rows = (count: number, row: (i: number) => string) =>
  `{"upsert_rows":[${Array.from({ length: count }, (_, i) => row(i)).join()}]}`;

test("documents are counted by their cells, and by what their values are", () => {
  const plain = heldBy(rows(1000, (i) => `{"id":${i},"a":1}`));
  expect(plain).toBeGreaterThanOrEqual(2000 * CELL_BYTES);
  expect(plain).toBeLessThan(2100 * CELL_BYTES);
  const cases: readonly [value: string, bytes: number][] = [
    ['"x"', STRING_BYTES],
    ['["a","b","c"]', ARRAY_BYTES + 3 * ELEMENT_BYTES],
    [`[${Array(100).fill(1)}]`, VIEW_BYTES + 100 * CELL_BYTES],
    ["[[1],[2]]", 2 * VIEW_BYTES],
  ];
  for (const [value, bytes] of cases) {
    const held = heldBy(rows(1000, (i) => `{"id":${i},"a":${value}}`));
    expect(held - plain, value).toBe(1000 * bytes);
  }
  const columns = `{"upsert_columns":{"id":[${Array.from({ length: 1000 }, (_, i) => `"${i}"`)}]}}`;
  expect(heldBy(columns)).toBe(1000 * (CELL_BYTES + STRING_BYTES));
  const ids = `{"deletes":[${Array.from({ length: 1000 }, (_, i) => `"${i}"`)}]}`;
  expect(heldBy(ids)).toBe(1000 * (CELL_BYTES + STRING_BYTES));
});

test("attributes that each few documents have are refused before they take their places", () => {
  const body = rows(10_001, (i) => {
    if (i < 10_000) return `{"id":${i}}`;
    const names = Array.from({ length: 500 }, (_, name) => `"a${name}":"x"`);
    return `{"id":${i},${names.join()}}`;
  });
  const bytesMax = 10 * 10_000 * CELL_BYTES;
  expect(() => heldBy(body, bytesMax)).toThrow("too much");
  expect(heldBy(body)).toBeGreaterThan(500 * 10_000 * CELL_BYTES);
});
