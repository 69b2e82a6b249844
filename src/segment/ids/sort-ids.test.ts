import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import { idAt } from "../../codec/columns-value.ts";
import type { IdType } from "../../model/attribute-type.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { areAscending, idComparison, sortIds } from "./sort-ids.ts";

type Draw = (random: Random, i: number) => DocumentId;

const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => "0123456789abcdef"[random.below(16)]).join("");

const KINDS: readonly (readonly [string, IdType, Draw])[] = [
  ["small numbers", "uint", (random) => BigInt(random.below(100_000))],
  ["large numbers", "uint", (random) => 2n ** 64n - 1n - BigInt(random.below(2 ** 32)) * 7n ** 9n],
  ["random UUIDs", "uuid", (random) => `${hex(random, 8)}-0000-4000-8000-${hex(random, 12)}`],
  [
    "UUIDs that end apart",
    "uuid",
    (random) => `0190${"0".repeat(4)}-0000-7000-8000-${hex(random, 12)}`,
  ],
  ["strings of letters", "string", (random) => hex(random, 1 + random.below(20))],
  ["numbered strings", "string", (random) => `user-${random.below(1_000_000)}`],
  // Some two thousand agree in the first eight bytes, all in the next, and so on.
  ["strings of few beginnings", "string", (r) => `${hex(r, 1)}${"-".repeat(20)}${hex(r, 12)}`],
  ["strings up to the longest", "string", (random) => "ab".repeat(26) + hex(random, 12)],
  ["strings of all planes", "string", (r) => String.fromCodePoint(...[r, r, r].map(anyPoint))],
  [
    "strings with zeros",
    "string",
    (r, i) => `${"\0".repeat(i % 60)}${i % 120 < 60 ? "" : hex(r, 4)}`,
  ],
];

function anyPoint(random: Random): number {
  const point = random.below(0x11_0000);
  return point >= 0xd800 && point < 0xe000 ? 97 : point;
}

function distinct(random: Random, draw: Draw, count: number): DocumentId[] {
  return [...new Set(Array.from({ length: count }, (_, i) => draw(random, i)))];
}

describe.each(KINDS)("%s", (_name, idType, draw) => {
  test.each([1, 2, 1000, effort({ usual: 6_000, full: 30_000 })])(
    "of %i the order is that of values",
    (count) => {
      const seed = 48_000 + count;
      const random = seededRandom(seed);
      const ids = distinct(random, draw, count);
      const data = buildIds(idType, ids);
      const ordinals = runSteps(sortIds(data, ids.length));
      const found = Array.from(ordinals, (ordinal) => idAt(data, ordinal));
      const expected = [...ids].sort(compareScalars);
      expectEqual(found, expected, `seed ${seed}`);
      expect(new Set(ordinals).size).toBe(ids.length);
      const sorted = buildIds(idType, expected);
      expect(runSteps(areAscending(sorted, ids.length))).toBe(true);
      if (ids.length > 2) expect(runSteps(areAscending(data, ids.length))).toBe(false);
      const compare = idComparison(data);
      for (let i = 0; i < 200; i++) {
        const [a, b] = [random.below(ids.length), random.below(ids.length)];
        const order = compareScalars(ids[a], ids[b]);
        if (Math.sign(compare(a, b)) === Math.sign(order)) continue;
        expect.fail(`seed ${seed}: ${ids[a]} and ${ids[b]}`);
      }
    },
  );
});

test("ids of which one is twice do not ascend", () => {
  expect(runSteps(areAscending(buildIds("uint", [1n, 2n, 2n]), 3))).toBe(false);
  expect(runSteps(areAscending(buildIds("string", ["a", "a"]), 2))).toBe(false);
  expect(runSteps(areAscending(buildIds("string", []), 0))).toBe(true);
});
