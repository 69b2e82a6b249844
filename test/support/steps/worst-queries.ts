/** Queries whose loops are as long as limits allow, with the documents that make them so. */

import {
  ARRAY_ELEMENTS_MAX,
  ATTRIBUTE_COUNT_MAX,
  ATTRIBUTE_VALUE_BYTES_MAX,
  GROUP_ATTRIBUTES_MAX,
  HIGHLIGHT_FRAGMENTS_MAX,
} from "../../../src/model/contract-limits.ts";
import type { AttributeValue } from "../../../src/model/value.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import {
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_NODES_MAX,
} from "../../../src/wire/query/expression-budget.ts";
import { documentOf, fullText, openSnapshot, schemaOf } from "../queries/query-fixture.ts";

const METRIC = { distanceMetric: "cosine_distance" } as const;
const DIMENSIONS = 16;
const WORDS = "river stone light winter garden letter window paper silver ocean".split(" ");

/** Documents by what is long about them. */
export const WORST_SNAPSHOTS = {
  wide: wideSnapshot,
  long: longSnapshot,
  many: manyAttributes,
  large: largeDocuments,
} as const;

/** Many documents with a value of each kind. */
function wideSnapshot(count: number): Snapshot {
  const schema = schemaOf(
    {
      text: { type: "string", fullTextSearch: fullText(), regex: true, fuzzy: true, glob: true },
      tag: "string",
      n: "int",
      f: "float",
      tags: "[]string",
      numbers: "[]int",
      s: { type: "{}f16", sparseKnn: true },
      vector: { type: `[${DIMENSIONS}]f32`, ann: { ...METRIC, lateInteraction: false } },
    },
    METRIC,
  );
  const documents = Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 20 }, (_, k) => WORDS[(i * 7 + k * k + (i >> 5) * k) % 10]);
    const names = [`a${i % 97}`, `b${i % 9973}`, "c"].toSorted();
    return documentOf(BigInt(i), {
      text: `${words.join(" ")} ${i}`,
      tag: `tag ${(i * 31) % 50_000}`,
      n: BigInt(i % 977),
      f: (i % 9973) / 7,
      tags: [`t${i % 1000}`, `u${i}`],
      numbers: [BigInt(i % 1000), BigInt(i)],
      s: { names, weights: Float32Array.of(0.5, 0.25, 1) },
      vector: Float32Array.from({ length: DIMENSIONS }, (_, d) => ((i * 31 + d * 17) % 101) - 50),
    } satisfies Record<string, AttributeValue>);
  });
  return openSnapshot(schema, [{ documents }]);
}

/** Documents of which each value is as long as it may be. */
const LONG_DOCUMENTS = 3;
/** Elements of arrays of 8 bytes each, of UUIDs, and of strings of about 40 bytes. */
const LONG = { numbers: ARRAY_ELEMENTS_MAX, uuids: ARRAY_ELEMENTS_MAX / 2, strings: 200_000 };
const SENTENCE = `A ${WORDS.join(" ")}. `;

const shortString = (e: number): string => `e${e % 9973}`;
const uuid = (e: number): string => `00000000-0000-4000-8000-${String(e).padStart(12, "0")}`;
const filled = <T>(count: number, element: (e: number) => T): T[] =>
  Array.from({ length: count }, (_, e) => element(e));

/** Few documents, whose texts and arrays are as long as they may be. */
function longSnapshot(): Snapshot {
  const schema = schemaOf({
    text: { type: "string", fullTextSearch: fullText(), filterable: false },
    equal: "[]string",
    numbers: "[]int",
    floats: "[]float",
    uuids: "[]uuid",
    n: "int",
    strings: { type: "[]string", filterable: true, regex: true, glob: true },
    tags: "[]string",
    counts: "[]int",
  });
  const text = SENTENCE.repeat(Math.floor(ATTRIBUTE_VALUE_BYTES_MAX / SENTENCE.length));
  const documents = Array.from({ length: LONG_DOCUMENTS }, (_, i) =>
    documentOf(BigInt(i), {
      text,
      equal: filled(LONG.numbers, shortString),
      n: BigInt(i),
      numbers: filled(LONG.numbers, (e) => BigInt(e * (i + 1))),
      floats: filled(LONG.numbers, (e) => e * (i + 1) + 0.5),
      uuids: filled(LONG.uuids, uuid),
      strings: filled(LONG.strings, (e) => `${"x".repeat(30)}${e}`),
      tags: filled(20_000, shortString),
      counts: filled(200_000, BigInt),
    }),
  );
  return openSnapshot(schema, [{ documents }]);
}

