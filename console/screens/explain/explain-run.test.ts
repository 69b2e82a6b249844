import { expect, test } from "vitest";
import { ApiClient } from "../../api/api-client.ts";
import { ExplainRun } from "./explain-run.ts";

interface Sent {
  readonly path: string;
  readonly body: string | undefined;
}

function runOf(answer: (sent: Sent) => Response): { run: ExplainRun; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (url: string, { body, signal }: RequestInit) => {
    signal?.throwIfAborted();
    const one = { path: url, body: body as string | undefined };
    sent.push(one);
    return answer(one);
  };
  const client = new ApiClient({ baseUrl: "", key: undefined, fetch });
  return { run: new ExplainRun(() => client, "a"), sent };
}

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });

test("a plan runs nothing, a measurement does, and both are one request", async () => {
  const { run, sent } = runOf(() => json({ plan_text: "Scan" }));
  await run.run({ top_k: 1 }, "plan");
  await run.run({ top_k: 1 }, "measure");
  expect(sent).toEqual([
    { path: "/v2/namespaces/a/explain_query", body: '{"top_k":1}' },
    { path: "/v2/namespaces/a/explain_query", body: '{"top_k":1,"analyze":true}' },
  ]);
  expect(run.state.value).toMatchObject({ kind: "done", explained: { again: undefined } });
});

test("cold means that the cache is emptied first; then the same is asked again", async () => {
  const { run, sent } = runOf(({ path }) =>
    path.includes("purge") ? json({ status: "OK" }) : json({ plan_text: `${path}` }),
  );
  await run.run({ top_k: 1 }, "cold");
  expect(sent.map(({ path }) => path)).toEqual([
    "/v1/namespaces/a/_debug/purge_cache",
    "/v2/namespaces/a/explain_query",
    "/v2/namespaces/a/explain_query",
  ]);
  expect(run.state.value).toMatchObject({ kind: "done", explained: { mode: "cold" } });
});

test("where the cache may not be emptied nothing is run", async () => {
  const { run, sent } = runOf(() => json({ status: "error", error: "not allowed" }, 403));
  await run.run({ top_k: 1 }, "cold");
  expect(sent).toHaveLength(1);
  expect(run.state.value).toMatchObject({ kind: "failed", fault: { kind: "forbidden" } });
});

test("a stop ends it, and what comes later changes nothing", async () => {
  let stop = () => {};
  const { run } = runOf(() => {
    stop();
    return json({ plan_text: "Scan" });
  });
  stop = () => run.stop();
  await run.run({ top_k: 1 }, "measure");
  expect(run.state.value).toEqual({ kind: "stopped" });
});
