import { expect, test } from "vitest";
import { ApiClient } from "../../api/api-client.ts";
import { QueryRun } from "./query-run.ts";

type Send = (url: string, init: RequestInit) => Promise<Response>;

function runOf(fetch: Send): QueryRun {
  const client = new ApiClient({ baseUrl: "http://trawl", key: "k", fetch });
  let ms = 0;
  return new QueryRun({ client: () => client, namespace: "a b", nowMs: () => (ms += 5) });
}

function json(body: string, init: ResponseInit = {}): Response {
  return new Response(body, {
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
  });
}

test("a request goes as it is written, and its answer keeps large ids", async () => {
  const sent: [string, RequestInit][] = [];
  const run = runOf(async (url, init) => {
    sent.push([url, init]);
    return json('{"rows":[{"id":18446744073709551615}]}', {
      headers: { "trawl-warning": 'unknown field "filter" is ignored' },
    });
  });
  await run.run('{"top_k": 1}');
  expect(sent[0][0]).toBe("http://trawl/v2/namespaces/a%20b/query");
  expect(sent[0][1].body).toBe('{"top_k": 1}');
  expect(run.state.value).toMatchObject({
    kind: "done",
    answer: { rows: [{ id: 18446744073709551615n }] },
    roundTripMs: 5,
    warning: 'unknown field "filter" is ignored',
  });
});

test("a refusal is told with the request that it is about", async () => {
  const run = runOf(async () => json('{"status":"error","error":"no"}', { status: 400 }));
  await run.run("{}");
  expect(run.state.value).toMatchObject({
    kind: "failed",
    fault: { message: "no", status: 400 },
    text: "{}",
  });
});

test("a run is ended by a stop, and by the next one", async () => {
  const signals: AbortSignal[] = [];
  const run = runOf(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signals.push(signal as AbortSignal);
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  const first = run.run("{}");
  const second = run.run("{}");
  await first;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(run.state.value).toEqual({ kind: "running" });
  run.stop();
  await second;
  expect(run.state.value).toEqual({ kind: "stopped" });
  run.stop();
  expect(run.state.value).toEqual({ kind: "stopped" });
});
