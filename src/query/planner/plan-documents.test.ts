/** What queries are planned to do, word by word, by the constants that servers have. */

import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import type { DocumentQuery, RankBy } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { DocumentPlan, Plan } from "../operator/plan.ts";

const ANN = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
const SNAPSHOT = openSnapshot(
  schemaOf(
    {
      vector: { type: "[2]f32", ann: ANN },
      words: { type: "[][2]f32", ann: { ...ANN, lateInteraction: true } },
      n: "int",
      size: "uint",
      tag: "string",
    },
    { distanceMetric: "euclidean_squared" },
  ),
  [],
);
const QUERY = Float32Array.of(1, 2);
const INT = { kind: "scalar", of: "int" };
const TARGET = { attribute: "vector", metric: "euclidean_squared", query: QUERY };
const LATE_TARGET = { attribute: "words", metric: "euclidean_squared", query: [QUERY] };

function near(method: "ANN" | "kNN"): RankBy {
  return {
    kind: "vector",
    method,
    attribute: "vector",
    operand: { kind: "vector", values: QUERY },
  };
}

function late(method: "ANN" | "kNN"): RankBy {
  const operand = { kind: "vectors", values: [QUERY] } as const;
  return { kind: "vector", method, attribute: "words", operand };
}

function planOf(rankBy: RankBy, rest: Partial<DocumentQuery>): DocumentPlan {
  let plans: readonly Plan[] = [];
  const planned = (all: readonly { readonly plan: Plan }[]) => {
    plans = all.map(({ plan }) => plan);
  };
  const request = requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
  runReads(runRequest(SNAPSHOT, request, { kernels: KERNELS, planned }));
  const [plan] = plans;
  if (plan.kind !== "documents") throw new Error("no documents");
  return plan;
}

const FILTER = filterOf(["n", "Eq", 7]);
const LIMIT_PER = { attributes: ["n"], limit: 2 };
const WITH_N = { kind: "include", names: new Set(["n"]) } as const;

describe("approximate searches", () => {
  const probe = {
    wanted: 10,
    missedMax: 0.025,
    firstClusters: 4,
    exactMatchesMax: 4096,
    unaskedShare: 1 / 3,
    atCost: { missedMax: 0.25, worthRows: 0.0003 },
  };

  test("walk through clusters, with what may be missed by what is wanted", () => {
    expect(planOf(near("ANN"), {})).toEqual({
      kind: "documents",
      predicate: { kind: "and", predicates: [] },
      rank: { kind: "vector_probe", method: "ANN", access: "scan", target: TARGET, probe },
      offset: 0,
      limit: 10,
      limitPer: undefined,
      attributes: [],
      computed: [],
    });
  });

  test("want what comes before an offset too", () => {
    const plan = planOf(near("ANN"), { offset: 90 });
    expect(plan).toMatchObject({ offset: 90, limit: 10 });
    expect(plan.rank).toMatchObject({
      probe: { ...probe, wanted: 100, missedMax: 0.25, atCost: { missedMax: 2.5 } },
    });
  });

  test("gather what matches a filter", () => {
    const plan = planOf(near("ANN"), { filter: FILTER });
    expect(plan.predicate).toEqual({
      kind: "membership",
      on: "value",
      attribute: "n",
      type: INT,
      values: [7n],
    });
    expect(plan.rank).toEqual({
      kind: "vector_probe",
      method: "ANN",
      access: "gather",
      target: TARGET,
      probe,
    });
  });

  test("are exact where keys have limits, or nothing is wanted", () => {
    const scan = { kind: "vector_scan", method: "ANN", access: "scan", target: TARGET };
    const per = planOf(near("ANN"), { limitPer: LIMIT_PER, selection: WITH_N });
    expect(per).toMatchObject({ limitPer: LIMIT_PER, limit: 10, attributes: [["n", INT]] });
    expect(per.rank).toEqual({ ...scan, wanted: undefined });
    expect(planOf(near("ANN"), { limit: 0 }).rank).toEqual({ ...scan, wanted: undefined });
  });
});

describe("exact searches", () => {
  test("know what is wanted, and scan all", () => {
    expect(planOf(near("kNN"), { offset: 5 }).rank).toEqual({
      kind: "vector_scan",
      method: "kNN",
      access: "scan",
      target: TARGET,
      wanted: 15,
    });
  });

  test("gather what matches a filter", () => {
    expect(planOf(near("kNN"), { filter: FILTER }).rank).toEqual({
      kind: "vector_scan",
      method: "kNN",
      access: "gather",
      target: TARGET,
      wanted: 10,
    });
  });

  test("do not know what is wanted where keys have limits", () => {
    const plan = planOf(near("kNN"), { limitPer: LIMIT_PER, selection: WITH_N });
    expect(plan.rank).toMatchObject({ kind: "vector_scan", wanted: undefined });
  });
});

