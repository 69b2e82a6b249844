import { describe, expect, test } from "vitest";
import {
  BY_ID,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import type { DocumentQuery, Query, RankBy } from "../../model/query.ts";
import type { ResultDocument } from "../../model/query-result.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

function documents(snapshot: Snapshot, query: Query): readonly ResultDocument[] {
  const [result] = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS })).results;
  if (result.kind !== "documents") throw new Error("no documents");
  return result.documents;
}

const ids = (snapshot: Snapshot, rankBy: RankBy, rest?: Partial<DocumentQuery>): number[] =>
  documents(snapshot, documentQuery(rankBy, rest)).map(({ id }) => Number(id));

describe("vectors", () => {
  const metric = { distanceMetric: "euclidean_squared" } as const;
  const ann = { ...metric, lateInteraction: false };
  const schema = schemaOf(
    { vector: { type: "[2]f32", ann }, other: "[2]f32", many: "[][2]f32", n: "int" },
    metric,
  );
  const at = (x: number, y: number) => Float32Array.of(x, y);
  const docs = [
    documentOf(1n, { vector: at(0, 0), other: at(0, 0), many: [at(1, 0), at(0, 1)], n: 1n }),
    documentOf(2n, { vector: at(3, 4), other: at(1, 1), many: [at(0.9, 0.1), at(0.9, 0.1)] }),
    documentOf(3n, { vector: at(0, 1), many: [] }),
  ];
  const snapshot = openSnapshot(schema, [{ documents: docs }]);
  const near = (
    attribute: string,
    values: Float32Array | Float32Array[],
    method: "ANN" | "kNN" = "ANN",
  ): RankBy => ({
    kind: "vector",
    method,
    attribute,
    operand: Array.isArray(values) ? { kind: "vectors", values } : { kind: "vector", values },
  });

  test("nearest first, zero distances included", () => {
    const found = documents(snapshot, documentQuery(near("vector", at(0, 0))));
    expect(found.map(({ id, dist }) => [id, dist])).toEqual([
      [1n, 0],
      [3n, 1],
      [2n, 25],
    ]);
  });

  test("cosine distances lie between 0 and 2, 1 for zero vectors", () => {
    const cosine = { distanceMetric: "cosine_distance" } as const;
    const options = { type: "[2]f32", ann: { ...cosine, lateInteraction: false } };
    const unit = [at(1, 0), at(0, 2), at(-3, 0), at(0, 0)];
    const four = unit.map((vector, i) => documentOf(BigInt(i), { vector }));
    const namespace = openSnapshot(schemaOf({ vector: options }, cosine), [{ documents: four }]);
    const found = documents(namespace, documentQuery(near("vector", at(5, 0))));
    expect(found.map(({ id, dist }) => [id, dist])).toEqual([
      [0n, 0],
      [1n, 1],
      [3n, 1],
      [2n, 2],
    ]);
  });

  test("late interaction sums the nearest of each query vector; documents need a vector", () => {
    const found = documents(snapshot, documentQuery(near("many", [at(1, 0), at(0, 1)], "kNN")));
    expect(found.map(({ id }) => id)).toEqual([1n, 2n]);
    expect(found[0].dist).toBe(0);
    expect(found[1].dist).toBeCloseTo(0.02 + 1.62, 5);
  });

  test("distances can be computed beside another ranking; without a vector they are null", () => {
    const operand = { kind: "vector", values: at(0, 0) } as const;
    const computed = new Map([
      ["d", { kind: "vector_dist", attribute: "other", operand } as const],
    ]);
    const found = documents(snapshot, documentQuery(BY_ID, { computed }));
    expect(found.map((document) => document.computed)).toEqual([
      [["d", 0]],
      [["d", 2]],
      [["d", null]],
    ]);
  });

  test.each([
    [near("vector", Float32Array.of(1)), "has 1 dimensions, expected 2 dimensions"],
    [near("many", [Float32Array.of(1)], "kNN"), "expected 2 dimensions"],
    [near("other", at(0, 0)), "ANN needs `ann: true`"],
    [near("many", [at(0, 0)]), "ANN needs `ann: {late_interaction: true}`"],
    [near("n", at(0, 0)), "not a vector attribute, but int"],
    [near("many", at(0, 0), "kNN"), "expects an array of vectors"],
    [near("vector", [at(0, 0)]), "expects one vector"],
    [near("nothing", at(0, 0)), 'attribute "nothing" not found in schema'],
  ])("refusal %#", (rankBy, message) => {
    expect(() => ids(snapshot, rankBy)).toThrow(message);
  });

  test("a deprecated distance_metric must agree with the namespace's", () => {
    const query = { distanceMetric: "cosine_distance" };
    const text = "💔 distance metric mismatch, expected euclidean_squared, got cosine_distance";
    expect(() => ids(snapshot, BY_ID, query)).toThrow(text);
    expect(ids(openSnapshot(schemaOf({}), []), BY_ID, query)).toEqual([]);
  });
});

