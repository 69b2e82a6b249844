import { expect, test, vi } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { collidingIds } from "../../../test/support/random/colliding-keys.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { DocumentId } from "../../model/value.ts";
import { type IdKeys, idKeys } from "../../segment/view/id-keys.ts";
import { duplicateIds } from "./duplicate-ids.ts";

const SEED = 31;

function idOf(idType: IdType, number: number): DocumentId {
  // Integers that differ in either half, above and below the safe ones.
  if (idType === "uint") return BigInt(number & 7) * 2n ** 61n + BigInt(number >> 3);
  const text = `${number}`.padStart(12, "0");
  return idType === "string" ? text : `00000000-0000-0000-0000-${text}`;
}

test("duplicates are those that a set finds", () => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 600; round++) {
    const idType = (["uint", "string", "uuid"] as const)[round % 3];
    const range = 1 + random.below(400);
    const lists = Array.from({ length: random.below(4) }, () => {
      const ids = Array.from({ length: random.below(30) }, () => idOf(idType, random.below(range)));
      return random.below(2) === 0 ? [...new Set(ids)].sort() : ids;
    });
    const seen = new Set<DocumentId>();
    const slow = new Set<DocumentId>();
    for (const id of lists.flat()) {
      if (seen.has(id)) slow.add(id);
      seen.add(id);
    }
    const columns = lists.map((ids) => ({ count: ids.length, ids: buildIds(idType, ids) }));
    const where = `seed ${SEED}, round ${round}`;
    expect(runSteps(duplicateIds(columns, 1000)), where).toEqual([...slow]);
    expect(runSteps(duplicateIds(columns, 3)), where).toEqual([...slow].slice(0, 3));
  }
});

test("more ids than a set can hold are searched", () => {
  // A set holds 16.7 million.
  const count = effort({ usual: 1_700_000, full: 17_000_000 });
  const values = new BigUint64Array(count);
  const halves = new Uint32Array(values.buffer);
  // Odd multipliers permute the integers of 32 bits, so that these are distinct and unordered.
  for (let i = 0; i < count; i++) halves[2 * i] = Math.imul(i, 0x9e37_79b1);
  const ids = { kind: "u64" as const, values };
  expect(runSteps(duplicateIds([{ count, ids }], 10))).toEqual([]);
  values[count - 1] = values[5];
  expect(runSteps(duplicateIds([{ count, ids }], 10))).toEqual([values[5]]);
}, 60_000);

test("ids that were chosen for one hash are compared with few others each", () => {
  const [count, twice] = [8_000, 40];
  const ids = collidingIds(count);
  // Every second id comes again, in another order, and some of those once more.
  const again = ids.filter((_, i) => i % 2 === 0).reverse();
  const lists = [ids, again, again.slice(0, twice)].map((list) => {
    return { count: list.length, ids: buildIds("uint", list) };
  });
  const prototype = Object.getPrototypeOf(idKeys(lists[0].ids, count)) as IdKeys;
  const equals = vi.spyOn(prototype, "equals");
  const found = runSteps(duplicateIds(lists, count));
  const comparisons = equals.mock.calls.length;
  vi.restoreAllMocks();
  expect(found).toEqual(again);
  expect(comparisons).toBeLessThan(300 * 300 + 4 * count);
  expect(runSteps(duplicateIds(lists, 3))).toEqual(again.slice(0, 3));
  expect(runSteps(duplicateIds(lists.slice(0, 1), 3))).toEqual([]);
});