const NAMES = filled(ATTRIBUTE_COUNT_MAX, (a) => `a${a}`);

/** Documents with as many attributes as there may be. */
function manyAttributes(): Snapshot {
  const schema = schemaOf(Object.fromEntries(NAMES.map((name) => [name, "int"])));
  const documents = filled(2000, (i) =>
    documentOf(BigInt(i), Object.fromEntries(NAMES.map((name) => [name, BigInt(i)]))),
  );
  return openSnapshot(schema, [{ documents }]);
}

/** Documents of as many bytes as there may be, none of whose values is long. */
function largeDocuments(): Snapshot {
  const strings = NAMES.slice(0, 512);
  const arrays = NAMES.slice(512);
  const schema = schemaOf({
    ...Object.fromEntries(strings.map((name) => [name, { type: "string", filterable: false }])),
    ...Object.fromEntries(arrays.map((name) => [name, { type: "[]float", filterable: false }])),
  });
  const text = "é\n".repeat(16_000);
  const floats = filled(8000, (e) => e / 7);
  const documents = filled(2, (i) =>
    documentOf(
      BigInt(i),
      Object.fromEntries([
        ...strings.map((name) => [name, text]),
        ...arrays.map((name) => [name, floats]),
      ]),
    ),
  );
  return openSnapshot(schema, [{ documents }]);
}

const MANY = Array.from({ length: 200_000 }, (_, i) => i);
const byId = { rank_by: ["id", "asc"], limit: 10 };
const all = { limit: 10_000, include_attributes: true };
const EDITS = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };
/** Expressions between the root and the innermost of the deepest that may be, and how many such. */
const NOTS = EXPRESSION_DEPTH_MAX - 2;
const DEEPEST_COUNT = Math.floor((EXPRESSION_NODES_MAX - 1) / (NOTS + 1));
const multi = (query: object) => ({ queries: Array.from({ length: 16 }, () => query) });
const nested = (depth: number, leaf: unknown): unknown =>
  depth === 0 ? leaf : ["Not", nested(depth - 1, leaf)];
const sum = (count: number, clause: (i: number) => unknown) => ({
  rank_by: ["Sum", Array.from({ length: count }, (_, i) => clause(i))],
  limit: 100,
});

/** By the snapshot that they are for. */
export const WORST_QUERIES: Readonly<
  Record<keyof typeof WORST_SNAPSHOTS, Readonly<Record<string, () => object>>>
