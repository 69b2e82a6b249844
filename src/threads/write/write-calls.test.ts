import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { FakePort, settled } from "../../../test/support/engine/fake-port.ts";
import type { EngineRequest, HttpAnswer } from "../../api/engine.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { DatabaseError, sentError } from "../../base/errors.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import type { FromWriteThread, ToWriteThread } from "../thread-messages.ts";
import { BODY_PIECE_BYTES } from "./body-pieces.ts";
import { CHANGE_SILENCE_MS_MAX, CLOSE_MS_MAX, TRANSFER_SILENCE_MS_MAX } from "./silence-bounds.ts";
import {
  ABANDONED_CALLS_MAX,
  WRITE_BODY_WINDOW_BYTES,
  WriteCalls,
  type WriteThreadListener,
} from "./write-calls.ts";

const READ_MS = 30_000;
const ANSWER: HttpAnswer = { status: 200, headers: {}, body: Uint8Array.of(7) };

function callsOf() {
  const port = new FakePort<ToWriteThread, FromWriteThread>();
  const heard: string[] = [];
  const clock = new ManualClock();
  const listener: WriteThreadListener = {
    arena: ({ index }) => heard.push(`arena ${index}`),
    publish: (name) => heard.push(`publish ${name}`),
    log: (_level, message) => heard.push(`log ${message}`),
    hinted: () => heard.push("hinted"),
  };
  const calls = new WriteCalls(port, listener, { clock, readMs: READ_MS });
  const pass = async (ms: number) => {
    await clock.advance(ms);
    clock.tick();
    await settled();
  };
  return { port, calls, heard, pass };
}

function request(
  operation: EngineRequest["operation"],
  body?: AsyncIterable<Uint8Array>,
): EngineRequest {
  return {
    operation,
    namespace: namespaceName("n"),
    parameters: {},
    ...(body && { body }),
    apiVersion: "v2",
    respondAsync: false,
    isStrict: false,
    signal: new AbortController().signal,
  };
}

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size).fill(size & 0xff);
}

test("calls are numbered, and each gets its own answer", async () => {
  const { port, calls } = callsOf();
  const first = calls.call(request("write"));
  const second = calls.call(request("get_schema"));
  const [a, b] = port.all("call");
  expect(a.call).not.toBe(b.call);
  await port.say({ kind: "answer", call: b.call, answer: { ...ANSWER, status: 404 } });
  await port.say({ kind: "answer", call: a.call, answer: ANSWER });
  expect((await first.answer).status).toBe(200);
  expect((await second.answer).status).toBe(404);
});

test("what the thread publishes is passed on before the answer that follows it", async () => {
  const { port, calls, heard } = callsOf();
  const { answer } = calls.call(request("write"));
  const seen = answer.then(() => heard.push("answer"));
  const state = { instance: "n/1/1", retired: false } as never;
  const { call } = port.all("call")[0];
  const said: FromWriteThread[] = [
    { kind: "publish", namespace: namespaceName("n"), deltas: [], state },
    { kind: "answer", call, answer: ANSWER },
  ];
  await Promise.all(said.map((message) => port.say(message)));
  await seen;
  expect(heard).toEqual(["publish n", "answer"]);
});

test("a body is sent no further ahead than its window", async () => {
  const { port, calls } = callsOf();
  const { answer } = calls.call(request("write", chunks(...Array(20).fill(MIB))));
  await settled();
  const sent = () => port.all("chunk").reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect(sent()).toBeLessThanOrEqual(WRITE_BODY_WINDOW_BYTES + MIB);
  const { call } = port.all("call")[0];
  for (let consumed = 0; consumed < 20; consumed++) {
    expect(sent() - consumed * MIB).toBeLessThanOrEqual(WRITE_BODY_WINDOW_BYTES + MIB);
    await port.say({ kind: "consumed", call, bytes: MIB, piece: new Uint8Array(MIB) });
  }
  expect(sent()).toBe(20 * MIB);
  expect(port.all("end")).toEqual([{ kind: "end", call }]);
  await port.say({ kind: "answer", call, answer: ANSWER });
  expect((await answer).status).toBe(200);
});

test("a body whose request is answered early is not sent to its end", async () => {
  const { port, calls } = callsOf();
  const { answer } = calls.call(request("write", chunks(...Array(20).fill(MIB))));
  await settled();
  const { call } = port.all("call")[0];
  const before = port.all("chunk").length;
  await port.say({ kind: "answer", call, answer: { ...ANSWER, status: 400 } });
  expect((await answer).status).toBe(400);
  await settled();
  expect(port.all("chunk").length).toBeLessThanOrEqual(before + 1);
  expect(port.all("end")).toEqual([]);
});

test("a body that breaks off is aborted, and its call is answered", async () => {
  const { port, calls } = callsOf();
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new DatabaseError("too_large", "over the limit");
  };
  const { answer } = calls.call(request("write", broken()));
  expect((await answer).status).toBe(413);
  const { call } = port.all("call")[0];
  expect(port.all("abort")).toEqual([{ kind: "abort", call }]);
  await port.say({ kind: "answer", call, answer: ANSWER }); // Too late; nobody waits.
});

