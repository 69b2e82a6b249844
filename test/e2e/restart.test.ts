/** What was acknowledged is there after a stop and after a kill, and every answer is the same. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFault, sdkClient, untyped } from "../support/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

const start = async () => {
  server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1", "--embedder", "hash"],
  });
  return sdkClient({ baseURL: server.url });
};

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(async () => {
  await server.stop();
  await directory.remove();
});

type Client = Awaited<ReturnType<typeof start>>;

/** Writes of every kind, the later ones over the earlier. */
async function populate(client: Client): Promise<void> {
  const ns = client.namespace("restart");
  await ns.write({
    distance_metric: "cosine_distance",
    schema: {
      text: { type: "string", full_text_search: { stemming: true } },
      terms: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
      at: "datetime",
      owner: "uuid",
      blob: "bytes",
      body: { type: "string", embed: { model: "openai/text-embedding-3-small", dims: 16 } },
    },
    upsert_rows: Array.from({ length: 25 }, (_, id) => ({
      id,
      vector: [Math.cos(id), Math.sin(id)],
      text: `document ${id} about ${["foxes", "whales", "東京"][id % 3]} and naïve tests`,
      terms: { [`t${id % 4}`]: id / 8 },
      at: `2024-01-${String(id + 1).padStart(2, "0")}T10:00:00Z`,
      owner: `00000000-0000-4000-8000-0000000000${String(id).padStart(2, "0")}`,
      blob: Buffer.from([id, 0, 255]).toString("base64"),
      body: `body ${id % 5}`,
      tags: id % 2 ? ["odd", `n${id}`] : [],
      n: id - 12,
    })),
  });
  await ns.write({ patch_rows: [{ id: 3, n: 10, tags: ["patched"] }], deletes: [4, 5] });
  await ns.write({ delete_by_filter: ["n", "Gte", 11], delete_by_filter_allow_partial: false });
  await ns.write({
    patch_by_filter: { filters: untyped<["n", "Lt", number]>(["n", "Lt", -10]), patch: { n: -99 } },
  });
  await ns.updateSchema({ schema: { n: { type: "int", filterable: true }, later: "float" } });
  await ns.write({ patch_rows: [{ id: 7, later: 0.25 }] });
  await client.namespace("restart-copy").copyFrom({ source_namespace: "restart" });
  await client.namespace("restart-branch").branchFrom({ source_namespace: "restart" });
  await client.namespace("restart-branch").write({ deletes: [0] });
  await client.namespace("restart-copy").updateMetadata(untyped({ read_only: true }));
  await client.namespace("gone").write({ upsert_rows: [{ id: 1 }] });
  await client.namespace("gone").deleteAll();
  await client.namespace("reborn").write({ upsert_rows: [{ id: 1, a: 1 }] });
  await client.namespace("reborn").deleteAll();
  await client.namespace("reborn").write({ upsert_rows: [{ id: "x", a: "text" }] });
}

/** Everything that users can see, apart from times of the query itself. */
async function observe(client: Client): Promise<unknown> {
  const seen: unknown[] = [];
  for (const name of ["restart", "restart-copy", "restart-branch", "reborn"]) {
    const ns = client.namespace(name);
    seen.push(name, await ns.schema());
    const {
      index: _,
      approx_logical_bytes: __,
      approx_row_count: ___,
      ...metadata
    } = await ns.metadata();
    seen.push(metadata);
    const queries: object[] = [
      { rank_by: ["id", "asc"], limit: 100, include_attributes: true, vector_encoding: "base64" },
    ];
    if (name !== "reborn") {
      queries.push(
        { rank_by: ["vector", "ANN", [1, 0]], limit: 7 },
        { rank_by: ["vector", "kNN", [0, 1]], filters: ["n", "Lt", 0], limit: 7 },
        { rank_by: ["body", "ANN", ["Embed", "body 3"]], limit: 5 },
        { rank_by: ["text", "BM25", "fox 東京"], limit: 30 },
        { rank_by: ["terms", "SparseKNN", { t1: 1, t2: 2 }], limit: 30 },
        { rank_by: ["at", "desc"], filters: ["tags", "NotContains", "odd"], limit: 30 },
        {
          aggregate_by: { n: ["Sum", "n"], c: ["Count"] },
          group_by: [{ t: ["ForEachUnique", "tags"] }],
        },
      );
    }
    for (const query of queries) {
      const { rows, aggregation_groups } = await ns.query(untyped(query));
      seen.push(rows ?? aggregation_groups);
    }
  }
  const names: string[] = [];
  for await (const { id } of client.namespaces()) names.push(id);
  seen.push(names);
  return seen;
}

test("stops and kills change no answer", async () => {
  let client = await start();
  await populate(client);
  const before = await observe(client);
  expect(JSON.stringify(before)).toContain("patched");
  expect(await server.stop()).toBe(0);
  client = await start();
  expect(await observe(client)).toEqual(before);
  await expectFault(client.namespace("gone").schema(), 404);
  await client
    .namespace("restart")
    .write({ upsert_rows: [{ id: 500, vector: [1, 1], body: "x" }] });
  await server.kill();
  client = await start();
  const answer = await client.namespace("restart").query({ filters: ["id", "Eq", 500], limit: 1 });
  expect(answer.rows).toEqual([{ id: 500 }]);
  await client.namespace("restart").write({ deletes: [500] });
  await server.kill();
  client = await start();
  const after = JSON.stringify(await observe(client));
  const timeless = (text: string) => text.replaceAll(/"(updated_at|last_write_at)":"[^"]+"/g, "");
  expect(timeless(after)).toBe(timeless(JSON.stringify(before)));
});

test("a data directory has one server", async () => {
  const second = startServer({ dataDir: directory.path });
  await expect(second).rejects.toThrow(/directory/);
});
