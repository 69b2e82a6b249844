/**
 * Damaged bodies to every endpoint that takes one: the server never crashes, every status is a
 * documented one, every error has its shape, and what is refused has changed nothing.
 */

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { type Mutant, mutateJson } from "../support/random/mutate-json.ts";
import { testSeed } from "../support/random/seed.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROUNDS = Number(process.env.TRAWL_TEST_FUZZ_ROUNDS ?? 6000);
const NAMESPACE = "fuzz";
/** 202 and 429 are for copies, recall and busy servers. */
const STATUSES = [200, 202, 400, 404, 409, 413, 422, 429];

/** A write that has every kind of attribute. */
const CREATION = {
  distance_metric: "cosine_distance",
  schema: {
    text: { type: "string", full_text_search: true, filterable: true, regex: true, fuzzy: true },
    terms: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    at: "datetime",
    owner: "uuid",
    blob: "bytes",
    price: "float",
    tags: { type: "[]string", glob: true, filterable: true },
    many: { type: "[][2]f32", ann: { late_interaction: true } },
    body: { type: "string", embed: { model: "small", dims: 8 } },
  },
  upsert_rows: [1, 2, 3].map((id) => ({
    id,
    vector: [id, 0.5],
    many: [
      [id, 1],
      [0, 1],
    ],
    text: `the quick brown fox ${id}`,
    body: `text ${id}`,
    terms: { a: id, b: 0.5 },
    at: "2024-01-01T00:00:00Z",
    owner: "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9",
    blob: "AAEC",
    price: 1.5,
    tags: ["red", "green"],
    n: id,
  })),
};

const ROW = CREATION.upsert_rows[0];

/** Valid bodies by path; damage starts from these. */
const BODIES: readonly { method: string; path: string; body: object }[] = [
  ...[
    CREATION,
    {
      upsert_rows: [ROW],
      upsert_condition: ["n", "Lt", { $ref_new: "n" }],
      return_affected_ids: true,
    },
    {
      upsert_columns: {
        id: [7, 8],
        vector: [
          [1, 2],
          [3, 4],
        ],
        many: [[[1, 2]], [[3, 4]]],
        body: ["a", "b"],
      },
    },
    {
      upsert_columns: {
        id: [7],
        vector: ["AACAPwAAAEA="],
        many: [["AACAPwAAAEA="]],
        embed_body: [[1, 2, 3, 4, 5, 6, 7, 8]],
      },
    },
    { patch_rows: [{ id: 1, n: 5, tags: null }], patch_condition: ["id", "NotEq", null] },
    { patch_columns: { id: [1, 2], price: [0.25, null] }, deletes: [3] },
    {
      delete_by_filter: [
        "And",
        [
          ["n", "Gt", 100],
          ["text", "Regex", "^x"],
        ],
      ],
      delete_by_filter_allow_partial: true,
    },
    { patch_by_filter: { filters: ["tags", "Glob", "r*"], patch: { n: 9 } } },
    { schema: { n: { type: "int", filterable: false }, more: "[]uint" } },
  ].map((body) => ({ method: "POST", path: `/v2/namespaces/${NAMESPACE}`, body })),
  ...[
    { copy_from_namespace: { source_namespace: NAMESPACE, dest_encryption: { mode: "default" } } },
    { branch_from_namespace: NAMESPACE },
    {
      upsert_rows: [{ id: "x", a: [1, 2] }],
      sharding: { num_shards: 2 },
      encryption: { mode: "default" },
    },
    CREATION,
  ].map((body) => ({ method: "POST", path: "/v2/namespaces/fuzz-new", body })),
  ...[
    {
      rank_by: ["vector", "ANN", [1, 2]],
      limit: 3,
      include_attributes: true,
      vector_encoding: "base64",
    },
    {
      rank_by: [
        "many",
        "kNN",
        [
          [1, 2],
          [3, 4],
        ],
      ],
      filters: ["id", "In", [1, 2]],
      top_k: 2,
    },
    {
      rank_by: ["body", "ANN", ["Embed", "text", { model: "small" }]],
      limit: { total: 3, per: { attributes: ["n"], limit: 1 } },
      include_attributes: ["n"],
    },
    {
      rank_by: [
        "Sum",
        [
          ["Product", 2, ["text", "BM25", "quick fox", { last_as_prefix: true }]],
          ["terms", "SparseKNN", { a: 1 }],
          ["Decay", ["Dist", ["Attribute", "at"], "2024-01-02"], { midpoint: "7d", exponent: 2 }],
          ["Max", [0, ["Attribute", "price"]]],
        ],
      ],
      limit: 5,
      offset: 1,
      exclude_attributes: ["blob"],
      compute_attributes: {
        found: [
          "Highlight",
          "text",
          {
            fragment_by: "word",
            include_offsets: "utf-16",
            rank_fragments_by: ["$fragment", "BM25", "fox"],
          },
        ],
        far: ["vector", "VectorDist", [1, 0]],
      },
    },
    {
      rank_by: [
        ["n", "desc"],
        ["text", "asc"],
      ],
      limit: 2,
      filters: [
        "Or",
        [
          ["text", "Fuzzy", "qiuck", { max_edit_distance: [{ min_query_chars: 3, distance: 0 }] }],
          ["Not", ["tags", "ContainsAny", ["red"]]],
        ],
      ],
      consistency: { level: "eventual" },
    },
    {
      aggregate_by: { all: ["Count"], sum: ["Sum", "price"] },
      group_by: ["n", { tag: ["ForEachUnique", "tags"] }],
      top_k: 5,
    },
    {
      queries: [
        { rank_by: ["vector", "ANN", [1, 2]], limit: 3 },
        { rank_by: ["text", "BM25", "fox"], limit: 3 },
      ],
      rerank_by: ["RRF", { rank_constant: 10, weights: [1, 2] }],
      limit: 2,
    },
  ].flatMap((body) =>
    ["query", "explain_query"].map((end) => ({
      method: "POST",
      path: `/v2/namespaces/${NAMESPACE}/${end}`,
      body,
    })),
  ),
  {
    method: "POST",
    path: `/v1/namespaces/${NAMESPACE}/schema`,
    body: {
      text: { type: "string", full_text_search: { stemming: true, k1: 1.5, language: "german" } },
      n: "int",
    },
  },
  {
    method: "PATCH",
    path: `/v1/namespaces/${NAMESPACE}/metadata`,
    body: { pinning: { replicas: 2 } },
  },
  {
    method: "POST",
    path: `/v1/namespaces/${NAMESPACE}/_debug/recall`,
    body: { num: 2, top_k: 2, include_ground_truth: true, filters: ["n", "Gt", 0] },
  },
];

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const flags = ["--query-threads", "1", "--log-level", "warn"];
  server = await startServer({
    dataDir: directory.path,
    arguments: flags,
    replaced: OFFLINE_MODELS,
  });
  const created = await call(
    "POST",
    `/v2/namespaces/${NAMESPACE}`,
    Buffer.from(JSON.stringify(CREATION)),
  );
  expect(created.status, created.text).toBe(200);
});

