import { expect, test } from "vitest";
import { ApiClient, type ApiClientOptions, apiPath } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";

const JSON_HEADERS = { "content-type": "application/json", "x-request-id": "r1" };

function fixture(answer: () => Response, options: Partial<ApiClientOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = [];
  const reached: boolean[] = [];
  const client = new ApiClient({
    baseUrl: "",
    key: "tpuf_secret",
    fetch: async (url, init) => {
      sent.push({ url, init });
      init.signal?.throwIfAborted();
      return answer();
    },
    onReach: (isReached) => reached.push(isReached),
    ...options,
  });
  return { client, sent, reached };
}

async function faultFrom(promise: Promise<unknown>): Promise<ApiFault> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiFault)) throw error ?? new Error("nothing was thrown");
  return error;
}

test("a request has its key in a header, its parameters escaped, and ids exact", async () => {
  const { client, sent } = fixture(
    () => new Response('{"id":9007199254740993}', { headers: JSON_HEADERS }),
  );
  const answer = await client.json({
    method: "POST",
    path: apiPath("v2", "namespaces", "a/b"),
    parameters: { prefix: "x&y", cursor: undefined },
    json: { deletes: [2n ** 64n - 1n] },
  });
  expect(answer).toEqual({ id: 2n ** 53n + 1n });
  const [{ url, init }] = sent;
  expect(url).toBe("/v2/namespaces/a%2Fb?prefix=x%26y");
  expect(init.body).toBe('{"deletes":[18446744073709551615]}');
  expect(init.headers).toMatchObject({ authorization: "Bearer tpuf_secret" });
});

test("refusals have the server's words, the kind, and when to try again", async () => {
  const headers = { ...JSON_HEADERS, "retry-after-ms": "250" };
  const body = '{"status":"error","error":"💔 too much"}';
  const { client, reached } = fixture(() => new Response(body, { status: 429, headers }));
  const fault = await faultFrom(client.json({ method: "GET", path: "/" }));
  expect(fault).toMatchObject({
    kind: "overloaded",
    status: 429,
    message: "💔 too much",
    requestId: "r1",
    retryAfterMs: 250,
  });
  expect(reached).toEqual([true]);
});

test.each([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not_found"],
  [422, "refused"],
  [503, "failed"],
])("status %i is %s, also in other words than JSON", async (status, kind) => {
  const { client } = fixture(() => new Response("Bad gateway", { status }));
  const fault = await faultFrom(client.json({ method: "GET", path: "/" }));
  expect([fault.kind, fault.message]).toEqual([kind, "Bad gateway"]);
});

test("broken JSON is told of, and so is a server that is gone", async () => {
  const broken = fixture(() => new Response('{"id":', { headers: JSON_HEADERS }));
  const unreadable = await faultFrom(broken.client.json({ method: "GET", path: "/" }));
  expect(unreadable.kind).toBe("unreadable");
  const gone = fixture(() => {
    throw new TypeError("Failed to fetch");
  });
  const fault = await faultFrom(gone.client.json({ method: "GET", path: "/" }));
  expect(fault.kind).toBe("gone");
  expect(gone.reached).toEqual([false]);
});

test("a request that was called off is no fault of the server", async () => {
  const { client, reached } = fixture(() => new Response("{}"));
  const controller = new AbortController();
  controller.abort();
  const request = client.json({ method: "GET", path: "/", signal: controller.signal });
  await expect(request).rejects.toThrow(/abort/i);
  expect(reached).toEqual([]);
});
