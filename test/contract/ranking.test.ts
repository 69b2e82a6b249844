/** Every form of `rank_by`: which documents come, with which score, in which order. */

import { beforeAll, describe, expect, test } from "vitest";
import { RANKING_DOCUMENTS } from "../support/documents/ranking-documents.ts";
import { expectFault, idsOf, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

type RankBy = ["id", "asc"];
const rank = (expression: unknown) => untyped<RankBy>(expression);

const namespace = testNamespaces("ranking");
const ns = namespace();
const DAY_MS = 86_400_000;

beforeAll(async () => {
  await ns.write(RANKING_DOCUMENTS);
});

/** `[id, $dist]` of each document, best first; scores at float32 precision. */
async function ranked(rank_by: unknown, extra: object = {}) {
  const answer = await ns.query({ rank_by: rank(rank_by), limit: 10, ...extra });
  return (answer.rows ?? []).map(({ id, $dist }) => [id, $dist]);
}

/** What a float32 score prints as. */
function score(value: number): unknown {
  return expect.closeTo(value, 6);
}

describe("vectors", () => {
  test("ANN ranks by distance, the nearest first", async () => {
    const expected = [
      [1, 0],
      [2, 1],
      [3, 9],
    ];
    expect(await ranked(["vector", "ANN", [0, 0]])).toEqual(expected);
    expect(await ranked(["vector", "ANN", [0, 0]], { filters: ["kind", "Eq", "x"] })).toEqual([
      [1, 0],
      [3, 9],
    ]);
  });

  test("kNN is exact over what the filter leaves, and needs a filter", async () => {
    const filters = ["id", "Gt", 1];
    expect(await ranked(["vector", "kNN", [0, 0]], { filters })).toEqual([
      [2, 1],
      [3, 9],
    ]);
    await expectFault(ns.query({ rank_by: ["vector", "kNN", [0, 0]], limit: 1 }), 400, "filters");
  });

  test("cosine distance is one minus the cosine", async () => {
    const cosine = namespace();
    await cosine.write({
      distance_metric: "cosine_distance",
      upsert_rows: [
        { id: 1, vector: [1, 0] },
        { id: 2, vector: [1, 1] },
        { id: 3, vector: [-2, 0] },
      ],
    });
    const answer = await cosine.query({ rank_by: ["vector", "ANN", [3, 0]], limit: 3 });
    expect(answer.rows).toEqual([
      { id: 1, $dist: 0 },
      { id: 2, $dist: score(1 - Math.SQRT1_2) },
      { id: 3, $dist: 2 },
    ]);
  });

  test("the deprecated distance_metric of a query must agree", async () => {
    const rank_by = untyped<["vector", "ANN", number[]]>(["vector", "ANN", [0, 0]]);
    await ns.query({ rank_by, limit: 1, distance_metric: "euclidean_squared" });
    await expectFault(ns.query({ rank_by, limit: 1, distance_metric: "cosine_distance" }), 400);
  });

  test("sparse vectors rank by dot product, and only what shares a dimension comes", async () => {
    expect(await ranked(["terms", "SparseKNN", { a: 2, b: 1, zz: 9 }])).toEqual([
      [1, 2.5],
      [2, 2],
    ]);
  });

  test("late interaction sums each query vector's nearest distance", async () => {
    const late = namespace();
    const schema = (ann: boolean) => ({
      tokens: { type: "[][2]f32", ...(ann && { ann: { late_interaction: true } }) },
    });
    const distance_metric = "euclidean_squared";
    const upsert_rows = [
      {
        id: 1,
        tokens: [
          [1, 0],
          [0, 1],
        ],
      },
      {
        id: 2,
        tokens: [
          [0.9, 0.1],
          [0.9, 0.1],
        ],
      },
    ];
    const query = [
      [1, 0],
      [0, 1],
    ];
    await late.write({ schema: schema(true), distance_metric, upsert_rows });
    const answer = await late.query({ rank_by: ["tokens", "ANN", query], limit: 2 });
    expect(answer.rows).toEqual([
      { id: 1, $dist: 0 },
      { id: 2, $dist: score(0.02 + 1.62) },
    ]);
    await expectFault(late.query({ rank_by: ["tokens", "asc"], limit: 2 }), 400);
    await expectFault(late.query({ filters: ["tokens", "Eq", query], limit: 2 }), 400);
    await expectFault(late.query({ rank_by: ["tokens", "ANN", [[1, 0, 0]]], limit: 2 }), 400);
    const plain = namespace();
    await plain.write({ schema: schema(false), distance_metric, upsert_rows });
    await expectFault(plain.query({ rank_by: ["tokens", "ANN", query], limit: 2 }), 400);
    const exact = {
      rank_by: rank(["tokens", "kNN", query]),
      filters: untyped<RankBy>(["id", "Gte", 0]),
    };
    expect(idsOf(await plain.query(untyped({ ...exact, limit: 2 })))).toEqual([1, 2]);
  });
});

describe("text", () => {
  test("BM25 has the published values", async () => {
    expect(await ranked(["text", "BM25", "fish"])).toEqual([
      [1, 0.19350067],
      [3, 0.14426166],
      [2, 0.11623961],
    ]);
    expect(idsOf(await ns.query({ rank_by: ["text", "BM25", "whale"], limit: 5 }))).toEqual([]);
  });

  test("the last token may be a prefix, which scores one", async () => {
    expect(await ranked(["text", "BM25", "wat", { last_as_prefix: true }])).toEqual([[2, 1]]);
  });

  test("pre-tokenized attributes take arrays of tokens, exactly as written", async () => {
    expect(idsOf(await ns.query({ rank_by: ["words", "BM25", ["swim fast"]], limit: 5 }))).toEqual([
      1,
    ]);
    expect(idsOf(await ns.query({ rank_by: ["words", "BM25", ["fish"]], limit: 5 }))).toEqual([2]);
    const text = 'for rank_by field "words", expecting []string';
    await expectFault(ns.query({ rank_by: ["words", "BM25", "fish"], limit: 5 }), 400, text);
  });
});

describe("score arithmetic", () => {
  const FISH = { 1: 0.19350067, 3: 0.14426166, 2: 0.11623961 };
  const bm25 = ["text", "BM25", "fish"];

  test("Sum, Max and Product combine clauses", async () => {
    expect(await ranked(["Sum", [bm25, bm25]])).toEqual([
      [1, score(2 * FISH[1])],
      [3, score(2 * FISH[3])],
      [2, score(2 * FISH[2])],
    ]);
    expect(await ranked(["Max", [bm25, ["terms", "SparseKNN", { b: 1 }]]])).toEqual([
      [2, 2],
      [1, 0.5],
      [3, FISH[3]],
    ]);
    for (const product of [
      ["Product", 10, bm25],
      ["Product", bm25, 10],
    ]) {
      expect((await ranked(product))[0]).toEqual([1, score(10 * FISH[1])]);
    }
  });

  test("a floor raises scores and adds no documents", async () => {
    for (const floor of [
      ["Max", 0.15, bm25],
      ["Max", [0.15, bm25]],
    ]) {
      expect(await ranked(floor)).toEqual([
        [1, FISH[1]],
        [2, score(0.15)],
        [3, score(0.15)],
      ]);
    }
  });

  test("a filter scores one for what matches", async () => {
    expect(await ranked(["kind", "Eq", "x"])).toEqual([
      [1, 1],
      [3, 1],
    ]);
    expect(await ranked(["Sum", [["Product", 2, ["kind", "Eq", "y"]], bm25]])).toEqual([
      [2, score(2 + FISH[2])],
      [1, FISH[1]],
      [3, FISH[3]],
    ]);
  });

  test("attributes are scores, signed ones only with a floor", async () => {
    expect(await ranked(["Attribute", "likes"])).toEqual([
      [3, 30],
      [1, 10],
    ]);
    await expectFault(ns.query({ rank_by: rank(["Attribute", "heat"]), limit: 5 }), 400);
    expect(await ranked(["Max", 0, ["Attribute", "heat"]])).toEqual([[2, 4]]);
  });

  test("Saturate and Decay bend scores", async () => {
    expect(await ranked(["Saturate", ["Attribute", "likes"], { midpoint: 10 }])).toEqual([
      [3, 0.75],
      [1, 0.5],
    ]);
    expect(
      await ranked(["Saturate", ["Attribute", "likes"], { midpoint: 10, exponent: 2 }]),
    ).toEqual([
      [3, score(0.9)],
      [1, 0.5],
    ]);
    const age = ["Dist", ["Attribute", "at"], "2024-01-01"];
    for (const midpoint of ["2d", "48h", 2 * DAY_MS]) {
      expect(await ranked(["Decay", age, { midpoint }])).toEqual([
        [1, 1],
        [2, 0.5],
      ]);
    }
    const onNumber = ["Decay", ["Dist", ["Attribute", "n"], 1], { midpoint: "2d" }];
    await expectFault(ns.query({ rank_by: rank(onNumber), limit: 5 }), 400);
  });

  test("Dist alone ranks the farthest first", async () => {
    expect(await ranked(["Dist", ["Attribute", "n"], 1])).toEqual([[1, 2]]);
    expect(await ranked(["Dist", ["Attribute", "at"], "2024-01-02"])).toEqual([
      [1, DAY_MS],
      [2, DAY_MS],
    ]);
    await expectFault(
      ns.query({ rank_by: rank(["Dist", ["Attribute", "n"], 5.5]), limit: 5 }),
      400,
    );
  });

  test("what makes no sense is refused", async () => {
    for (const wrong of [
      ["Product", -1, bm25],
      ["Max", [-1, bm25]],
      ["Sum", [1, bm25]],
      ["Sum", [["vector", "ANN", [0, 0]], bm25]],
      ["Saturate", ["Attribute", "likes"], { midpoint: 0 }],
    ]) {
      await expectFault(ns.query({ rank_by: rank(wrong), limit: 5 }), 400);
    }
  });
});
