import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { FakePort, settled } from "../../../test/support/engine/fake-port.ts";
import type { EngineRequest, HttpAnswer } from "../../api/engine.ts";
import { DatabaseError, sentError } from "../../base/errors.ts";
import { type NamespaceName, namespaceName } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import {
  OPERATION_RESULT_MS,
  QUERY_BODY_BYTES_MAX,
  QUERY_SLOT_WAIT_MS_MAX,
} from "../../model/contract-limits.ts";
import type { NamespaceInstance, NamespaceState } from "../../namespace/published-state.ts";
import type { FromCacheThread } from "../cache/cache-thread.ts";
import { QUERIES_IN_FLIGHT_MAX } from "../query/query-admission.ts";
import { ThreadLoads } from "../query/thread-loads.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "../thread-messages.ts";
import { OPERATION_SYNCHRONOUS_MS, QUERY_OPENINGS_MAX, ThreadedEngine } from "./threaded-engine.ts";

const NAME = namespaceName("n");
const QUERY_TIMEOUT_MS = 30_000;
const OK = answer(200, '{"status":"OK"}');

function answer(status: number, text: string): HttpAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: new TextEncoder().encode(text) };
}

function textOf({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}

function engineOf() {
  const clock = new ManualClock();
  const write = new FakePort<ToWriteThread, FromWriteThread>();
  const query = new FakePort<ToQueryThread, FromQueryThread>();
  const cache = new FakePort<never, FromCacheThread>();
  const logs: string[] = [];
  const engine = new ThreadedEngine({
    clock,
    random: seededRandom(1),
    log: (_level, message) => logs.push(message),
    isShared: false,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
    writeThread: write,
    queryThreads: [query],
    queryLoads: ThreadLoads.of(1),
    cacheThread: cache,
  });
  const publish = (retired = false, name = NAME) => {
    const state = { instance: `${name}/1/1` as NamespaceInstance, retired } as NamespaceState;
    const change = { full: false, added: [], deleted: [], dropped: [] };
    return write.say({ kind: "publish", namespace: name, deltas: [{ version: 1, change }], state });
  };
  return { engine, clock, write, query, cache, logs, publish };
}

function request(
  operation: EngineRequest["operation"],
  rest: Partial<EngineRequest> & { body?: AsyncIterable<Uint8Array> } = {},
): EngineRequest {
  return {
    operation,
    namespace: NAME,
    parameters: {},
    apiVersion: "v2",
    respondAsync: false,
    isStrict: false,
    signal: new AbortController().signal,
    ...rest,
  };
}

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}

describe("a cache that cannot open the store", () => {
  const error = sentError(new DatabaseError("unavailable", "no such store"));
  const failed = { kind: "failed", error } as const;

  test("fails the start, since queries would wait for it for ever", async () => {
    const { engine, cache } = engineOf();
    const ready = engine.ready();
    const refused = { code: "unavailable", message: "no such store" };
    await Promise.all([cache.say(failed), expect(ready).rejects.toMatchObject(refused)]);
  });

  test("ends the process where the server has started already", async () => {
    const { engine, write, cache } = engineOf();
    await write.say({ kind: "ready" });
    await engine.ready();
    await expect(cache.say(failed)).rejects.toThrow("no such store");
  });
});

