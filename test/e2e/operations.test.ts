/** Requests that are answered later: `Prefer: respond-async`, tokens and polling. */

import { expect, inject, test } from "vitest";
import { pause } from "../support/clocks/pause.ts";
import { idsOf, nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";

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

/** Follows the location until the operation has finished, and returns its answer. */
async function poll(answer: Awaited<ReturnType<typeof rawCall>>): Promise<unknown> {
  expect(answer.headers.get("preference-applied")).toBe("respond-async");
  expect(answer.json).toEqual({ token: expect.any(String) });
  const location = answer.headers.get("location") ?? "";
  const { origin, pathname } = new URL(location, inject("serverUrl"));
  expect(origin).toBe(inject("serverUrl"));
  for (;;) {
    const { status, json } = await rawCall("GET", pathname);
    expect(status).toBe(200);
    if (json.status === "finished") return json.result.success;
    expect(json.status).toBe("running");
    await pause(20);
  }
}