> = {
  wide: {
    fuzzy: () => ({ ...byId, filters: ["text", "Fuzzy", "gardem windov papre", EDITS] }),
    regex: () => ({ ...byId, filters: ["text", "Regex", "(river|stone) .*x$"] }),
    glob: () => ({ ...byId, filters: ["text", "Glob", "*ver*st*x*"] }),
    phrase: () => ({ ...byId, filters: ["text", "ContainsTokenSequence", "ocean river garden"] }),
    "groups of two": () => ({
      aggregate_by: { count: ["Count"] },
      group_by: ["tag", "n"],
      limit: 10_000,
    }),
    "groups of texts": () => ({
      aggregate_by: { sum: ["Sum", "f"] },
      group_by: ["text"],
      limit: 10_000,
    }),
    "groups of elements": () => ({
      aggregate_by: { count: ["Count"] },
      group_by: [{ t: ["ForEachUnique", "tags"] }],
      limit: 10_000,
    }),
    sums: () => ({
      aggregate_by: Object.fromEntries(
        [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`s${i}`, ["Sum", "f"]]),
      ),
    }),
    exact: () =>
      multi({
        rank_by: ["vector", "kNN", Array.from({ length: DIMENSIONS }, (_, i) => i)],
        filters: ["n", "Gte", 0],
        limit: 100,
      }),
    ann: () => ({
      rank_by: ["vector", "ANN", Array.from({ length: DIMENSIONS }, (_, i) => i)],
      ...all,
    }),
    bm25: () => multi({ rank_by: ["text", "BM25", WORDS.join(" ")], limit: 100 }),
    sparse: () =>
      sum(64, () => [
        "s",
        "SparseKNN",
        Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`b${i}`, 1])),
      ]),
    "orders by many attributes": () => ({
      rank_by: [
        ["tag", "asc"],
        ["n", "desc"],
        ["f", "asc"],
        ["text", "asc"],
        ["id", "desc"],
      ],
      ...all,
    }),
    "per attributes": () => ({
      rank_by: ["n", "desc"],
      limit: { total: 10_000, per: { attributes: ["tag"], limit: 2 } },
      include_attributes: ["tag"],
    }),
    highlights: () => ({
      rank_by: ["text", "BM25", "river garden"],
      limit: 10_000,
      compute_attributes: { h: ["Highlight", "text", {}] },
    }),
    fused: () => ({
      queries: [
        { rank_by: ["n", "desc"], ...all },
        { rank_by: ["text", "BM25", "river"], ...all },
      ],
      rerank_by: ["RRF"],
      limit: 10_000,
    }),
    "strings in a list": () => ({ ...byId, filters: ["tag", "In", MANY.map((i) => `value ${i}`)] }),
    "integers in a list": () => ({ ...byId, filters: ["n", "In", MANY.map((i) => i + 50)] }),
    "floats in a list": () => ({ ...byId, filters: ["f", "In", MANY.map((i) => i + 0.5)] }),
    "ids in a list": () => ({ ...byId, filters: ["id", "In", MANY] }),
    "elements in a list": () => ({
      ...byId,
      filters: ["tags", "ContainsAny", MANY.map((i) => `u${i}`)],
    }),
    "elements in an order": () => ({ ...byId, filters: ["numbers", "AnyGte", 10] }),
    "elements between": () => ({
      ...byId,
      filters: ["And", filled(1000, (i) => ["tags", "AnyGt", `u${i}`])],
    }),
    "few elements in a list": () => ({
      ...byId,
      filters: ["numbers", "ContainsAny", filled(4096, (i) => 20 * i)],
    }),
    "numbers of arrays in a list": () => ({ ...byId, filters: ["numbers", "ContainsAny", MANY] }),
    "a wide filter": () => ({
      ...byId,
      filters: ["Or", filled(EXPRESSION_NODES_MAX - 1, (i) => ["n", "Eq", i])],
    }),
    "a wide filter of strings": () => ({
      ...byId,
      filters: ["Or", MANY.slice(0, 100).map((i) => ["tag", "Glob", `*${i}*x`])],
    }),
    "a wide conjunction": () => ({
      ...byId,
      filters: ["And", filled(EXPRESSION_NODES_MAX - 1, (i) => ["tag", "NotEq", `tag ${i}`])],
    }),
    "a deep filter": () => ({
      ...byId,
      filters: ["Or", filled(DEEPEST_COUNT, (i) => nested(NOTS, ["n", "Lt", i]))],
    }),
    "a tree of scores": () => sum(200, (i) => ["Product", i, ["text", "BM25", WORDS[i % 10]]]),
    "a tree of attributes": () =>
      sum(200, (i) => ["Saturate", ["Attribute", "f"], { midpoint: i + 1 }]),
    "a tree of filters": () => sum(200, (i) => ["n", "Eq", i]),
  },
  long: {
    "an array of strings": () => ({
      ...byId,
      filters: ["equal", "Eq", filled(LONG.numbers, shortString)],
    }),
    "an array of strings that differs at its end": () => ({
      ...byId,
      filters: ["equal", "Eq", filled(LONG.numbers, shortString).with(-1, "e0")],
    }),
    "an array of integers": () => ({
      ...byId,
      filters: ["numbers", "Eq", filled(LONG.numbers, (e) => e * 3)],
    }),
    "an array of floats": () => ({
      ...byId,
      filters: ["floats", "Eq", filled(LONG.numbers, (e) => e * 3 + 0.5)],
    }),
    "an array of UUIDs": () => ({ ...byId, filters: ["uuids", "Eq", filled(LONG.uuids, uuid)] }),
    "an array of long strings": () => ({
      ...byId,
      filters: ["strings", "Eq", filled(LONG.strings, (e) => `${"x".repeat(30)}${e}`)],
    }),
    "a comparison that all integers match": () => ({ ...byId, filters: ["numbers", "AnyGte", 0] }),
    "a comparison that no integer matches": () => ({ ...byId, filters: ["numbers", "AnyLt", 0] }),
    "a comparison that all strings match": () => ({ ...byId, filters: ["equal", "AnyGte", "a"] }),
    "a comparison that all UUIDs match": () => ({
      ...byId,
      filters: ["uuids", "AnyGte", uuid(0)],
    }),
    "numbers in a list": () => ({ ...byId, filters: ["numbers", "ContainsAny", MANY] }),
    regex: () => ({ ...byId, filters: ["strings", "Regex", "x+9$"] }),
    glob: () => ({ ...byId, filters: ["strings", "Glob", "*x*9*7*5"] }),
    phrase: () => ({ ...byId, filters: ["text", "ContainsTokenSequence", "ocean paper stone"] }),
    tokens: () => ({ ...byId, filters: ["text", "ContainsAllTokens", "ocean paper"] }),
    bm25: () => ({ rank_by: ["text", "BM25", "river garden"], limit: 10 }),
    highlights: () => ({
      rank_by: ["text", "BM25", "river garden"],
      limit: 10,
      compute_attributes: { h: ["Highlight", "text", { fragment_limit: 10 }] },
    }),
    "as many highlights as there may be": () => ({
      rank_by: ["text", "BM25", WORDS.join(" ")],
      limit: 10,
      compute_attributes: {
        h: [
          "Highlight",
          "text",
          { fragment_limit: HIGHLIGHT_FRAGMENTS_MAX, include_offsets: "utf-8" },
        ],
      },
    }),
    "one fragment of a whole text": () => ({
      rank_by: ["text", "BM25", WORDS.join(" ")],
      limit: 10,
      compute_attributes: { h: ["Highlight", "text", { fragment_by: "none" }] },
    }),
    "whole documents": () => ({ ...byId, include_attributes: ["text", "n", "tags", "counts"] }),
    "arrays of strings": () => ({ ...byId, include_attributes: ["equal"] }),
    "arrays of integers": () => ({ ...byId, include_attributes: ["numbers"] }),
    "arrays of UUIDs": () => ({ ...byId, include_attributes: ["uuids"] }),
    "groups of elements": () => ({
      aggregate_by: { count: ["Count"] },
      group_by: [{ t: ["ForEachUnique", "numbers"] }],
      limit: 10_000,
    }),
    "groups of strings": () => ({
      aggregate_by: { count: ["Count"] },
      group_by: [{ t: ["ForEachUnique", "strings"] }],
      limit: 10_000,
    }),
    "sums of groups of strings": () => ({
      aggregate_by: { sum: ["Sum", "n"] },
      group_by: [{ t: ["ForEachUnique", "strings"] }],
      limit: 10_000,
    }),
    "groups of elements and a number": () => ({
      aggregate_by: { sum: ["Sum", "n"] },
      group_by: ["n", { t: ["ForEachUnique", "numbers"] }],
      limit: 10_000,
    }),
  },
  many: {
    "whole documents": () => ({ ...byId, ...all }),
    "groups of as many keys as there may be": () => ({
      aggregate_by: { count: ["Count"] },
      group_by: NAMES.slice(0, GROUP_ATTRIBUTES_MAX),
      limit: 10_000,
    }),
    "sums of as many groups": () => ({
      aggregate_by: Object.fromEntries(filled(8, (i) => [`s${i}`, ["Sum", "a0"]])),
      group_by: NAMES.slice(0, GROUP_ATTRIBUTES_MAX),
      limit: 10_000,
    }),
    "a limit per as many keys as there may be": () => ({
      rank_by: ["id", "asc"],
      limit: { total: 2000, per: { attributes: NAMES.slice(0, GROUP_ATTRIBUTES_MAX), limit: 1 } },
      include_attributes: NAMES.slice(0, GROUP_ATTRIBUTES_MAX),
    }),
  },
  large: {
    "whole documents": () => ({ ...byId, include_attributes: true }),
  },
};