test("a question resolves to the state of its reply, or fails with its error", async () => {
  const { port, calls } = callsOf();
  const visible = [EVERY_NAMESPACE];
  const question = { kind: "open", namespace: namespaceName("n"), visible } as const;
  const [opened, refused] = [calls.ask(question), calls.ask(question)];
  const [first, second] = port.all("ask");
  expect(first.question).toEqual(question);
  const state = { sequence: sequenceNumber(3), knownMs: 5 };
  await port.say({ kind: "reply", call: first.call, state });
  expect(await opened).toEqual(state);
  const detail = { attribute: "a", retryAfterMs: 7, clientMessage: "no" };
  const error = sentError(new DatabaseError("unavailable", "s3://secret", detail));
  await Promise.all([
    port.say({ kind: "failure", call: second.call, error: structuredClone(error) }),
    expect(refused).rejects.toMatchObject({
      code: "unavailable",
      message: "s3://secret",
      ...detail,
    }),
  ]);
});

test("a question without a reply fails after the time of reads", async () => {
  const { port, calls, pass } = callsOf();
  const visible = [EVERY_NAMESPACE];
  const asked = calls.ask({ kind: "refresh", namespace: namespaceName("n"), visible });
  const failed = expect(asked).rejects.toMatchObject({ code: "timed_out" });
  await pass(READ_MS + 1_000);
  await failed;
  await port.say({ kind: "reply", call: port.all("ask")[0].call, state: undefined });
});

test("it is ready when the thread says so, or fails with the thread's error", async () => {
  const { port, calls } = callsOf();
  expect(calls.status().ready).toBe(false);
  await port.say({ kind: "ready" });
  await calls.ready();
  expect(calls.status().ready).toBe(true);
  const other = callsOf();
  const failure = expect(other.calls.ready()).rejects.toMatchObject({ code: "conflict" });
  await other.port.say({
    kind: "failed",
    error: sentError(new DatabaseError("conflict", "in use")),
  });
  await failure;
});

test("closing resolves when the thread has closed", async () => {
  const { port, calls } = callsOf();
  await port.say({ kind: "ready" });
  let closed = false;
  const closing = calls.close().then(() => {
    closed = true;
  });
  await settled();
  expect(calls.status()).toEqual({ ready: false, reason: "shutting down" });
  expect([port.all("close").length, closed]).toEqual([1, false]);
  await port.say({ kind: "closed" });
  await closing;
});

test("closing does not wait any longer for a thread that does not close", async () => {
  const { port, calls, pass } = callsOf();
  await port.say({ kind: "ready" });
  const closing = calls.close();
  const failure = expect(closing).rejects.toThrow("has not answered for 20 seconds");
  let isOver = false;
  void closing.catch(() => {
    isOver = true;
  });
  await pass(CLOSE_MS_MAX - 1);
  expect(isOver).toBe(false);
  await pass(1);
  await failure;
  await port.say({ kind: "closed" });
});

test("a call is answered when the thread has made no progress on it for its time", async () => {
  const { port, calls, pass } = callsOf();
  const sent = Promise.withResolvers<void>();
  const body = (async function* () {
    yield new Uint8Array(BODY_PIECE_BYTES);
    await sent.promise;
  })();
  const { answer } = calls.call(request("write", body));
  await settled();
  const [{ call }] = port.all("call");
  await pass(CHANGE_SILENCE_MS_MAX - 1);
  const [{ bytes }] = port.all("chunk");
  await port.say({ kind: "consumed", call, bytes: bytes.length, piece: bytes });
  // The client sends nothing more: the thread has nothing to work on.
  await pass(10 * CHANGE_SILENCE_MS_MAX);
  sent.resolve();
  await settled();
  await pass(CHANGE_SILENCE_MS_MAX - 1);
  expect(port.all("abort")).toEqual([]);
  await pass(1);
  expect((await answer).status).toBe(503);
  expect(port.all("abort")).toEqual([]);
});

test("a body that the thread does not take is aborted when its call is answered", async () => {
  const { port, calls, pass } = callsOf();
  const body = chunks(WRITE_BODY_WINDOW_BYTES, WRITE_BODY_WINDOW_BYTES);
  const { answer } = calls.call(request("write", body));
  await settled();
  await pass(CHANGE_SILENCE_MS_MAX);
  expect((await answer).status).toBe(503);
  expect(port.all("abort")).toHaveLength(1);
  expect(port.all("end")).toEqual([]);
});

test("a copy that makes progress has more time, from each sign of it", async () => {
  const { port, calls, pass } = callsOf();
  const { answer, long } = calls.call(request("write"));
  const [{ call }] = port.all("call");
  await port.say({ kind: "long", call, effects: [] });
  await long;
  await pass(TRANSFER_SILENCE_MS_MAX - 1);
  await port.say({ kind: "progress", call, text: "copied" });
  await pass(TRANSFER_SILENCE_MS_MAX - 1);
  await port.say({ kind: "answer", call, answer: ANSWER });
  expect((await answer).status).toBe(200);
});

test("calls are refused while too many wait for a thread that does not end them", async () => {
  const { port, calls, pass } = callsOf();
  for (let i = 0; i < ABANDONED_CALLS_MAX; i++) void calls.call(request("get_schema"));
  await pass(READ_MS);
  const refused = await calls.call(request("write")).answer;
  expect(new TextDecoder().decode(refused.body)).toContain("nothing was done for this one");
  expect(port.all("call")).toHaveLength(ABANDONED_CALLS_MAX);
  await port.say({ kind: "answer", call: port.all("call")[0].call, answer: ANSWER });
  void calls.call(request("write"));
  expect(port.all("call")).toHaveLength(ABANDONED_CALLS_MAX + 1);
});