describe("searches by several vectors", () => {
  const probe = {
    wanted: 10,
    vectors: 2048,
    vectorShare: 1 / 64,
    candidates: 64,
    exactVectorsMax: 8192,
  };
  const rank = { kind: "late_probe", method: "ANN", target: LATE_TARGET, probe };

  test("meet a number of vectors, and compare a number of documents", () => {
    expect(planOf(late("ANN"), {}).rank).toEqual({ ...rank, access: "scan" });
    expect(planOf(late("ANN"), { filter: FILTER }).rank).toEqual({ ...rank, access: "gather" });
  });

  test("meet more of both where more is wanted", () => {
    expect(planOf(late("ANN"), { limit: 200 }).rank).toEqual({
      ...rank,
      access: "scan",
      probe: { ...probe, wanted: 200, vectors: 3200, candidates: 800 },
    });
  });

  test("are exact where keys have limits, or exactness is asked for", () => {
    const scan = { kind: "vector_scan", access: "scan", target: LATE_TARGET, wanted: undefined };
    const per = planOf(late("ANN"), { limitPer: LIMIT_PER, selection: WITH_N });
    expect(per.rank).toEqual({ ...scan, method: "ANN" });
    expect(planOf(late("kNN"), {}).rank).toEqual({ ...scan, method: "kNN" });
  });
});

describe("other rankings", () => {
  test("orders have their keys, and what a filter leaves of the first", () => {
    const keys = [
      { attribute: "n", direction: "desc" },
      { attribute: "id", direction: "asc" },
    ] as const;
    const rankBy: RankBy = { kind: "order", keys };
    expect(planOf(rankBy, {}).rank).toEqual({ kind: "order", keys });
    expect(planOf(rankBy, { filter: filterOf(["tag", "Eq", "a"]) }).rank).toEqual({
      kind: "order",
      keys,
    });
    expect(planOf(rankBy, { filter: filterOf(["n", "Gt", 3]) }).rank).toEqual({
      kind: "order",
      keys,
      within: { low: { value: 3n, inclusive: false } },
    });
  });

  test("scores are clauses that are bound", () => {
    const expression = { kind: "attribute", attribute: "size" } as const;
    const { rank } = planOf({ kind: "score", expression }, {});
    expect(rank).toMatchObject({ kind: "score", score: { kind: "attribute", attribute: "size" } });
  });
});

describe("attributes", () => {
  const names = (selection: DocumentQuery["selection"]) =>
    planOf(near("ANN"), { selection }).attributes.map(([name]) => name);

  test("are returned in the schema's order, or in that in which they are asked for", () => {
    expect(names({ kind: "none" })).toEqual([]);
    expect(names({ kind: "all" })).toEqual(["vector", "words", "n", "size", "tag"]);
    expect(names({ kind: "exclude", names: new Set(["words", "n", "size"]) })).toEqual([
      "vector",
      "tag",
    ]);
    expect(names({ kind: "include", names: new Set(["tag", "id", "n"]) })).toEqual(["tag", "n"]);
  });

  test("that are unknown, or are not returned with their limit, are refused", () => {
    const include = (name: string) => names({ kind: "include", names: new Set([name]) });
    expect(() => include("nn")).toThrow('attribute "nn" not found in schema');
    expect(() => planOf(near("ANN"), { limitPer: LIMIT_PER })).toThrow("must be returned");
    const of = (attribute: string) => ({ attributes: [attribute], limit: 1 });
    expect(() => planOf(near("ANN"), { limitPer: of("gone") })).toThrow("invalid limit.per");
    expect(() => planOf(near("ANN"), { limitPer: of("vector") })).toThrow("of type [2]f32");
  });

  test("metrics of queries are those of the namespace", () => {
    const plan = planOf(near("ANN"), { distanceMetric: "euclidean_squared" });
    expect(plan.rank).toMatchObject({ kind: "vector_probe" });
    const of = () => planOf(near("ANN"), { distanceMetric: "cosine_distance" });
    expect(of).toThrow("distance metric mismatch, expected euclidean_squared");
  });
});
