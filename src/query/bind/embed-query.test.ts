import { describe, expect, test } from "vitest";
import {
  BY_ID,
  documentQuery,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import type { RankBy } from "../../model/query.ts";
import { querySlots } from "../planner/query-weight.ts";
import { embedTexts, withEmbeddings } from "./embed-query.ts";

const SCHEMA = schemaOf({
  body: { type: "string", embed: { model: "small", attribute: "embed_body" } },
  embed_body: "[2]f32",
  vector: "[2]f32",
  plain: "string",
});

const embed = (attribute: string, model?: string): RankBy => ({
  kind: "vector",
  method: "ANN",
  attribute,
  operand: { kind: "embed", text: `about ${attribute}`, model },
});

const texts = (...ranks: RankBy[]) =>
  embedTexts(requestOf(...ranks.map((rankBy) => documentQuery(rankBy))), SCHEMA);

describe("texts to embed", () => {
  test("take the schema's model on a source attribute unless another is given", () => {
    expect(texts(embed("body"), BY_ID, embed("body", "large"), embed("vector", "large"))).toEqual([
      { text: "about body", model: "small", dimensions: 2 },
      { text: "about body", model: "large", dimensions: 2 },
      { text: "about vector", model: "large", dimensions: 2 },
    ]);
  });

  test("need a model on a vector attribute, and an attribute with an embedding", () => {
    expect(() => texts(embed("vector"))).toThrow("Embed on a vector attribute needs a model");
    expect(() => texts(embed("plain", "large"))).toThrow("Embed needs a vector attribute");
    expect(() => texts(embed("nothing", "large"))).toThrow("Embed needs a vector attribute");
  });
});

test("vectors take the places of the texts, on the attribute that holds embeddings", () => {
  const queries = [embed("body"), BY_ID, embed("vector", "large")].map((rank) =>
    documentQuery(rank),
  );
  const vectors = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
  const request = withEmbeddings(requestOf(...queries), vectors, SCHEMA);
  const ranks = request.queries.map((query) => query.kind === "documents" && query.rankBy);
  const given = (attribute: string, values: Float32Array) => ({
    kind: "vector",
    method: "ANN",
    attribute,
    operand: { kind: "vector", values },
  });
  expect(ranks).toEqual([given("embed_body", vectors[0]), BY_ID, given("vector", vectors[1])]);
  expect(embedTexts(request, SCHEMA)).toEqual([]);
});

test("slots: aggregates take four, kNN two, others one, at most all", () => {
  const aggregates = new Map([["n", { kind: "count" } as const]]);
  const rest = { filter: undefined, groupBy: [], groupLimit: 1 };
  const aggregate = { kind: "aggregate", aggregates, ...rest } as const;
  const lookup = documentQuery(BY_ID);
  const nearest = documentQuery({ ...embed("vector"), method: "kNN" } as RankBy);
  expect(querySlots(requestOf(lookup))).toBe(1);
  expect(querySlots(requestOf(nearest))).toBe(2);
  expect(querySlots(requestOf(aggregate, nearest, lookup))).toBe(7);
  expect(querySlots(requestOf(...Array.from({ length: 16 }, () => aggregate)))).toBe(16);
});