afterAll(async () => {
  await server.kill();
  await directory.remove();
});

async function call(method: string, path: string, body?: Uint8Array, encoding?: string) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(encoding && { "content-encoding": encoding }),
    },
    ...(body && { body: body as Uint8Array<ArrayBuffer> }),
  });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

/** Everything that a refused request could have changed. */
async function state(name: string): Promise<string> {
  const metadata = await call("GET", `/v2/namespaces/${name}/metadata`);
  const everything = Buffer.from('{"rank_by":["id","asc"],"limit":9999,"include_attributes":true}');
  const documents = await call("POST", `/v2/namespaces/${name}/query`, everything);
  return `${metadata.text} ${documents.status} ${documents.text.split(',"billing"')[0]}`;
}

function encode(random: Random, { body, gzip }: Mutant): [Uint8Array, string | undefined] {
  if (gzip === "none") return [body, undefined];
  const packed = gzipSync(body);
  if (gzip === "damaged") packed[random.below(packed.length)] ^= 1 << random.below(8);
  const end = gzip === "damaged" && random.below(2) === 0 ? random.below(packed.length) : undefined;
  return [packed.subarray(0, end), "gzip"];
}

test(`${ROUNDS} damaged bodies get documented answers, and refusals change nothing`, async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  const counts = new Map<number, number>();
  let before = await state(NAMESPACE);
  for (let round = 0; round < ROUNDS; round++) {
    const { method, path, body: valid } = BODIES[random.below(BODIES.length)];
    const mutant = mutateJson(random, JSON.stringify(valid));
    const [bytes, encoding] = encode(random, mutant);
    const shown = Buffer.from(mutant.body).toString("latin1").slice(0, 3000);
    const what = `seed ${seed}, round ${round}: ${method} ${path} ${encoding ?? ""} ${shown}`;
    const answer = await call(method, path, bytes, encoding).catch((error: Error) => {
      throw new Error(`${what}: no answer: ${error.cause}\n${server.output().slice(-2000)}`);
    });
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    expect(
      STATUSES,
      `${what}: ${answer.status} ${answer.text}\n${server.output().slice(-3000)}`,
    ).toContain(answer.status);
    expect(answer.type, what).toContain("application/json");
    const json = JSON.parse(answer.text);
    if (answer.status >= 400)
      expect(json, what).toMatchObject({ status: "error", error: expect.any(String) });
    if (path.endsWith("fuzz-new")) {
      const { status } = await call("DELETE", path);
      // Copies create a namespace, and documents that are inserted; nothing else does.
      const isCloned = /^namespace (cloned|branch)/.test(json.message);
      const isCreated = answer.status < 300 && (isCloned || json.rows_upserted > 0);
      expect(status, what).toBe(isCreated ? 200 : 404);
    } else {
      const after = await state(NAMESPACE);
      if (answer.status >= 400 || path.includes("query")) expect(after, what).toBe(before);
      before = after;
      if (before.includes('"read_only":true')) throw new Error(`${what}: became read-only`);
    }
  }
  console.log(Object.fromEntries([...counts].sort()));
  expect(counts.get(200)).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
}, 600_000);
