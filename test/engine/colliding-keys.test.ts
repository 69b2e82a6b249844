/** Ids and values that a client chose to collide: right answers, in few steps. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildIds } from "../../src/codec/columns-builder.ts";
import { type IdKeys, idKeys } from "../../src/segment/view/id-keys.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import {
  collidingFloats,
  collidingIds,
  collidingIntegers,
} from "../support/random/colliding-keys.ts";
import { unseededKeysOf } from "../support/unseeded-keys.ts";

const COUNT = 500;
const FLOATS = collidingFloats(COUNT);
/** As unsigned attributes have them. */
const INTEGERS = collidingIntegers(COUNT);

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** JSON with bigints as integers. */
function jsonOf(value: unknown): string {
  const marked = JSON.stringify(value, (_, part) => {
    return typeof part === "bigint" ? `#${part}#` : part;
  });
  return marked.replaceAll(/"#(\d+)#"/g, "$1");
}

type Answer = Awaited<ReturnType<EngineFixture["call"]>>["json"];

async function answerOf(operation: "write" | "query" | "recall", body: unknown): Promise<Answer> {
  const { status, json } = await engine.call(operation, "n", jsonOf(body));
  if (status !== 200) expect.fail(JSON.stringify(json).slice(0, 300));
  return json;
}

/** The numbers of the documents that match, in their order. */
async function matchesOf(filters: unknown): Promise<number[]> {
  const query = { rank_by: ["i", "asc"], limit: 10_000, filters, include_attributes: ["i"] };
  const { rows } = await answerOf("query", query);
  return rows.map(({ i }: { readonly i: number }) => i);
}

function numbersTo(end: number, isKept: (i: number) => boolean = () => true): number[] {
  return Array.from({ length: end }, (_, i) => i).filter(isKept);
}

/** Comparisons of ids while `work` is done. */
async function comparisonsOf(work: () => Promise<unknown>): Promise<number> {
  const keys: IdKeys = Object.getPrototypeOf(idKeys(buildIds("uint", [1n]), 1));
  const { equals, compare } = keys;
  let count = 0;
  keys.equals = function (index, other, otherIndex) {
    count++;
    return equals.call(this, index, other, otherIndex);
  };
  keys.compare = function (index, other, otherIndex) {
    count++;
    return compare.call(this, index, other, otherIndex);
  };
  try {
    await work();
    return count;
  } finally {
    Object.assign(keys, { equals, compare });
  }
}

const SCHEMA = {
  i: "int",
  f: "float",
  u: "uint",
  a: "[]float",
  vector: { type: "[2]f32", ann: true },
};

