/**
 * Every field of the official client's types is known. A field that a new version of the client
 * adds is missing here until it is listed: the compiler says so.
 */

import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import { expect, test } from "vitest";
import { runSteps } from "../../src/base/steps.ts";
import type { JsonForm } from "../../src/wire/json/json-form.ts";
import { JsonReader } from "../../src/wire/json/json-reader.ts";
import { UnknownMembers } from "../../src/wire/json/unknown-members.ts";
import { EXPLAIN_FORM, QUERY_FORM, RECALL_FORM } from "../../src/wire/query/query-forms.ts";
import { WriteBodyParser } from "../../src/wire/write/parse-write.ts";
import { METADATA_FORM, SCHEMA_FORM } from "../../src/wire/write/write-forms.ts";

/** A value for each field of an object; the namespace goes into the path. */
type Every<T> = { readonly [K in keyof Required<Omit<T, "namespace">>]: unknown };
type Ns = Turbopuffer.NamespaceQueryParams;
type Schema = Turbopuffer.AttributeSchemaConfig;
type Write = Turbopuffer.NamespaceWriteParams;
type Objects<T> = Extract<T, object>;

const bm25: Every<Turbopuffer.Bm25ClauseParams> = { last_as_prefix: true };
const all: Every<Turbopuffer.ContainsAllTokensFilterParams> = { last_as_prefix: true };
const any: Every<Turbopuffer.ContainsAnyTokenFilterParams> = { last_as_prefix: true };
const distance: Every<Turbopuffer.FuzzyMaxEditDistance> = { distance: 1, min_query_chars: 6 };
const fuzzy: Every<Turbopuffer.FuzzyParams> = {
  max_edit_distance: [distance],
  case_sensitive: true,
};
const saturate: Every<Turbopuffer.SaturateParams> = { exponent: 1, midpoint: 1 };
const decay: Every<Turbopuffer.DecayParams> = { exponent: 1, midpoint: 1 };
const embed: Every<Turbopuffer.EmbedParams> = { model: "m" };
const highlight: Every<Turbopuffer.HighlightConfigParams> = {
  fragment_by: "word",
  fragment_limit: 1,
  include_offsets: "utf-8",
  rank_fragments_by: ["$fragment", "BM25", "x", bm25],
};
const per: Every<NonNullable<Turbopuffer.Limit["per"]>> = { attributes: ["a"], limit: 1 };
const limit: Every<Turbopuffer.Limit> = { total: 1, per };
const filters = [
  "And",
  [
    ["a", "Fuzzy", "x", fuzzy],
    ["a", "ContainsAllTokens", "x", all],
    ["a", "ContainsAnyToken", "x", any],
  ],
];
const expressions = [
  ["a", "BM25", "x", bm25],
  ["Saturate", ["Attribute", "a"], saturate],
  ["Decay", ["Dist", ["Attribute", "a"], 1], decay],
];
const subquery: Every<Turbopuffer.NamespaceMultiQueryParams["queries"][number]> = {
  aggregate_by: { n: ["Count"] },
  compute_attributes: { h: ["Highlight", "a", highlight], d: ["v", "VectorDist", [1]] },
  distance_metric: "cosine_distance",
  exclude_attributes: ["a"],
  filters,
  group_by: ["a", { b: ["ForEachUnique", "c"] }],
  include_attributes: ["a"],
  limit,
  rank_by: ["Sum", expressions],
  top_k: 1,
};
const consistency: Every<NonNullable<Ns["consistency"]>> = { level: "strong" };
const query: Every<Ns> = { ...subquery, consistency, vector_encoding: "float" };
const explain: Every<Turbopuffer.NamespaceExplainQueryParams> = query;
const rrf: Every<Turbopuffer.RrfParams> = { rank_constant: 1, weights: [1] };
const several: Every<Turbopuffer.NamespaceMultiQueryParams> = {
  queries: [subquery, { rank_by: ["v", "ANN", ["Embed", "x", embed]] }],
  consistency,
  rerank_by: ["RRF", rrf],
  vector_encoding: "float",
};
const recall: Every<Turbopuffer.NamespaceRecallParams> = {
  filters,
  include_ground_truth: true,
  num: 1,
  rank_by: ["v", "ANN", [1]],
  top_k: 1,
};

