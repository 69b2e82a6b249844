/** Requests that are answered later: `Prefer: respond-async`, tokens and polling. */

import { expect, inject, test } from "vitest";
import { pause } from "../support/clocks/pause.ts";
import {
  idsOf,
  nameOf,
  rawCall,
  sdkClient,
  testNamespaces,
} from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("operations");
const PREFER = { headers: { prefer: "respond-async" } };

test("a copy is answered at once or by polling, and the result is the same", async () => {
  const from = namespace("source");
  const id = Array.from({ length: 20_000 }, (_, i) => i);
  await from.write({ upsert_columns: { id, text: id.map((i) => `text of document ${i}`) } });
  const to = namespace("copy");
  const path = `/v2/namespaces/${nameOf(to)}`;
  const answer = await rawCall("POST", path, { copy_from_namespace: nameOf(from) }, PREFER);
  const finished = answer.status === 202 ? await poll(answer) : answer.json;
  expect(finished).toMatchObject({ status: "OK", rows_affected: id.length });
  expect(idsOf(await to.query({ rank_by: ["id", "desc"], limit: 1 }))).toEqual([19_999]);
});

test("a copy that is started runs on, and its times and result are kept", async () => {
  const from = namespace("source");
  await from.write({ upsert_rows: [{ id: 1 }, { id: 2 }] });
  const to = namespace("started");
  const path = `/v2/namespaces/${nameOf(to)}/async`;
  const body = { copy_from_namespace: { source_namespace: nameOf(from) } };
  const { token } = await sdkClient().post<{ token: string }>(path, { body });
  const polled = `/v1/namespaces/${nameOf(to)}/operations/${token}`;
  const finished = await pollUntilFinished(polled);
  expect(finished).toMatchObject({
    status: "finished",
    start_time: expect.stringMatching(ISO),
    finish_time: expect.stringMatching(ISO),
    result: { success: { status: "OK", rows_affected: 2 } },
  });
  const { start_time, finish_time } = finished;
  expect(Date.parse(finish_time)).toBeGreaterThanOrEqual(Date.parse(start_time));
  expect(idsOf(await to.query({ rank_by: ["id", "asc"], limit: 9 }))).toEqual([1, 2]);
  const other = await rawCall("GET", polled.replace(nameOf(to), nameOf(from)));
  expect(other.status).toBe(404);
});

test("a started copy that fails keeps its error, and malformed requests start none", async () => {
  const to = namespace("failing");
  const path = `/v2/namespaces/${nameOf(to)}/async`;
  const body = { copy_from_namespace: { source_namespace: "operations-not-there" } };
  const { json } = await rawCall("POST", path, body);
  const failed = await pollUntilFinished(`/v1/namespaces/${nameOf(to)}/operations/${json.token}`);
  const error = expect.stringContaining("'operations-not-there' was not found");
  expect(failed.result).toEqual({
    error: { status_code: 404, detail: { status: "error", error } },
  });
  for (const [wrong, status] of [
    [{ upsert_rows: [{ id: 1 }] }, 400],
    [{ branch_from_namespace: "x" }, 400],
    [{ copy_from_namespace: 5 }, 422],
    ["{", 400],
  ] as const) {
    expect((await rawCall("POST", path, wrong)).status).toBe(status);
  }
  expect(await to.exists()).toBe(false);
});

test("a source region is this server if the path says so", async () => {
  const from = namespace("region");
  await from.write({ upsert_rows: [{ id: 1 }] });
  const copy = (prefix: string, source_region: string) => {
    const source = { source_namespace: nameOf(from), source_region };
    const path = `${prefix}/v2/namespaces/${nameOf(namespace("region-copy"))}`;
    return rawCall("POST", path, { copy_from_namespace: source });
  };
  expect((await copy("/gcp-us-east4", "gcp-us-east4")).json.rows_affected).toBe(1);
  const refused = await copy("/gcp-us-east4", "aws-us-east-1");
  expect([refused.status, refused.json.error]).toEqual([
    400,
    expect.stringMatching(/no region 'aws-us-east-1'.*'gcp-us-east4'/),
  ]);
  expect((await copy("", "gcp-us-east4")).status).toBe(400);
});

test("other writes and queries are always answered at once", async () => {
  const ns = namespace();
  const write = await rawCall(
    "POST",
    `/v2/namespaces/${nameOf(ns)}`,
    { upsert_rows: [{ id: 1 }] },
    PREFER,
  );
  expect([write.status, write.headers.get("preference-applied")]).toEqual([200, null]);
  const query = await rawCall("POST", `/v2/namespaces/${nameOf(ns)}/query`, { limit: 1 }, PREFER);
  expect([query.status, query.headers.get("preference-applied")]).toEqual([200, null]);
});

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/** Polls a path until the operation has finished; of one that runs it is known since when. */
async function pollUntilFinished(path: string) {
  for (;;) {
    const { status, json } = await rawCall("GET", path);
    expect(status).toBe(200);
    if (json.status === "finished") return json;
    expect(json).toMatchObject({ status: "running", start_time: expect.stringMatching(ISO) });
    await pause(20);
  }
}

/** Follows the location until the operation has finished, and returns its answer. */
async function poll(answer: Awaited<ReturnType<typeof rawCall>>): Promise<unknown> {
  expect(answer.headers.get("preference-applied")).toBe("respond-async");
  expect(answer.json).toEqual({ token: expect.any(String) });
  const location = answer.headers.get("location") ?? "";
  const { origin, pathname } = new URL(location, inject("serverUrl"));
  expect(origin).toBe(inject("serverUrl"));
  return (await pollUntilFinished(pathname)).result.success;
}