describe("a query", () => {
  test("opens its namespace first, and fails with the error of an opening that fails", async () => {
    const { engine, write, query, publish } = engineOf();
    const first = engine.handle(request("query", { body: chunks(3, 4) }));
    await settled();
    const [open] = write.all("ask");
    expect(open.question).toMatchObject({ kind: "open", namespace: NAME });
    expect(query.all("query")).toEqual([]);
    await publish();
    await write.say({ kind: "reply", call: open.call, state: undefined });
    const [sent] = query.all("query");
    expect(sent.body).toHaveLength(7);
    await query.say({ kind: "answer", call: sent.call, answer: OK });
    expect(await first).toBe(OK);
    const other = namespaceName("other");
    const second = engine.handle(request("query", { namespace: other }));
    await settled();
    const error = sentError(new DatabaseError("not_found", "there is no such namespace"));
    await write.say({ kind: "failure", call: write.all("ask")[1].call, error });
    const { status, body } = await second;
    expect([status, Buffer.from(body).toString()]).toEqual([
      404,
      expect.stringContaining("there is no such namespace"),
    ]);
  });

  test("is refused at its deadline while its namespace is being opened", async () => {
    const { engine, clock } = engineOf();
    const result = engine.handle(request("query"));
    await settled();
    await clock.advance(QUERY_TIMEOUT_MS);
    clock.tick();
    const { status, body } = await result;
    expect([status, Buffer.from(body).toString()]).toEqual([
      408,
      expect.stringContaining("waited for its namespace to be read from the object store"),
    ]);
  });

  test("is sent again where its namespace was closed, and not for ever", async () => {
    const { engine, write, query, publish } = engineOf();
    await publish();
    const result = engine.handle(request("query", { body: chunks(2) }));
    for (let round = 0; round < QUERY_OPENINGS_MAX; round++) {
      await settled();
      const { call, body } = query.all("query")[round];
      expect(body).toHaveLength(2);
      await publish(true);
      await query.say({ kind: "closed", call, body });
      const opens = write.all("ask");
      if (round + 1 === QUERY_OPENINGS_MAX) break;
      expect(opens).toHaveLength(round + 1);
      await publish();
      await write.say({ kind: "reply", call: opens[round].call, state: undefined });
    }
    expect((await result).status).toBe(503);
  });

  test("is refused above the number that may wait and run", async () => {
    const { engine, clock, query, publish } = engineOf();
    await publish();
    const waiting = Array.from({ length: QUERIES_IN_FLIGHT_MAX }, () =>
      engine.handle(request("query")),
    );
    await settled();
    const refused = await engine.handle(request("query"));
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after-ms"]).toBe(String(QUERY_SLOT_WAIT_MS_MAX));
    // Those that wait too long for a slot make room, as those that are answered do.
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
    for (const { call } of query.all("query")) {
      await query.say({ kind: "answer", call, answer: OK });
    }
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const next = engine.handle(request("query"));
    await settled();
    const { call } = query.all("query").at(-1) ?? { call: 0 };
    await query.say({ kind: "answer", call, answer: OK });
    expect((await next).status).toBe(200);
  });

  test("with a body over the limit is refused", async () => {
    const { engine, query } = engineOf();
    const body = chunks(QUERY_BODY_BYTES_MAX, 1);
    expect((await engine.handle(request("query", { body }))).status).toBe(413);
    expect(query.sent).toEqual([]);
  });
});