describe("orders and limits", () => {
  const schema = schemaOf({
    group: "string",
    n: "int",
    tags: "[]string",
    hidden: { type: "int", filterable: false },
  });
  const docs = [
    documentOf(1n, { group: "b", n: 1n }),
    documentOf(2n, { group: "a", n: 2n }),
    documentOf(3n, { group: "b", n: 3n }),
    documentOf(4n, { n: 2n }),
    documentOf(5n, { group: "b" }),
  ];
  const snapshot = openSnapshot(schema, [
    { documents: docs.slice(0, 2) },
    { documents: docs.slice(2), deleted: [documentOf(1n, { group: "a", n: 9n })] },
  ]);
  const by = (...keys: [string, "asc" | "desc"][]): RankBy => ({
    kind: "order",
    keys: keys.map(([name, direction]) => ({ attribute: name, direction })),
  });

  test("nulls come first ascending and last descending, ties by id", () => {
    expect(ids(snapshot, by(["n", "asc"]))).toEqual([5, 1, 2, 4, 3]);
    expect(ids(snapshot, by(["n", "desc"]))).toEqual([3, 2, 4, 1, 5]);
    expect(ids(snapshot, by(["group", "asc"], ["n", "desc"]))).toEqual([4, 2, 3, 1, 5]);
    expect(ids(snapshot, by(["id", "desc"]))).toEqual([5, 4, 3, 2, 1]);
  });

  test("offset and limit cut a window", () => {
    expect(ids(snapshot, BY_ID, { limit: 2 })).toEqual([1, 2]);
    expect(ids(snapshot, BY_ID, { limit: 2, offset: 3 })).toEqual([4, 5]);
    expect(ids(snapshot, BY_ID, { offset: 9 })).toEqual([]);
  });

  test("a limit per key skips documents whose key had its share", () => {
    const limitPer = { attributes: ["group"], limit: 1 };
    const selection = { kind: "include", names: new Set(["group"]) } as const;
    expect(ids(snapshot, BY_ID, { limitPer, selection })).toEqual([1, 2, 4]);
    expect(ids(snapshot, BY_ID, { limitPer, selection, offset: 1, limit: 1 })).toEqual([2]);
    const more = { limitPer: { attributes: ["group"], limit: 2 }, selection };
    expect(ids(snapshot, by(["n", "desc"]), more)).toEqual([3, 2, 4, 1]);
  });

  test.each<[RankBy, Partial<DocumentQuery>, string]>([
    [by(["tags", "asc"]), {}, "cannot order by []string"],
    [by(["hidden", "asc"]), {}, "not filterable"],
    [by(["nope", "asc"]), {}, "not found in schema"],
    [BY_ID, { limitPer: { attributes: ["group"], limit: 1 } }, "must be returned"],
    [
      BY_ID,
      { limitPer: { attributes: ["tags"], limit: 1 }, selection: { kind: "all" } },
      "limit.per cannot use",
    ],
    [
      BY_ID,
      { selection: { kind: "include", names: new Set(["x"]) } },
      '💔 attribute "x" not found in schema, cannot be part of `include_attributes`. consider ' +
        "passing `include_attributes=True` to return all attribute data instead",
    ],
  ])("refusal %#", (rankBy, rest, message) => {
    expect(() => ids(snapshot, rankBy, rest)).toThrow(message);
  });

  test("attributes come as asked for, without nulls", () => {
    const names = (selection: DocumentQuery["selection"]) =>
      documents(snapshot, documentQuery(BY_ID, { selection })).map(({ attributes }) =>
        attributes.map(([name, , value]) => `${name}=${value}`).join(),
      );
    expect(names({ kind: "none" })).toEqual(["", "", "", "", ""]);
    expect(names({ kind: "all" })).toEqual([
      "group=b,n=1",
      "group=a,n=2",
      "group=b,n=3",
      "n=2",
      "group=b",
    ]);
    expect(names({ kind: "include", names: new Set(["n", "id"]) })[4]).toBe("");
    expect(names({ kind: "exclude", names: new Set(["n", "unknown"]) })[0]).toBe("group=b");
  });
});
