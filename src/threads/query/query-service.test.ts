import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import { namespaceName } from "../../base/ids.ts";

/** Each look takes a while, so that work takes time. */
class SlowClock extends InstantClock {
  lookMs = 1;
  #lookedMs = 0;

  override monotonicMs(): number {
    this.#lookedMs += this.lookMs;
    return super.monotonicMs() + this.#lookedMs;
  }
}

test("a recall that is fetched later is not ended by the timeout of queries", async () => {
  const clock = new SlowClock();
  const engine = await EngineFixture.open({ clock, queryTimeoutMs: 20 });
  const upsert_rows = Array.from({ length: 200 }, (_, id) => ({ id, vector: [id, -id] }));
  await engine.write("n", { distance_metric: "euclidean_squared", upsert_rows });
  const sent = { num: 200, top_k: 50 };
  const waited = await engine.call("recall", "n", sent);
  expect([waited.status, waited.json.error]).toEqual([408, expect.stringContaining("20 ms")]);
  const started = await engine.call("recall", "n", sent, { respondAsync: true });
  expect(started.status).toBe(202);
  const parameters = { token: started.json.token };
  const poll = () => engine.call("poll_operation", "n", undefined, { parameters });
  let polled = await poll();
  while (polled.json.status !== "finished") {
    await clock.sleep(1);
    polled = await poll();
  }
  expect(polled.json.result).toMatchObject({ success: { avg_recall: 1 } });
});

test("a query that is explained and run is ended by the timeout of queries", async () => {
  const engine = await EngineFixture.open({ clock: new SlowClock(), queryTimeoutMs: 200 });
  const upsert_rows = Array.from({ length: 5000 }, (_, id) => ({ id, text: `a${id} b${id}` }));
  await engine.write("n", { upsert_rows });
  const query = { aggregate_by: { n: ["Count"] }, group_by: ["text"] };
  const plan = await engine.call("explain", "n", query);
  expect([plan.status, plan.json]).toEqual([200, { plan_text: expect.any(String) }]);
  const run = await engine.call("explain", "n", { ...query, analyze: true });
  expect([run.status, run.json.error]).toEqual([408, expect.stringContaining("200 ms")]);
  await engine.close();
});

test("recall is not measured while a query has turns to take", async () => {
  const engine = await EngineFixture.open({ clock: new SlowClock(), recallSampleRate: 1 });
  const upsert_rows = Array.from({ length: 5000 }, (_, id) => {
    return { id, text: `a${id} b${id}`, vector: [id, -id] };
  });
  await engine.write("n", { upsert_rows, distance_metric: "euclidean_squared" });
  const measured = () =>
    engine.engine.metrics().find(({ labels }) => labels?.outcome === "measured")?.value;
  const query = { aggregate_by: { n: ["Count"] }, group_by: ["text"] };
  const long = engine.call("query", "n", query);
  const near = await engine.call("query", "n", { rank_by: ["vector", "ANN", [1, 2]], limit: 1 });
  expect(near.status).toBe(200);
  // It is drawn by now, and would be measured long before the other query ends.
  expect((await long).status).toBe(200);
  expect(measured()).toBe(0);
  await expect.poll(measured, { timeout: 20_000 }).toBe(1);
  await engine.close();
});

test("a query counts once, wherever it is handed over", async () => {
  // By the clock a slice is enough for all looks, for those up to its answer, or for none.
  for (const lookMs of [0.004, 0.006, 0.008, 0.01, 0.016]) {
    const clock = new SlowClock();
    clock.lookMs = 0;
    const engine = await EngineFixture.open({ clock });
    const upsert_rows = Array.from({ length: 2000 }, (_, id) => ({ id }));
    await engine.write("n", { upsert_rows });
    const query = (limit: number) => engine.call("query", "n", { rank_by: ["id", "asc"], limit });
    // The main thread answers those that were short before.
    expect((await query(10)).status).toBe(200);
    clock.lookMs = lookMs;
    expect((await query(2000)).json.rows).toHaveLength(2000);
    expect(engine.queriesRun(), `${lookMs} ms`).toBe(2);
    await engine.close();
  }
});

test("a cold query tells why it took its time, and its spans follow each other", async () => {
  const engine = await EngineFixture.open({ clock: new SlowClock() });
  const upsert_rows = Array.from({ length: 500 }, (_, id) => ({ id, text: `a${id % 7} b` }));
  const schema = { text: { type: "string", full_text_search: true } };
  await engine.write("n", { upsert_rows, schema });
  await engine.indexAll();
  const body = { rank_by: ["text", "BM25", "a1 b"], limit: 400 };
  const ask = (more: object) =>
    engine.engine.handle({
      operation: "query",
      namespace: namespaceName("n"),
      parameters: {},
      body: chunksOf(JSON.stringify(body)),
      apiVersion: "v2",
      respondAsync: false,
      isStrict: true,
      signal: new AbortController().signal,
      ...more,
    });
  const { status, times, spans = [] } = await ask({ tracedAtMs: 1, detailsMs: 0 });
  expect(status).toBe(200);
  expect(times).toMatchObject({
    kind: "text",
    details: {
      shape: "rank_by text BM25 <string>; limit 400",
      plan: "documents(score(bm25(text)))",
      documents: 500,
      work: { documentsScanned: 500 },
      reads: { rounds: expect.any(Number), loadedBytes: expect.any(Number) },
    },
  });
  expect(times?.details?.phases.read).toBeGreaterThan(0);
  const names = spans.map(({ name }) => name);
  expect(new Set(names)).toEqual(
    new Set(["queue", "parse", "plan", "read", "search", "serialize"]),
  );
  expect([names.at(0), names.at(-1)]).toEqual(["queue", "serialize"]);
  // What was read was asked for by a plan, or by a search.
  expect(names.filter((name, i) => name === "read" && names[i - 1] === "parse")).toEqual([]);
  for (const [i, { startMs, endMs }] of spans.entries()) {
    expect(startMs).toBeGreaterThanOrEqual(spans[i - 1]?.endMs ?? 0);
    expect(endMs).toBeGreaterThan(startMs);
  }
  const hot = await ask({ detailsMs: 0 });
  expect(hot).not.toHaveProperty("spans");
  expect(hot.times?.details).not.toHaveProperty("reads");
  expect((await ask({ detailsMs: 1e9 })).times?.details).toBeUndefined();
  expect((await ask({})).times?.details).toBeUndefined();
  await engine.close();
});

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
