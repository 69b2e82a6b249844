/** Aggregates, groups, computed attributes and highlights. */

import { beforeAll, describe, expect, test } from "vitest";
import { expectFault, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("aggregates");
const ns = namespace();

beforeAll(async () => {
  await ns.write({
    distance_metric: "euclidean_squared",
    schema: {
      text: { type: "string", full_text_search: true },
      parts: { type: "[]string", full_text_search: true },
      price: "float",
    },
    upsert_rows: [
      {
        id: 1,
        vector: [0, 0],
        kind: "a",
        n: 1,
        price: 0.5,
        tags: ["x", "y", "x"],
        text: "Cats sleep. Dogs bark at cats! Birds sing.\nA second paragraph about birds.",
        parts: ["no match here", "one cat, two cats"],
      },
      { id: 2, vector: [3, 4], kind: "b", n: 10, price: 0.25, tags: ["y"], text: "dogs only" },
      { id: 3, vector: [1, 0], kind: "a", n: -3, tags: [] },
      { id: 4, vector: [0, 1], n: 5 },
    ],
  });
});

describe("aggregates", () => {
  test("count and sum what the filter leaves", async () => {
    const answer = await ns.query({
      aggregate_by: {
        all: ["Count"],
        legacy: ["Count", "id"],
        n: ["Sum", "n"],
        price: ["Sum", "price"],
      },
      filters: ["kind", "NotEq", null],
    });
    expect(answer.aggregations).toEqual({ all: 3, legacy: 3, n: 8, price: 0.75 });
    expect(answer).not.toHaveProperty("rows");
    const none = await ns.query({
      aggregate_by: { all: ["Count"], n: ["Sum", "n"] },
      filters: ["id", "Eq", 99],
    });
    expect(none.aggregations).toEqual({ all: 0, n: 0 });
  });

  test("groups come in the order of their keys, null first", async () => {
    const aggregate_by = {
      count: untyped<["Count"]>(["Count"]),
      n: untyped<["Sum", "n"]>(["Sum", "n"]),
    };
    const answer = await ns.query({ aggregate_by, group_by: ["kind"] });
    expect(answer.aggregation_groups).toEqual([
      { kind: null, count: 1, n: 5 },
      { kind: "a", count: 2, n: -2 },
      { kind: "b", count: 1, n: 10 },
    ]);
    const cut = await ns.query({ aggregate_by, group_by: ["kind"], top_k: 1 });
    expect(cut.aggregation_groups).toHaveLength(1);
    const empty = await ns.query({ aggregate_by, group_by: [] });
    expect(empty.aggregations).toEqual({ count: 4, n: 13 });
  });

  test("an array can be grouped by each unique element", async () => {
    const answer = await ns.query({
      aggregate_by: { count: ["Count"] },
      group_by: [{ tag: ["ForEachUnique", "tags"] }],
    });
    expect(answer.aggregation_groups).toEqual([
      { tag: null, count: 1 },
      { tag: "x", count: 1 },
      { tag: "y", count: 2 },
    ]);
    const mixed = await ns.query({
      aggregate_by: { count: ["Count"] },
      group_by: ["kind", { tag: ["ForEachUnique", "tags"] }],
    });
    expect(mixed.aggregation_groups).toEqual([
      { kind: null, tag: null, count: 1 },
      { kind: "a", tag: "x", count: 1 },
      { kind: "a", tag: "y", count: 1 },
      { kind: "b", tag: "y", count: 1 },
    ]);
  });

  const refusals: [string, object, number][] = [
    ["an unknown function", { aggregate_by: { a: ["Avg", "n"] } }, 422],
    ["a sum over strings", { aggregate_by: { a: ["Sum", "kind"] } }, 400],
    [
      "rank_by with aggregates",
      { aggregate_by: { a: ["Count"] }, rank_by: ["id", "asc"], limit: 1 },
      422,
    ],
    ["top_k without groups", { aggregate_by: { a: ["Count"] }, top_k: 5 }, 400],
    ["groups by id", { aggregate_by: { a: ["Count"] }, group_by: ["id"] }, 400],
    ["one key twice", { aggregate_by: { a: ["Count"] }, group_by: ["kind", "kind"] }, 400],
    ["a label that is a key", { aggregate_by: { kind: ["Count"] }, group_by: ["kind"] }, 400],
    [
      "unique elements of a scalar",
      { aggregate_by: { a: ["Count"] }, group_by: [{ k: ["ForEachUnique", "kind"] }] },
      400,
    ],
    ["groups without aggregates", { group_by: ["kind"], rank_by: ["id", "asc"], limit: 1 }, 400],
    [
      "nine functions",
      {
        aggregate_by: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`a${i}`, ["Count"]])),
      },
      400,
    ],
  ];
  test.each(refusals)("refuse %s", async (_name, query, status) => {
    await expectFault(ns.query(untyped(query)), status);
  });
});

describe("computed attributes", () => {
  test("add distances and scores without changing the ranking", async () => {
    const answer = await ns.query({
      rank_by: ["id", "asc"],
      limit: 2,
      compute_attributes: {
        far: ["vector", "VectorDist", [0, 0]],
        cats: ["text", "BM25", "cats"],
        both: [
          "Sum",
          [
            ["text", "BM25", "dogs"],
            ["kind", "Eq", "b"],
          ],
        ],
      },
    });
    expect(answer.rows).toEqual([
      { id: 1, far: 0, cats: expect.toSatisfy((value) => value > 0), both: expect.any(Number) },
      { id: 2, far: 25, cats: 0, both: expect.toSatisfy((value) => value > 1) },
    ]);
  });

  test("highlight the sentences that match", async () => {
    const highlight = async (
      attribute: string,
      options: object = {},
      rank_by: unknown = [attribute, "BM25", "cats"],
    ) => {
      const answer = await ns.query({
        rank_by: untyped<["text", "BM25", string]>(rank_by),
        filters: ["id", "Eq", 1],
        limit: 1,
        compute_attributes: { found: untyped(["Highlight", attribute, options]) },
      });
      return answer.rows?.[0]?.found;
    };
    expect(await highlight("text")).toEqual(
      expect.arrayContaining([{ text: "Cats sleep." }, { text: "Dogs bark at cats!" }]),
    );
    expect(await highlight("text", { fragment_limit: 1 })).toHaveLength(1);
    expect(await highlight("text", { fragment_by: "paragraph", include_offsets: "utf-8" })).toEqual(
      [
        {
          text: "Cats sleep. Dogs bark at cats! Birds sing.",
          fragment_range: [0, 42],
          match_ranges: [
            [0, 4],
            [25, 29],
          ],
        },
      ],
    );
    expect(await highlight("parts")).toEqual([{ text: "one cat, two cats", array_index: 1 }]);
    const byFragment = { rank_fragments_by: ["$fragment", "BM25", "birds"], fragment_limit: 5 };
    expect(await highlight("text", byFragment, ["id", "asc"])).toEqual(
      expect.arrayContaining([
        { text: "Birds sing." },
        { text: "A second paragraph about birds." },
      ]),
    );
    expect(await highlight("text", { rank_fragments_by: ["$fragment", "BM25", "whales"] })).toEqual(
      [],
    );
    await expectFault(highlight("text", {}, ["id", "asc"]), 400);
    await expectFault(highlight("kind"), 400);
    await expectFault(highlight("text", { fragment_limit: 0 }), 400);
    await expectFault(highlight("text", { fragment_by: "line" }), 422);
  });
});
