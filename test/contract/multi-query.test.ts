/** Several queries over one snapshot, and their fusion. */

import { beforeAll, expect, test } from "vitest";
import { expectFault, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("multi");
const ns = namespace();

beforeAll(async () => {
  await ns.write({
    distance_metric: "euclidean_squared",
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: [
      { id: 1, vector: [0, 0], text: "alpha beta", n: 1 },
      { id: 2, vector: [1, 0], text: "alpha alpha", n: 2 },
      { id: 3, vector: [2, 0], text: "gamma", n: 3 },
    ],
  });
});

const VECTOR = {
  rank_by: untyped<["vector", "ANN", number[]]>(["vector", "ANN", [0, 0]]),
  limit: 3,
};
const TEXT = { rank_by: untyped<["text", "BM25", string]>(["text", "BM25", "alpha"]), limit: 3 };
const COUNT = { aggregate_by: { all: untyped<["Count"]>(["Count"]) } };

test("results come in the order of the queries, one billing for all", async () => {
  const grouped = { ...COUNT, group_by: ["n"] };
  const answer = await ns.multiQuery({ queries: [VECTOR, TEXT, COUNT, grouped] });
  expect(answer.results).toEqual([
    {
      rows: [
        { id: 1, $dist: 0 },
        { id: 2, $dist: 1 },
        { id: 3, $dist: 4 },
      ],
    },
    {
      rows: [
        { id: 2, $dist: expect.any(Number) },
        { id: 1, $dist: expect.any(Number) },
      ],
    },
    { aggregations: { all: 3 } },
    { aggregation_groups: [1, 2, 3].map((n) => ({ n, all: 1 })) },
  ]);
  expect(answer.billing.billable_logical_bytes_queried).toBeGreaterThan(0);
  expect(answer.performance.approx_namespace_size).toBeGreaterThan(0);
  const one = await ns.multiQuery({ queries: [COUNT] });
  expect(one.results).toEqual([{ aggregations: { all: 3 } }]);
});

test("RRF fuses rankings by rank", async () => {
  const fused = async (options: object | undefined, limit = 3) => {
    const rerank_by = untyped<["RRF"]>(options ? ["RRF", options] : ["RRF"]);
    const answer = await ns.multiQuery(untyped({ queries: [VECTOR, TEXT], rerank_by, limit }));
    expect(answer.results).toHaveLength(1);
    return (answer.results[0].rows ?? []).map(({ id, $dist }) => [id, $dist]);
  };
  const near = (value: number) => expect.closeTo(value, 6);
  // Rankings are 1, 2, 3 and 2, 1: the first two tie.
  expect(await fused(undefined)).toEqual([
    [1, near(1 / 61 + 1 / 62)],
    [2, near(1 / 61 + 1 / 62)],
    [3, near(1 / 63)],
  ]);
  expect(await fused({ rank_constant: 10, weights: [2, 1] })).toEqual([
    [1, near(2 / 11 + 1 / 12)],
    [2, near(2 / 12 + 1 / 11)],
    [3, near(2 / 13)],
  ]);
  expect(await fused(undefined, 1)).toHaveLength(1);
});

test("fused documents carry the attributes that their queries include", async () => {
  const answer = await ns.multiQuery(
    untyped({
      queries: [
        { ...VECTOR, include_attributes: ["n"] },
        { ...TEXT, include_attributes: ["text"] },
      ],
      rerank_by: ["RRF"],
      limit: 1,
    }),
  );
  expect(answer.results[0].rows?.[0]).toMatchObject({ id: 1, n: 1 });
});

test("the vector encoding and the consistency of the root hold for all", async () => {
  const queries = [{ ...VECTOR, include_attributes: ["vector"] }];
  const answer = await ns.multiQuery({
    queries,
    vector_encoding: "base64",
    consistency: { level: "eventual" },
  });
  expect(answer.results[0].rows?.[0]?.vector).toBe(Buffer.alloc(8).toString("base64"));
});

test("misuse is refused", async () => {
  const multi = (body: object) => ns.multiQuery(untyped(body));
  await expectFault(multi({ queries: [] }), 400);
  await expectFault(multi({ queries: Array.from({ length: 17 }, () => COUNT) }), 400);
  await expectFault(multi({ queries: [VECTOR], rerank_by: ["RRF"], limit: 1 }), 400);
  await expectFault(multi({ queries: [VECTOR, COUNT], rerank_by: ["RRF"], limit: 1 }), 400);
  await expectFault(
    multi({ queries: [VECTOR, TEXT], rerank_by: ["RRF", { rank_constant: 0 }], limit: 1 }),
    400,
  );
  await expectFault(
    multi({ queries: [VECTOR, TEXT], rerank_by: ["RRF", { weights: [1] }], limit: 1 }),
    400,
  );
  const encoded = [{ ...VECTOR, vector_encoding: "base64" }];
  await expectFault(multi({ queries: encoded }), 400);
});
