import { expect, test } from "vitest";
import { parseAttributeType } from "../../model/attribute-type.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import { type AttributeSchema, EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";
import { encodeMetadataAnswer, type NamespaceMetadata } from "./metadata-json.ts";
import { encodeSchemaAnswer } from "./schema-json.ts";

const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

const FULL_TEXT: FullTextOptions = {
  tokenizer: "word_v3",
  language: "english",
  stemming: false,
  removeStopwords: true,
  caseSensitive: false,
  asciiFolding: false,
  maxTokenLength: 39,
  k1: 1.2,
  b: 0.75,
  k3: 8,
};

function attribute(type: string, rest: Partial<AttributeSchema> = {}): AttributeSchema {
  const parsed = parseAttributeType(type);
  if (!parsed) throw new Error(`no type: ${type}`);
  return { type: parsed, filterable: false, ...rest };
}

const ANN = { distanceMetric: "cosine_distance", lateInteraction: false } as const;
const SCHEMA: Schema = {
  idType: "uint",
  distanceMetric: "cosine_distance",
  attributes: new Map([
    ["name", attribute("string", { filterable: true })],
    ["body", attribute("string", { fullTextSearch: FULL_TEXT })],
    [
      "tokens",
      attribute("[]string", {
        fullTextSearch: {
          ...FULL_TEXT,
          tokenizer: "pre_tokenized_array",
          caseSensitive: true,
          removeStopwords: false,
        },
      }),
    ],
    ["path", attribute("string", { regex: true, glob: true, fuzzy: true })],
    ["vector", attribute("[2]f32", { ann: ANN })],
    ["embed_body", attribute("[1536]f16", { ann: ANN })],
    ["late", attribute("[][4]f32", { ann: { ...ANN, lateInteraction: true } })],
    ["exact", attribute("[][4]f32")],
    ["sparse", attribute("{}f16", { sparseKnn: true })],
    ["blob", attribute("bytes")],
    ["source", attribute("string", { embed: { model: "m", attribute: "embed_body" } })],
    ["empty", attribute("[]unknown", { filterable: true })],
  ]),
};

const BM25 = {
  k1: 1.2,
  b: 0.75,
  k3: 8,
  language: "english",
  stemming: false,
  remove_stopwords: true,
  ascii_folding: false,
  case_sensitive: false,
  max_token_length: 39,
  tokenizer: "word_v3",
};
const TOKENS = {
  ...BM25,
  remove_stopwords: false,
  case_sensitive: true,
  tokenizer: "pre_tokenized_array",
};

test("the schema endpoint shows three members of every attribute", () => {
  const plain = (type: string, filterable: boolean | null) => ({
    type,
    filterable,
    full_text_search: null,
  });
  expect(decode(encodeSchemaAnswer(SCHEMA))).toStrictEqual({
    id: plain("uint", null),
    name: plain("string", true),
    body: { ...plain("string", false), full_text_search: BM25 },
    tokens: {
      ...plain("[]string", false),
      full_text_search: { ...TOKENS, language: null, max_token_length: null },
    },
    path: { ...plain("string", false), regex: true, glob: true, fuzzy: true },
    vector: { ...plain("[2]f32", null), ann: true },
    embed_body: { ...plain("[1536]f16", false), ann: true },
    late: { ...plain("[][4]f32", false), ann: true },
    exact: plain("[][4]f32", false),
    sparse: plain("{}f16", false),
    blob: plain("bytes", false),
    source: plain("string", false),
    empty: plain("[]unknown", true),
  });
  expect(decode(encodeSchemaAnswer(EMPTY_SCHEMA))).toEqual({});
});

const METADATA: NamespaceMetadata = {
  schema: SCHEMA,
  logicalBytes: 10,
  documentCount: 3,
  createdAtMs: 0,
  updatedAtMs: 1,
  lastWriteAtMs: 2,
  encryption: { kind: "default" },
  unindexedCount: 3,
  unindexed: undefined,
  pinning: undefined,
  parent: undefined,
  shardCount: undefined,
  readOnly: false,
};

test("metadata leaves out what is null and tells more of vectors", () => {
  const { language: _, max_token_length: __, ...tokens } = TOKENS;
  const ann = { distance_metric: "cosine_distance" };
  expect(decode(encodeMetadataAnswer(METADATA, "v2"))).toStrictEqual({
    schema: {
      id: { type: "uint" },
      name: { type: "string", filterable: true },
      body: { type: "string", filterable: false, full_text_search: BM25 },
      tokens: { type: "[]string", filterable: false, full_text_search: tokens },
      path: { type: "string", filterable: false, regex: true, glob: true, fuzzy: true },
      vector: { type: "[2]f32", ann },
      embed_body: { type: "[1536]f16", ann, filterable: false },
      late: { type: "[][4]f32", ann: { ...ann, late_interaction: true }, filterable: false },
      exact: { type: "[][4]f32", filterable: false },
      sparse: { type: "{}f16", filterable: false, sparse_knn: { distance_metric: "dot_product" } },
      blob: { type: "bytes", filterable: false },
      source: {
        type: "string",
        filterable: false,
        embed: { attribute: "embed_body", model: "m" },
      },
      empty: { type: "[]unknown", filterable: true },
    },
    approx_logical_bytes: 10,
    approx_row_count: 3,
    created_at: "1970-01-01T00:00:00.000000000Z",
    updated_at: "1970-01-01T00:00:00.001000000Z",
    last_write_at: "1970-01-01T00:00:00.002000000Z",
    encryption: { mode: "default" },
    index: { status: "up-to-date", unindexed_rows: 3 },
  });
});

test("metadata shows all that is set", () => {
  const answer = decode(
    encodeMetadataAnswer(
      {
        ...METADATA,
        lastWriteAtMs: undefined,
        encryption: { kind: "customer_managed", keyName: "k" },
        unindexed: { bytes: 5, documentCount: 2 },
        pinning: { replicas: 2, utilization: 0, updatedAtMs: 0 },
        parent: "src",
        shardCount: 4,
        readOnly: true,
      },
      "v2",
    ),
  );
  expect(answer).toMatchObject({
    encryption: { mode: "customer-managed", key_name: "k" },
    index: { status: "updating", unindexed_bytes: 5, unindexed_rows: 2 },
    pinning: {
      replicas: 2,
      status: {
        ready_replicas: 2,
        replicas: 2,
        utilization: 0,
        updated_at: "1970-01-01T00:00:00.000000000Z",
      },
    },
    branching: { parent: "src" },
    sharding: { num_shards: 4 },
    read_only: true,
  });
  expect("last_write_at" in answer).toBe(false);
});

test("the first version of metadata says that the namespace is encrypted", () => {
  const answer = decode(encodeMetadataAnswer(METADATA, "v1"));
  expect(answer.encryption).toEqual({ sse: true, mode: "default" });
});