describe.each([
  ["tables of ids", collidingIds(2 * COUNT)],
  ["Map and Set", collidingIntegers(2 * COUNT)],
])("ids that collide in %s", (_, all) => {
  const ids = all.slice(0, COUNT);
  const absent = all.slice(COUNT);
  const rows = ids.map((id, i) => ({
    ...{ id, i, f: FLOATS[i], u: INTEGERS[i], a: [FLOATS[i], FLOATS[0]] },
    vector: [i, 1],
  }));
  const create = { upsert_rows: rows, schema: SCHEMA, distance_metric: "euclidean_squared" };

  test("writes find documents in memory and in segments", async () => {
    const unseeded = await unseededKeysOf(async () => {
      await answerOf("write", create);
      for (const isStored of [false, true]) {
        if (isStored) await engine.indexAll();
        const patch = (some: readonly bigint[], i: number) => {
          return some.map((id) => ({ id, i }));
        };
        const patched = await answerOf("write", { patch_rows: patch(all, -1) });
        expect(patched.rows_patched).toBe(COUNT);
        const mixed = await answerOf("write", {
          patch_by_filter: { filters: ["i", "Eq", -1], patch: { i: -2 } },
          patch_rows: patch(ids.slice(0, 100), -3),
          upsert_rows: rows.slice(100, 300),
          deletes: [...ids.slice(300, 400), ...absent],
          upsert_condition: ["i", "Eq", -2],
        });
        expect(mixed).toMatchObject({ rows_upserted: 200, rows_patched: COUNT });
        const expected = [
          ...Array.from({ length: 100 }, () => -3),
          ...Array.from({ length: COUNT - 400 }, () => -2),
          ...numbersTo(300).slice(100),
        ].sort((x, y) => x - y);
        expect(await matchesOf(["id", "NotEq", 1])).toEqual(expected);
        await answerOf("write", { upsert_rows: rows });
        expect(await matchesOf(["id", "NotEq", 1])).toEqual(numbersTo(COUNT));
      }
    });
    expect(unseeded).toBe(0);
  });

  test("queries have the answers that they have of other keys", async () => {
    await answerOf("write", create);
    for (const isStored of [false, true]) {
      if (isStored) await engine.indexAll();
      const unseeded = await unseededKeysOf(async () => {
        const even = (values: readonly unknown[]) => values.filter((_value, i) => i % 2 === 0);
        const [evens, odds] = [0, 1].map((rest) => numbersTo(COUNT, (i) => i % 2 === rest));
        expect(await matchesOf(["id", "In", [...even(ids), ...absent]])).toEqual(evens);
        expect(await matchesOf(["id", "NotIn", even(ids)])).toEqual(odds);
        expect(await matchesOf(["f", "In", even(FLOATS)])).toEqual(evens);
        expect(await matchesOf(["u", "In", even(INTEGERS)])).toEqual(evens);
        expect(await matchesOf(["u", "NotIn", even(INTEGERS)])).toEqual(odds);
        expect(await matchesOf(["a", "ContainsAny", even(FLOATS).slice(1)])).toEqual(
          evens.slice(1),
        );
        expect(await matchesOf(["a", "Eq", [FLOATS[7], FLOATS[0]]])).toEqual([7]);
        for (const group_by of [["f"], ["u"], ["f", "u"]]) {
          const query = { aggregate_by: { n: ["Count"] }, group_by, limit: 10_000 };
          const { aggregation_groups: groups } = await answerOf("query", query);
          expect(groups.length, group_by.join()).toBe(COUNT);
          expect(groups.every(({ n }: { readonly n: number }) => n === 1)).toBe(true);
        }
        const ranking = { rank_by: ["i", "asc"], limit: COUNT, include_attributes: ["i"] };
        const near = { rank_by: ["vector", "ANN", [0, 1]], limit: COUNT };
        const fused = await answerOf("query", {
          queries: [ranking, near],
          rerank_by: ["RRF"],
          limit: COUNT,
        });
        expect(fused.results[0].rows.map(({ i }: { readonly i: number }) => i)).toEqual(
          numbersTo(COUNT),
        );
        const recall = await answerOf("recall", { num: 2, top_k: 200 });
        expect(recall).toMatchObject({ avg_recall: 1, avg_ann_count: 200 });
      });
      expect(unseeded).toBe(0);
    }
  });
});

test("ids that were chosen for one slot are compared with few others", async () => {
  const count = 1_500;
  const ids = collidingIds(2 * count);
  const rows = ids.slice(0, count).map((id, i) => ({ id, i }));
  const patches = ids.map((id) => ({ id, i: 0 }));
  const perId = async (work: () => Promise<unknown>) => (await comparisonsOf(work)) / count;
  /** Probes of a lookup: 64 slots of the table, eleven steps of a binary search after these. */
  const lookup = 80;
  /** The search for duplicates: up to 256 until it sorts, which takes some dozens. */
  const search = 100;
  expect(await perId(() => answerOf("write", { upsert_rows: rows }))).toBeLessThan(search);
  const again = await perId(() => answerOf("write", { upsert_rows: rows }));
  expect(again).toBeLessThan(search + 2 * lookup);
  const patched = await perId(() => answerOf("write", { patch_rows: patches }));
  expect(patched).toBeLessThan(2 * search + 6 * lookup);
  expect(await perId(() => matchesOf(["id", "In", ids]))).toBeLessThan(4 * lookup);
});