const declaration: Every<Schema> = {
  type: "string",
  ann: {
    distance_metric: "cosine_distance",
    late_interaction: true,
  } satisfies Every<Objects<Schema["ann"]>>,
  embed: { model: "m", attribute: "a", dims: 1 } satisfies Every<Turbopuffer.AttributeEmbedConfig>,
  filterable: true,
  full_text_search: {
    ascii_folding: true,
    b: 1,
    case_sensitive: true,
    k1: 1,
    language: "english",
    max_token_length: 1,
    remove_stopwords: true,
    stemming: true,
    tokenizer: "word_v3",
  } satisfies Every<Turbopuffer.FullTextSearchConfig>,
  fuzzy: true,
  glob: true,
  regex: true,
  sparse_knn: { distance_metric: "dot_product" } satisfies Every<Objects<Schema["sparse_knn"]>>,
};
const metadata: Every<Turbopuffer.NamespaceUpdateMetadataParams> = {
  pinning: { replicas: 1 } satisfies Every<Turbopuffer.PinningConfig>,
};
const encryption: Every<Turbopuffer.Encryption.CustomerManaged> = {
  key_name: "k",
  mode: "customer-managed",
};
const copy: Every<Turbopuffer.NamespaceCopyFromParams> = {
  source_namespace: "a",
  dest_encryption: encryption,
  source_api_key: "k",
  source_region: "r",
};
const branch: Every<Turbopuffer.NamespaceBranchFromParams> = { source_namespace: "a" };
const write: Every<Write> = {
  branch_from_namespace: branch,
  copy_from_namespace: copy,
  delete_by_filter: filters,
  delete_by_filter_allow_partial: true,
  delete_condition: filters,
  deletes: [1],
  disable_backpressure: true,
  distance_metric: "cosine_distance",
  encryption,
  patch_by_filter: { filters, patch: { a: { b: 1 } } } satisfies Every<
    NonNullable<Write["patch_by_filter"]>
  >,
  patch_by_filter_allow_partial: true,
  patch_columns: { id: [1] },
  patch_condition: filters,
  patch_rows: [{ id: 1 }],
  return_affected_ids: true,
  schema: { a: declaration },
  sharding: { num_shards: 1 } satisfies Every<Turbopuffer.ShardingConfig>,
  upsert_columns: { id: [1] },
  upsert_condition: filters,
  upsert_rows: [{ id: 1 }],
};

/** What newer clients in other languages send beyond these types. */
const newerQueries = {
  queries: [subquery],
  rerank_by: { model: "m", attribute: "a", query: "x" },
  consistency: { level: "eventual", max_staleness_seconds: 1 },
  limit: { total: 1 },
  offset: 1,
};
const newerMetadata = { read_only: true };
const newerWrite = {
  create_namespace: true,
  schema: { a: { drop: true }, b: { ...declaration, embed: { model: "m", dtype: "f16" } } },
  encryption: { ...encryption, encryption_context: { any: "name" } },
};

const encode = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));

test.each<[string, unknown, JsonForm]>([
  ["a query", query, QUERY_FORM],
  ["an explained query", explain, EXPLAIN_FORM],
  ["an analyzed query", { ...several, analyze: true }, EXPLAIN_FORM],
  ["several queries", several, QUERY_FORM],
  ["a recall measurement", recall, RECALL_FORM],
  ["a schema", { a: declaration }, SCHEMA_FORM],
  ["a metadata update", metadata, METADATA_FORM],
  ["several queries of newer clients", newerQueries, QUERY_FORM],
  ["a metadata update of newer clients", newerMetadata, METADATA_FORM],
])("%s of the client's types has no unknown field", (_, body, form) => {
  const unknown = new UnknownMembers();
  const reader = new JsonReader();
  reader.push(encode(body));
  reader.end();
  expect(runSteps(reader.readKnownInSteps(form, unknown))).toBeInstanceOf(Map);
  expect(unknown.warning()).toBeUndefined();
});

test("writes of the client's types, and of newer ones, have no unknown field", () => {
  const unknown = new UnknownMembers();
  const parser = new WriteBodyParser({ typeOf: () => undefined }, unknown);
  runSteps(parser.push(encode({ ...write, ...newerWrite })));
  // All members at once are no request, but all are read by then.
  expect(() => runSteps(parser.finish())).toThrow("cannot");
  expect(unknown.warning()).toBeUndefined();
});
