/** Endpoints on the wire: paths and aliases, answers whole, statuses, headers, exact texts. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, query, fresh } = contractServer("endpoints");

const COSINE = { distance_metric: "cosine_distance" };
let name: string;

beforeAll(async () => {
  name = fresh();
  const upsert_rows = [
    { id: 1, vector: [1, 2], a: "x", n: 2 },
    { id: 2, vector: [2, 2], a: "y" },
  ];
  await write(name, { ...COSINE, upsert_rows });
});

describe("absent namespaces", () => {
  const lookup = { rank_by: ["id", "asc"], limit: 1 };
  const calls: [method: string, path: string, body?: unknown][] = [
    ["POST", "/v2/namespaces/nope/query", lookup],
    ["POST", "/v2/namespaces/nope/explain_query", lookup],
    ["DELETE", "/v2/namespaces/nope"],
    ["DELETE", "/v1/namespaces/nope"],
    ["GET", "/v1/namespaces/nope/metadata"],
    ["GET", "/v2/namespaces/nope/metadata"],
    ["PATCH", "/v1/namespaces/nope/metadata", { read_only: true }],
    ["PATCH", "/v2/namespaces/nope/metadata", { read_only: true }],
    ["GET", "/v1/namespaces/nope/schema"],
    ["POST", "/v1/namespaces/nope/schema", { a: "string" }],
    ["GET", "/v1/namespaces/nope/hint_cache_warm"],
    ["POST", "/v1/namespaces/nope/_debug/recall", {}],
    ["GET", "/v1/namespaces/nope/_debug/purge_cache"],
    ["GET", "/v1/namespaces/nope/_debug/warm_cache"],
    ["GET", "/v1/namespaces/nope"],
  ];
  test.each(calls)("%s %s is 404 with the documented text", async (method, path, body) => {
    const answer = await call(method, path, body);
    expect([answer.status, answer.json]).toEqual([
      404,
      { status: "error", error: "🤷 namespace 'nope' was not found" },
    ]);
  });
});

describe("queries", () => {
  test("an answer has rows or aggregations or groups, with billing and performance", async () => {
    const shapes: [object, object][] = [
      [{ rank_by: ["id", "asc"], limit: 1 }, { rows: [{ id: 1 }] }],
      [{ aggregate_by: { all: ["Count"] } }, { aggregations: { all: 2 } }],
      [
        { aggregate_by: { all: ["Count"] }, group_by: ["a"] },
        {
          aggregation_groups: [
            { a: "x", all: 1 },
            { a: "y", all: 1 },
          ],
        },
      ],
    ];
    for (const [body, result] of shapes) {
      const { json } = await query(name, body);
      const billing = expect.any(Object);
      expect(json).toEqual({ ...result, billing, performance: expect.any(Object) });
    }
    const multi = await query(name, { queries: shapes.map(([body]) => body) });
    expect(multi.json).toEqual({
      results: shapes.map(([, result]) => result),
      billing: expect.any(Object),
      performance: expect.any(Object),
    });
  });

  test("a fused answer has one result", async () => {
    const queries = [1, 2].map(() => ({ rank_by: ["vector", "ANN", [1, 2]], limit: 2 }));
    const { json } = await query(name, { queries, rerank_by: ["RRF"], limit: 1 });
    expect(json.results).toEqual([{ rows: [{ id: 1, $dist: expect.closeTo(2 / 61, 6) }] }]);
  });

  test("plans are text for every query, and faults are those of the query", async () => {
    const explain = (body: unknown) => call("POST", `/v2/namespaces/${name}/explain_query`, body);
    const plan = await explain({ rank_by: ["vector", "ANN", [1, 2]], limit: 1 });
    expect([plan.status, plan.json]).toEqual([200, { plan_text: expect.any(String) }]);
    expectError(await explain({}), 400);
    expectError(await explain({ rank_by: ["vector", "ANN", [1]], limit: 1 }), 400, "dimensions");
    expectError(await explain([]), 422);
  });
});

describe("metadata", () => {
  const patch = (body: unknown, version = "v1") =>
    call("PATCH", `/${version}/namespaces/${name}/metadata`, body);

  test("pinning is shown with its status, and removed by null and by false", async () => {
    const pinned = await patch({ pinning: { replicas: 3 } });
    expect(pinned.json.pinning).toEqual({
      replicas: 3,
      status: {
        ready_replicas: 3,
        replicas: 3,
        utilization: expect.any(Number),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z$/),
      },
    });
    expect((await patch({})).json.pinning.replicas).toBe(3);
    expect((await patch({ pinning: false }, "v2")).json).not.toHaveProperty("pinning");
    expect((await patch({ pinning: true })).json.pinning.replicas).toBe(1);
    expect((await patch({ pinning: null })).json).not.toHaveProperty("pinning");
  });

  test("the path decides the form of `encryption`", async () => {
    expect((await patch({}, "v1")).json.encryption).toEqual({ sse: true, mode: "default" });
    expect((await patch({}, "v2")).json.encryption).toEqual({ mode: "default" });
  });

  const PINNING =
    "pinning: data did not match any variant of untagged enum UpdatePinningInput " +
    "at line 1 column 12";
  const refusals: [body: unknown, status: number, ...parts: string[]][] = [
    [{ pinning: { replicas: 0 } }, 400, "💔 replicas must be greater than 0"],
    [{ pinning: { replicas: -1 } }, 422, PINNING],
    [{ pinning: { replicas: 1.5 } }, 422, PINNING],
    [{ pinning: { replicas: "2" } }, 422, PINNING],
    [{ pinning: 1 }, 422, PINNING],
    [{ pinning: [] }, 422, PINNING],
    [{ read_only: 1 }, 422, "read_only: invalid type: integer `1`, expected a boolean"],
    [[], 422, "invalid type: sequence"],
    ["", 400, "Failed to parse the request body as JSON"],
  ];
  test.each(refusals)("%j is refused", async (body, status, ...parts) => {
    expectError(await patch(body), status, ...parts);
  });

  test("read_only stops all writes, not deletion nor copies, which inherit it", async () => {
    const closed = fresh();
    await write(closed, { upsert_rows: [{ id: 1 }] });
    await call("PATCH", `/v1/namespaces/${closed}/metadata`, { read_only: true, pinning: true });
    const text = "💔 Writes not permitted. This namespace is read-only.";
    for (const body of [{ deletes: [5] }, { schema: { a: "int" } }, { create_namespace: true }]) {
      expectError(await write(closed, body), 400, text);
    }
    for (const kind of ["copy_from_namespace", "branch_from_namespace"]) {
      const copy = fresh();
      expect((await write(copy, { [kind]: closed })).status).toBe(200);
      const { json } = await call("GET", `/v2/namespaces/${copy}/metadata`);
      expect([json.read_only, json.pinning]).toEqual([true, undefined]);
      expectError(await write(copy, { deletes: [1] }), 400, text);
      const deleted = await call("DELETE", `/v2/namespaces/${copy}`);
      expect([deleted.status, deleted.json]).toEqual([200, { status: "OK" }]);
    }
  });
});

describe("the list", () => {
  test.each(["0", "1001", "-1", "1.5", "x"])("a page size of %s is refused", async (size) => {
    const text = `💔 Page size must be in range 1..=1000, was ${size}`;
    expectError(await call("GET", `/v1/namespaces?page_size=${size}`), 400, text);
  });

  test.each(["%25%25", "e30", "zz"])("the cursor %s is a 400", async (cursor) => {
    expectError(await call("GET", `/v1/namespaces?cursor=${cursor}`), 400, "cursor");
  });

  test("cursors are the documented base64, and empty parameters are none", async () => {
    const { json } = await call("GET", "/v1/namespaces?page_size=1&cursor=&prefix=&novelty=1");
    expect(json.next_cursor).not.toContain("=");
    expect(JSON.parse(Buffer.from(json.next_cursor, "base64").toString())).toEqual({
      continuation_token: null,
      start_after: `${json.namespaces[0].id}-table/`,
    });
    expect((await call("GET", "/v1/namespaces?page_size=1000")).json.next_cursor).toBeNull();
    const none = await call("GET", "/v1/namespaces?prefix=zzz");
    expect(none.json).toEqual({ namespaces: [], next_cursor: null });
  });
});

describe("recall", () => {
  const recall = (body: unknown) => call("POST", `/v1/namespaces/${name}/_debug/recall`, body);
  const near = ["vector", "ANN", [1, 2]];
  const refusals: [body: unknown, status: number, ...parts: string[]][] = [
    [{ num: 0 }, 400, "num must be between 1 and"],
    [{ num: -1 }, 422, "num: "],
    [{ num: "x" }, 422, "num: "],
    [{ top_k: 0 }, 400, "top_k must be between 1 and 10000"],
    [{ top_k: 10001 }, 400, "top_k must be between 1 and 10000"],
    [{ include_ground_truth: "x" }, 422, "include_ground_truth: "],
    [{ filters: ["nope", "Eq", 1] }, 400, '"nope"'],
    [{ rank_by: near, num: 2 }, 400, "num must be 1 or absent"],
    [{ rank_by: ["id", "asc"] }, 400, "rank_by"],
  ];
  test.each(refusals)("%j is refused", async (body, status, ...parts) => {
    expectError(await recall(body), status, ...parts);
  });

  test("nulls and an absent body are the defaults", async () => {
    const answer = { avg_recall: 1, avg_exhaustive_count: 2, avg_ann_count: 2 };
    for (const body of [{}, undefined, { num: null, top_k: null, filters: null, rank_by: near }]) {
      expect((await recall(body)).json).toEqual(answer);
    }
    expect((await call("GET", `/v1/namespaces/${name}/_debug/recall`)).json).toEqual(answer);
    const { json } = await recall({ num: 1, top_k: 1, include_ground_truth: true, rank_by: near });
    expect(json.ground_truth).toEqual([
      {
        query_vector: [1, 2],
        nearest_neighbors: [{ id: 1, $dist: expect.any(Number), vector: [1, 2] }],
      },
    ]);
  });

  test("without vectors there is nothing to measure", async () => {
    const plain = fresh();
    await write(plain, { upsert_rows: [{ id: 1 }] });
    expectError(await call("POST", `/v1/namespaces/${plain}/_debug/recall`, {}), 400, "vector");
  });
});

describe("older calls", () => {
  test("the export is columnar, with null for what is missing", async () => {
    const { json } = await call("GET", `/v1/namespaces/${name}`);
    expect(json).toEqual({
      ids: [1, 2],
      vectors: [
        [1, 2],
        [2, 2],
      ],
      attributes: { a: ["x", "y"], n: [2, null] },
      next_cursor: null,
    });
    expectError(await call("GET", `/v1/namespaces/${name}?cursor=zz`), 400, "cursor");
  });

  test("HEAD tells size, dimensions and age", async () => {
    const { status, headers } = await call("HEAD", `/v1/namespaces/${name}`);
    const read = (header: string) => headers.get(`x-turbopuffer-${header}`);
    expect([status, read("approx-num-vectors"), read("dimensions")]).toEqual([200, "2", "2"]);
    const { json } = await call("GET", `/v1/namespaces/${name}/metadata`);
    expect(read("created-at")).toBe(json.created_at);
    expect((await call("HEAD", "/v1/namespaces/nope")).status).toBe(404);
  });
});

describe("transport", () => {
  const lookup = JSON.stringify({ rank_by: ["id", "asc"], limit: 1 });

  test("a body is read whatever its content type says", async () => {
    const headers = { "content-type": "text/plain" };
    const body = '{"upsert_rows":[{"id":1}]}';
    expect((await call("POST", `/v2/namespaces/${fresh()}`, body, headers)).status).toBe(200);
  });

  test("answers are JSON, unencoded for br, without Preference-Applied", async () => {
    const headers = { "accept-encoding": "br, zstd", prefer: "respond-async" };
    const answer = await call("POST", `/v2/namespaces/${name}/query`, lookup, headers);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.headers.get("content-encoding")).toBeNull();
    expect(answer.headers.get("preference-applied")).toBeNull();
  });

  test("one leading segment that is no version may stand before every path", async () => {
    for (const path of ["/v1/namespaces", `/v2/namespaces/${name}/metadata`]) {
      expect((await call("GET", `/gcp-us-central1${path}`)).status).toBe(200);
    }
    expect((await call("GET", "/v1/v1/namespaces")).status).toBe(404);
    expect((await call("GET", "/a/b/v1/namespaces")).status).toBe(404);
  });
});
