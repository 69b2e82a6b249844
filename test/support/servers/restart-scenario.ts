/** Writes of every kind, and everything that users can see of them: for tests of restarts. */

import { type sdkClient, untyped } from "./sdk-client.ts";

type Client = ReturnType<typeof sdkClient>;

/** Writes of every kind, the later ones over the earlier. */
export async function populate(client: Client): Promise<void> {
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
  await client.namespace("reborn").write({ upsert_rows: [{ id: "x", a: "text" }, { id: "y" }] });
  await client.namespace("reborn").write(untyped({ schema: { a: { drop: true } } }));
  await client.namespace("reborn").write({ patch_rows: [{ id: "y", a: 7 }] });
  const created = { create_namespace: true, schema: { id: "uuid", a: "[]int" } };
  await client.namespace("restart-empty").write(untyped(created));
}

/** Namespaces without vectors and texts. */
const PLAIN = ["reborn", "restart-empty"];

/** Everything that users can see, apart from times of the query itself. */
export async function observe(client: Client): Promise<unknown> {
  const seen: unknown[] = [];
  for (const name of ["restart", "restart-copy", "restart-branch", ...PLAIN]) {
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
    if (!PLAIN.includes(name)) {
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
