/** What every call has in common: errors and their classes, billing, timing, encodings, regions. */

import Turbopuffer from "@turbopuffer/turbopuffer";
import { describe, expect, inject, test } from "vitest";
import { testRandom } from "../support/random/seed.ts";
import {
  nameOf,
  rawCall,
  sdkClient,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("protocol");
const LOOKUP = { rank_by: untyped<["id", "asc"]>(["id", "asc"]), limit: 10 };

async function small() {
  const ns = namespace();
  await ns.write({
    distance_metric: "euclidean_squared",
    upsert_rows: [
      { id: 1, vector: [0, 1], a: "x" },
      { id: 2, vector: [1, 1] },
    ],
  });
  return ns;
}

describe("errors", () => {
  test("have the SDK's class for their status", async () => {
    const ns = await small();
    const taken = ns.copyFrom({ source_namespace: nameOf(await small()) });
    await expect(taken).rejects.toBeInstanceOf(Turbopuffer.ConflictError);
    const absent = namespace().query(LOOKUP);
    await expect(absent).rejects.toBeInstanceOf(Turbopuffer.NotFoundError);
    const unknown = ns.query({ filters: ["nope", "Eq", 1], limit: 1 });
    await expect(unknown).rejects.toBeInstanceOf(Turbopuffer.BadRequestError);
    const misshapen = ns.write(untyped({ upsert_rows: {} }));
    await expect(misshapen).rejects.toBeInstanceOf(Turbopuffer.UnprocessableEntityError);
    await expect(misshapen).rejects.toThrow("upsert_rows: invalid type: map, expected a sequence");
  });

  test("say where the body is wrong", async () => {
    const path = `/v2/namespaces/${nameOf(await small())}/query`;
    const broken = await rawCall("POST", path, '{"rank_by": ["id", "asc"], limit}');
    expect(broken).toMatchObject({ status: 400, json: { status: "error" } });
    expect(broken.json.error).toContain("Failed to parse the request body as JSON");
    const shapes: [object, string][] = [
      [
        { consistency: "eventual" },
        'consistency: invalid type: string "eventual", expected struct Consistency',
      ],
      [
        { consistency: { level: "x" } },
        "consistency.level: unknown variant `x`, expected `strong` or `eventual`",
      ],
      [{ consistency: {} }, "consistency: missing field `level`"],
      [
        { vector_encoding: "bad" },
        "vector_encoding: unknown variant `bad`, expected `float` or `base64`",
      ],
      [{ limit: 1.5 }, "data did not match any variant of untagged enum LimitInput"],
    ];
    for (const [extra, text] of shapes) {
      const answer = await rawCall("POST", path, { ...LOOKUP, ...extra });
      expect([answer.status, answer.json.error]).toEqual([422, expect.stringContaining(text)]);
    }
  });

  test("unknown routes and methods are told, with the nearest one", async () => {
    const route = await rawCall("GET", "/v2/namespaces/x/metadatas");
    expect(route).toMatchObject({ status: 404, json: { status: "error" } });
    const method = await rawCall("PUT", "/v2/namespaces/x");
    expect(method).toMatchObject({ status: 405, json: { status: "error" } });
  });
});

describe("billing and performance", () => {
  test("count what was returned: 8 bytes an id, 4 a score, and the attributes' bytes", async () => {
    const ns = await small();
    const rank_by = untyped<["vector", "ANN", number[]]>(["vector", "ANN", [0, 0]]);
    const plain = await ns.query({ rank_by, limit: 5 });
    expect(plain.billing).toEqual({
      billable_logical_bytes_queried: 1_280_000_000,
      billable_logical_bytes_returned: 24,
    });
    const five = namespace();
    await five.write({
      distance_metric: "euclidean_squared",
      upsert_rows: [1, 2, 3, 4, 5].map((id) => ({
        id,
        vector: [id, 0],
        ...(id === 1 && { s: "hello" }),
      })),
    });
    const full = await five.query({ rank_by, limit: 5, include_attributes: true });
    expect(full.billing.billable_logical_bytes_returned).toBe(105);
  });

  test("report sane times and sizes", async () => {
    const ns = await small();
    const { performance } = await ns.query(LOOKUP);
    expect(performance).toMatchObject({
      approx_namespace_size: 2,
      exhaustive_search_count: 2,
      cache_hit_ratio: expect.any(Number),
      cache_temperature: expect.stringMatching(/^(hot|warm|cold)$/),
      last_included_write_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(performance.server_total_ms).toBeGreaterThan(0);
    expect(performance.query_execution_ms).toBeGreaterThan(0);
    expect(performance.query_execution_ms).toBeLessThanOrEqual(performance.server_total_ms);
  });
});

describe("transport", () => {
  test("compression is used both ways when asked for, and never otherwise", async () => {
    const ns = namespace();
    const compressed = sdkClient({ compression: true }).namespace(nameOf(ns));
    const text = Buffer.from(testRandom().bytes(1500)).toString("hex");
    await compressed.write({
      schema: { text: { type: "string", filterable: false } },
      upsert_rows: [{ id: 1, text }],
    });
    const large = { ...LOOKUP, include_attributes: true };
    expect((await compressed.query(large)).rows).toEqual([{ id: 1, text }]);
    const path = `/v2/namespaces/${nameOf(ns)}/query`;
    const encodingOf = async (encoding: string, query: object) => {
      const headers = { "accept-encoding": encoding };
      return (await rawCall("POST", path, query, { headers })).headers.get("content-encoding");
    };
    expect(await encodingOf("gzip", large)).toBe("gzip");
    expect(await encodingOf("gzip", LOOKUP)).toBeNull();
    expect(await encodingOf("identity", large)).toBeNull();
  });

  test("a region in the path is one leading segment, in every route", async () => {
    const ns = await small();
    const regional = sdkClient({
      baseURL: `${inject("serverUrl")}/{region}`,
      region: "gcp-us-central1",
    });
    const same = regional.namespace(nameOf(ns));
    expect((await same.query(LOOKUP)).rows).toHaveLength(2);
    expect(await same.exists()).toBe(true);
    const listed = await regional.namespaces({ prefix: nameOf(ns) });
    expect(listed.namespaces).toContainEqual({ id: nameOf(ns) });
  });

  test("unknown query parameters and unknown members of a query are ignored", async () => {
    const ns = await small();
    const answer = await rawCall(
      "POST",
      `/v2/namespaces/${nameOf(ns)}/query?stainless_overload=x`,
      {
        ...LOOKUP,
        filters: null,
        include_attributes: null,
        group_by: null,
        aggregate_by: null,
        novelty: 1,
      },
      { headers: { "trawl-strict": "false" } },
    );
    expect([answer.status, answer.json.rows]).toEqual([200, [{ id: 1 }, { id: 2 }]]);
  });

  test("the service answers at its root, with health and metrics", async () => {
    for (const path of ["/", "/healthz", "/readyz", "/metrics"]) {
      expect([path, (await rawCall("GET", path)).status]).toEqual([path, 200]);
    }
    const metrics = await rawCall("GET", "/metrics");
    expect(metrics.text).toMatch(/# HELP/);
  });
});

describe("consistency", () => {
  test("a query sees every write that was answered before it, from any client", async () => {
    const ns = namespace();
    const reader = sdkClient().namespace(nameOf(ns));
    for (let n = 1; n <= 30; n++) {
      await ns.write({ upsert_rows: [{ id: 1, n }] });
      const answer = await reader.query({ ...LOOKUP, include_attributes: ["n"] });
      expect(answer.rows).toEqual([{ id: 1, n }]);
    }
    const eventual = await reader.query({ ...LOOKUP, consistency: { level: "eventual" } });
    expect(eventual.rows).toHaveLength(1);
  });

  test("a query sees whole batches only", async () => {
    const ns = namespace();
    const rows = (n: number) => Array.from({ length: 50 }, (_, id) => ({ id, n }));
    await ns.write({ upsert_rows: rows(0) });
    let writing = true;
    const writes = (async () => {
      for (let n = 1; n <= 20; n++) await ns.write({ upsert_rows: rows(n) });
      writing = false;
    })();
    let queries = 0;
    while (writing) {
      const answer = await ns.query({ aggregate_by: { all: ["Count"] }, group_by: ["n"] });
      expect(answer.aggregation_groups).toEqual([{ n: expect.any(Number), all: 50 }]);
      queries++;
    }
    await writes;
    expect(queries).toBeGreaterThan(0);
  });
});
