/** Fields that the server does not know: ignored with a warning that clients can read, or refused. */

import type { APIPromise } from "@turbopuffer/turbopuffer";
import { describe, expect, test } from "vitest";
import {
  expectFault,
  idsOf,
  type Namespace,
  nameOf,
  rawCall,
  sdkClient,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("unknown-fields");
/** The shared server is strict where a request does not say. */
const LENIENT = { headers: { "trawl-strict": "false" } };
const STRICT = { headers: { "trawl-strict": "true" } };

async function small(): Promise<Namespace> {
  const ns = namespace();
  await ns.write({ upsert_rows: [1, 2, 3].map((id) => ({ id, a: "x", filter: id })) });
  return ns;
}

async function warningOf(call: APIPromise<unknown>): Promise<string | null> {
  const { response } = await call.withResponse();
  return response.headers.get("trawl-warning");
}

describe("are ignored with a warning", () => {
  test("in a write, whose condition was misspelt", async () => {
    const ns = await small();
    const request = { deletes: [1], delete_conditon: ["a", "Eq", "y"] };
    const { data, response } = await ns.write(untyped(request), LENIENT).withResponse();
    expect(data.rows_deleted).toBe(1);
    expect(response.headers.get("trawl-warning")).toBe(
      'unknown field "delete_conditon" is ignored, did you mean "delete_condition"?',
    );
  });

  test("in queries of all kinds", async () => {
    const ns = await small();
    const filter = ["filter", "Eq", 2];
    const misspelt = 'unknown field "filter" is ignored, did you mean "filters"?';
    const query = { rank_by: ["id", "asc"], limit: 10, filter };
    const { data, response } = await ns.query(untyped(query), LENIENT).withResponse();
    expect(idsOf(data)).toEqual([1, 2, 3]);
    expect(response.headers.get("trawl-warning")).toBe(misspelt);
    expect(await warningOf(ns.explainQuery(untyped(query), LENIENT))).toBe(misspelt);
    const queries = [{ rank_by: ["id", "asc"], limit: { total: 5, pre: {} } }, query];
    const several = ns.multiQuery(untyped({ queries, consistancy: {} }), LENIENT);
    expect((await warningOf(several))?.split("; ")).toEqual([
      'unknown field "queries[0].limit.pre" is ignored, did you mean "per"?',
      'unknown field "queries[1].filter" is ignored, did you mean "filters"?',
      'unknown field "consistancy" is ignored, did you mean "consistency"?',
    ]);
  });

  test("in schemas, metadata, recall and listings", async () => {
    const ns = await small();
    const schema = { a: { type: "string", filterabel: true } };
    expect(await warningOf(ns.updateSchema(untyped({ schema }), LENIENT))).toBe(
      'unknown field "a.filterabel" is ignored, did you mean "filterable"?',
    );
    const patch = untyped<object>({ readonly: true });
    expect(await warningOf(ns.updateMetadata(patch, LENIENT))).toBe(
      'unknown field "readonly" is ignored, did you mean "read_only"?',
    );
    const path = "/v1/namespaces?page_sze=1&stainless_overload=x";
    const listing = await rawCall("GET", path, undefined, LENIENT);
    expect([listing.status, listing.headers.get("trawl-warning")]).toEqual([
      200,
      'unknown field "?page_sze" is ignored, did you mean "page_size"?',
    ]);
  });

  test("in requests that fail", async () => {
    const path = `/v2/namespaces/${nameOf(await small())}/query`;
    const body = { rank_by: ["id", "asc"], limt: 1 };
    const answer = await rawCall("POST", path, body, LENIENT);
    expect([answer.status, answer.headers.get("trawl-warning")]).toEqual([
      400,
      'unknown field "limt" is ignored, did you mean "limit"?',
    ]);
  });

  test("but attributes are the user's, whatever their names", async () => {
    const ns = namespace();
    const row = { id: 1, filterabel: "x", limit: { 1: 0.5 }, delete_conditon: [1, 2] };
    const schema = { limit: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } } };
    const written = ns.write(untyped({ upsert_rows: [row], schema }), LENIENT);
    expect(await warningOf(written)).toBeNull();
  });
});

describe("are refused where a request is strict", () => {
  test("and nothing is changed", async () => {
    const ns = await small();
    const request = { deletes: [1], delete_conditon: ["a", "Eq", "y"] };
    await expectFault(
      ns.write(untyped(request), STRICT),
      400,
      '💔 unknown field "delete_conditon", did you mean "delete_condition"?',
    );
    await expectFault(ns.query(untyped({ limit: 10, filter: 1 })), 400, 'unknown field "filter"');
    expect(idsOf(await ns.query({ rank_by: ["id", "asc"], limit: 10 }))).toEqual([1, 2, 3]);
    const bad = { headers: { "trawl-strict": "yes" } };
    const listing = sdkClient().namespaces({}, bad);
    await expectFault(listing, 400, '💔 the header trawl-strict must be "true" or "false"');
  });
});