describe("an asynchronous operation", () => {
  async function started(rest: Partial<EngineRequest> = { respondAsync: true }) {
    const parts = engineOf();
    const result = parts.engine.handle(request("write", rest));
    await settled();
    const { call } = parts.write.all("call")[0];
    await parts.write.say({ kind: "long", effects: [], call });
    return { ...parts, result, call };
  }

  const poll = (engine: ThreadedEngine, token: string, namespace: NamespaceName = NAME) =>
    engine.handle(request("poll_operation", { namespace, parameters: { token } }));

  test("that ends soon is answered at once", async () => {
    const { result, write, call } = await started();
    await write.say({ kind: "answer", call, answer: OK });
    expect(await result).toBe(OK);
  });

  test("that takes longer gives a token, its progress, and then its result", async () => {
    const { engine, clock, result, write, call } = await started();
    await clock.advance(OPERATION_SYNCHRONOUS_MS);
    const accepted = await result;
    expect(accepted.status).toBe(202);
    expect(accepted.headers["preference-applied"]).toBe("respond-async");
    const { token } = JSON.parse(textOf(accepted));
    expect(accepted.headers.location).toBe(`/v1/namespaces/n/operations/${token}`);
    const start_time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(JSON.parse(textOf(await poll(engine, token)))).toEqual({
      status: "running",
      start_time,
    });
    await write.say({ kind: "progress", call, text: "index: copied 5 bytes" });
    expect(JSON.parse(textOf(await poll(engine, token)))).toEqual({
      status: "running",
      start_time,
      progress: "index: copied 5 bytes",
    });
    // 64-bit integers of the result come through as they are.
    await write.say({ kind: "answer", call, answer: answer(200, '{"id":18446744073709551615}') });
    const finished = '"result":{"success":{"id":18446744073709551615}}}';
    expect(textOf(await poll(engine, token))).toContain(finished);
    await clock.advance(OPERATION_RESULT_MS - 1);
    expect(textOf(await poll(engine, token))).toContain(finished);
    await clock.advance(1);
    expect((await poll(engine, token)).status).toBe(404);
  });

  test("that fails keeps its error", async () => {
    const { engine, clock, result, write, call } = await started();
    await clock.advance(OPERATION_SYNCHRONOUS_MS);
    const { token } = JSON.parse(textOf(await result));
    await write.say({ kind: "answer", call, answer: answer(409, '{"status":"error"}') });
    expect(JSON.parse(textOf(await poll(engine, token)))).toEqual({
      status: "finished",
      start_time: expect.any(String),
      finish_time: expect.any(String),
      result: { error: { status_code: 409, detail: { status: "error" } } },
    });
  });

  test("that only starts a copy is answered with its token as soon as that runs", async () => {
    const { engine, write } = engineOf();
    const result = engine.handle(request("start_copy"));
    await settled();
    const { call, operation } = write.all("call")[0];
    expect(operation).toBe("start_copy");
    await write.say({ kind: "long", effects: [], call });
    const accepted = await result;
    expect([accepted.status, accepted.headers]).toEqual([
      202,
      { "content-type": "application/json" },
    ]);
    const { token } = JSON.parse(textOf(accepted));
    await write.say({ kind: "progress", call, text: "copied" });
    expect(textOf(await poll(engine, token))).toContain('"progress":"copied"');
    await write.say({ kind: "answer", call, answer: OK });
    expect(JSON.parse(textOf(await poll(engine, token)))).toMatchObject({ status: "finished" });
  });

  test("that is refused before it runs has no token", async () => {
    const { engine, write } = engineOf();
    const result = engine.handle(request("start_copy"));
    await settled();
    const refused = answer(400, '{"status":"error"}');
    await write.say({ kind: "answer", call: write.all("call")[0].call, answer: refused });
    expect(await result).toBe(refused);
  });

  test("belongs to its namespace; unknown tokens are not found", async () => {
    const { engine, clock, result } = await started();
    await clock.advance(OPERATION_SYNCHRONOUS_MS);
    const { token } = JSON.parse(textOf(await result));
    expect((await poll(engine, token, namespaceName("other"))).status).toBe(404);
    expect((await poll(engine, "nonsense")).status).toBe(404);
    expect((await engine.handle(request("poll_operation"))).status).toBe(404);
  });

  test("is waited for where the client does not ask for a token", async () => {
    const { clock, result, write, call } = await started({});
    await clock.advance(OPERATION_SYNCHRONOUS_MS * 10);
    await write.say({ kind: "answer", call, answer: OK });
    expect(await result).toBe(OK);
  });

  test("that is refused after its token was given keeps the refusal", async () => {
    const { engine, clock, write, publish } = engineOf();
    const result = engine.handle(request("recall", { respondAsync: true }));
    await settled();
    await clock.advance(OPERATION_SYNCHRONOUS_MS);
    const { token } = JSON.parse(textOf(await result));
    const { call } = write.all("ask")[0];
    await publish();
    for (let i = 0; i < 16; i++) void engine.handle(request("query"));
    await settled();
    await write.say({ kind: "reply", call, state: undefined });
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
    const { status, result: outcome } = JSON.parse(textOf(await poll(engine, token)));
    expect([status, outcome.error.status_code]).toEqual(["finished", 429]);
  });
});

describe("closing", () => {
  test("lets queries finish, then the write thread, then ends all threads", async () => {
    const { engine, write, query, publish } = engineOf();
    await write.say({ kind: "ready" });
    await publish();
    const running = engine.handle(request("query"));
    await settled();
    const closing = engine.close();
    await settled();
    expect(engine.status()).toEqual({ ready: false, reason: "shutting down" });
    expect((await engine.handle(request("write"))).status).toBe(503);
    expect(write.all("close")).toEqual([]);
    const { call } = query.all("query")[0];
    await query.say({ kind: "answer", call, answer: OK });
    expect(await running).toBe(OK);
    expect(write.all("close")).toHaveLength(1);
    expect([write.terminated, query.terminated]).toEqual([false, false]);
    await write.say({ kind: "closed" });
    await closing;
    expect([write.terminated, query.terminated]).toEqual([true, true]);
  });

  test("does not wait for ever for a query", async () => {
    const { engine, clock, write, publish } = engineOf();
    await publish();
    void engine.handle(request("query"));
    await settled();
    const closing = engine.close();
    await clock.advance(3_600_000);
    await write.say({ kind: "closed" });
    await closing;
  });
});

test("a bug is logged, and the client is told nothing of it", async () => {
  const { engine, logs } = engineOf();
  const { namespace: _, ...rest } = request("query");
  const failed = await engine.handle(rest);
  expect(failed.status).toBe(500);
  expect(textOf(failed)).toContain("Unknown error");
  expect(logs).toEqual(["request failed by a bug: query"]);
});
