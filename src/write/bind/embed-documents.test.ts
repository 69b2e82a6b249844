import { expect, test } from "vitest";
import { faultOf, looseRows } from "../../../test/support/documents/loose-json.ts";
import { create } from "../../../test/support/documents/schema-changes.ts";
import { runSteps } from "../../base/steps.ts";
import { columnValue } from "../../codec/columns-value.ts";
import type { EmbeddingProvider, EmbeddingRequest } from "../../embed/embedding-provider.ts";
import { bindPatches, bindUpserts } from "./bind-documents.ts";
import { embedDocuments, planEmbeddings } from "./embed-documents.ts";

const SCHEMA = create(
  {
    title: { type: "string", embed: { model: "small", dims: 2 } },
    body: { type: "string", embed: { model: "big", attribute: "v", dims: 3, dtype: "i8" } },
  },
  "cosine_distance",
);
const CONTEXT = { schema: SCHEMA, isNewNamespace: false, distanceMetric: undefined };

function fake(): EmbeddingProvider & { readonly requests: EmbeddingRequest[] } {
  const requests: EmbeddingRequest[] = [];
  return {
    requests,
    dimensionsOf: () => undefined,
    embed: (request) => {
      requests.push(request);
      const { texts, dimensions } = request;
      const vectors = texts.map((text) => new Float32Array(dimensions).fill(text.length));
      return Promise.resolve({ vectors, tokens: texts.length * 10 });
    },
  };
}

test("documents without a vector are embedded, each attribute by its model", async () => {
  const upserts = looseRows([
    { id: 1, title: "ab", body: "abc" },
    { id: 2, title: null, embed_title: [5, 6], body: "abcd" },
    { id: 3, title: "abc", v: [1, 2, 3] },
  ]);
  const provider = fake();
  const jobs = planEmbeddings(upserts, SCHEMA);
  const embedded = await embedDocuments(upserts, jobs, provider);
  expect(embedded.tokens).toBe(40);
  expect(provider.requests).toEqual([
    { model: "small", texts: ["ab", "abc"], dimensions: 2 },
    { model: "big", texts: ["abc", "abcd"], dimensions: 3 },
  ]);
  const { documents } = runSteps(bindUpserts(embedded.upserts, CONTEXT));
  const values = (name: string) => {
    const column = documents.attributes.get(name);
    return [0, 1, 2].map((i) => (column ? columnValue(column, i) : null));
  };
  expect(values("embed_title")).toEqual([
    Float32Array.of(2, 2),
    Float32Array.of(5, 6),
    Float32Array.of(3, 3),
  ]);
  const scaled = Float32Array.of(127, 127, 127);
  expect(values("v")).toEqual([scaled, scaled, Float32Array.of(1, 2, 3)]);
});

test("documents that bring their vectors need no text and no embedder", () => {
  const upserts = looseRows([{ id: 1, embed_title: [1, 2], v: [1, 2, 3] }]);
  expect(planEmbeddings(upserts, SCHEMA)).toEqual([]);
});

test.each([[undefined], [null], [""], [5]])("the source text %j cannot be embedded", (title) => {
  const upserts = looseRows([{ id: 1, title, v: [1, 2, 3] }]);
  const fault = faultOf(() => planEmbeddings(upserts, SCHEMA));
  expect(fault.message).toContain("upsert_rows[0].title");
  expect(fault.code).toBe("invalid");
});

test("at most 30 documents of a write are embedded", () => {
  const rows = (count: number) =>
    looseRows(Array.from({ length: count }, (_, id) => ({ id, title: "a", body: "b" })));
  expect(planEmbeddings(rows(30), SCHEMA)).toHaveLength(2);
  expect(faultOf(() => planEmbeddings(rows(31), SCHEMA)).message).toContain("at most 30");
});

test("embedded text is not patched, since its vector would stay behind", () => {
  const patches = looseRows([{ id: 1, title: "new" }]);
  expect(faultOf(() => runSteps(bindPatches(patches, CONTEXT))).message).toContain("embed_title");
});
