import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import {
  ANSWER,
  added,
  dispatcherOf,
  INSTANCE,
  NAME,
  QUERY_TIMEOUT_MS,
  query,
  stateOf,
} from "../../../test/support/engine/dispatcher-fixture.ts";
import { type FakePort, settled } from "../../../test/support/engine/fake-port.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { QUERY_SLOTS } from "../../model/contract-limits.ts";
import type { RecallRequest } from "../../model/recall.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { FromQueryThread, PartsOffer, ToQueryThread } from "../thread-messages.ts";
import type { DispatchOutcome, Verification } from "./query-call.ts";
import type { QueryDispatcher } from "./query-dispatcher.ts";

describe("a query", () => {
  test("goes to the thread with the least to do, with what that thread has not seen", async () => {
    const { threads, dispatcher } = dispatcherOf(2);
    void dispatcher.run(query());
    void dispatcher.run(query());
    void dispatcher.run(query());
    await settled();
    const [first, second] = threads.map((thread) => thread.all("query"));
    expect([first.length, second.length]).toEqual([2, 1]);
    expect(first[0].update?.deltas[0].change.full).toBe(true);
    expect(first[1].update).toBeUndefined();
    expect(second[0].update?.deltas[0].change.full).toBe(true);
    await threads[0].say({ kind: "answer", call: first[0].call, answer: ANSWER });
    await threads[0].say({ kind: "answer", call: first[1].call, answer: ANSWER });
    dispatcher.publish(NAME, [{ version: 2, change: added("b") }], stateOf());
    void dispatcher.run(query());
    await settled();
    const last = threads[0].all("query")[2];
    expect(last.update?.deltas.map(({ version }) => version)).toEqual([2]);
  });

  test("sees what was published before it was sent, and nothing later", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    void dispatcher.run(query());
    await settled();
    dispatcher.publish(NAME, [{ version: 2, change: added("b") }], stateOf());
    expect(threads[0].all("query")[0].update?.version).toBe(1);
    expect(threads[0].all("update")).toEqual([]);
  });

  test("is given back with its body where its instance is retired", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const outcome = dispatcher.run(query());
    await settled();
    const { call, body } = threads[0].all("query")[0];
    await threads[0].say({ kind: "closed", call, body });
    expect(await outcome).toMatchObject({ kind: "closed", query: { ...query(), mayTrust: true } });
    dispatcher.publish(NAME, [{ version: 2, change: added() }], stateOf(true));
    expect(await dispatcher.run(query())).toMatchObject({ kind: "closed", query: query() });
    expect(dispatcher.state(NAME)).toBeUndefined();
  });
});

describe("a query over a store that others write to", () => {
  const FAILED = { ...ANSWER, status: 503 };
  const verified = (sequence: number, knownMs = 0): Verification => {
    return { kind: "verified", state: { sequence: sequenceNumber(sequence), knownMs } };
  };
  const outcomes: [Verification, DispatchOutcome][] = [
    [verified(1), { kind: "answered", answer: ANSWER }],
    [verified(2), { kind: "outdated", query: { ...query(), mayTrust: true } }],
    [{ kind: "closed" }, { kind: "closed", query: { ...query(), mayTrust: true } }],
    [
      { kind: "failed", answer: FAILED },
      { kind: "answered", answer: FAILED },
    ],
  ];

  test.each(outcomes)("waits for the store's word if it is strong: %j", async (word, expected) => {
    const verify = vi.fn(async () => word);
    const { threads, dispatcher } = dispatcherOf(1, verify);
    const outcome = dispatcher.run(query());
    await settled();
    const { call, isShared } = threads[0].all("query")[0];
    expect(isShared).toBe(true);
    await threads[0].say({ kind: "fresh", call, stalenessMsMax: 0 });
    await threads[0].say({ kind: "answer", call, answer: ANSWER });
    expect(await outcome).toMatchObject(expected);
    expect(verify).toHaveBeenCalledExactlyOnceWith(NAME, INSTANCE, 0);
  });

  test("asks again only when what is known is older than it bears", async () => {
    const words = [verified(1, 3_000), verified(1), verified(3)];
    const verify = vi.fn(async () => words[verify.mock.calls.length - 1]);
    const { clock, threads, dispatcher } = dispatcherOf(1, verify);
    const run = async (stalenessMsMax: number, sequence = 1) => {
      dispatcher.publish(NAME, [], { ...stateOf(), sequence: sequenceNumber(sequence) });
      const outcome = dispatcher.run(query());
      await settled();
      const [call] = threads[0].all("query").slice(-1);
      return async () => {
        await threads[0].say({ kind: "fresh", call: call.call, stalenessMsMax });
        await threads[0].say({ kind: "answer", call: call.call, answer: ANSWER });
        return [(await outcome).kind, verify.mock.calls.length];
      };
    };
    expect(await (await run(5_000))()).toEqual(["answered", 1]);
    await clock.advance(1_999);
    expect(await (await run(5_000))()).toEqual(["answered", 1]);
    await clock.advance(1);
    expect(await (await run(5_000))()).toEqual(["answered", 2]);
    // One that began before the state that is known to be complete was published asks all the same.
    const early = await run(60_000, 1);
    await clock.advance(60_000);
    expect(await (await run(60_000, 2))()).toEqual(["outdated", 3]);
    words.push(verified(2));
    expect(await early()).toEqual(["outdated", 4]);
    expect(await (await run(60_000, 2))()).toEqual(["answered", 4]);
  });

  test("is refused at its deadline where the store gives no word", async () => {
    const verify = () => new Promise<Verification>(() => {});
    const { clock, threads, dispatcher } = dispatcherOf(1, verify);
    const outcome = dispatcher.run(query());
    const refused = expect(outcome).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringMatching(/^💔 the query took longer than 30000 ms.*the object store/),
    });
    await settled();
    const { call } = threads[0].all("query")[0];
    await threads[0].say({ kind: "fresh", call, stalenessMsMax: 0 });
    await threads[0].say({ kind: "answer", call, answer: ANSWER });
    await clock.advance(QUERY_TIMEOUT_MS);
    clock.tick();
    await refused;
  });

  test("waits for nothing if it is eventual, or was given back before", async () => {
    const verify = vi.fn(async () => verified(2));
    const { threads, dispatcher } = dispatcherOf(1, verify);
    const eventual = dispatcher.run(query());
    await settled();
    await threads[0].say({ kind: "answer", call: threads[0].all("query")[0].call, answer: ANSWER });
    expect(await eventual).toEqual({ kind: "answered", answer: ANSWER });
    const again = dispatcher.run({ ...query(), mayTrust: true });
    await settled();
    const { call, isShared } = threads[0].all("query")[1];
    expect(isShared).toBe(false);
    await threads[0].say({ kind: "answer", call, answer: ANSWER });
    expect(await again).toEqual({ kind: "answered", answer: ANSWER });
    expect(verify).not.toHaveBeenCalled();
  });
});

describe("parts of a query", () => {
  /** A thread with a query offers parts of it, at a version, to so many others. */
  async function offerFrom(thread: FakePort<ToQueryThread, FromQueryThread>, version: number) {
    const channels = [new MessageChannel(), new MessageChannel()];
    const offer = { instance: INSTANCE, version } as PartsOffer;
    const closed = channels.map(({ port1 }) => once(port1, "close"));
    await thread.say({ kind: "offer", offer, ports: channels.map(({ port2 }) => port2) });
    return { offer, closed, ports: channels.map(({ port2 }) => port2) };
  }

  test("are handed to threads that idle, with what they have not seen yet", async () => {
    const { threads, dispatcher, loads } = dispatcherOf(3);
    void dispatcher.run(query());
    void dispatcher.run(query());
    await settled();
    expect(loads.idle).toEqual([2]);
    const { offer, closed, ports } = await offerFrom(threads[0], 1);
    const [help] = threads[2].all("help");
    expect(help).toMatchObject({ offer, port: ports[0], update: { version: 1 } });
    expect([...threads[0].all("help"), ...threads[1].all("help")]).toEqual([]);
    // Nobody has taken the other port.
    await closed[1];
    await offerFrom(threads[1], 1);
    expect(threads[2].all("help")[1].update).toBeUndefined();
    ports[0].close();
  });

  test("are handed to nobody who would see something else", async () => {
    const { threads, dispatcher } = dispatcherOf(2);
    void dispatcher.run(query());
    await settled();
    dispatcher.publish(NAME, [{ version: 2, change: added("b") }], stateOf());
    // The other thread has no version yet, and the whole state is that of the newest one.
    const { closed } = await offerFrom(threads[0], 1);
    await Promise.all(closed);
    expect(threads[1].all("help")).toEqual([]);
  });
});

describe("a query that nobody waits for", () => {
  const unwanted = (dispatcher: QueryDispatcher) =>
    dispatcher.metrics().find(({ name }) => name === "trawl_queries_unwanted")?.value;

  test("is ended by its thread, and counted until it is", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const client = new AbortController();
    const outcome = dispatcher.run({ ...query(), signal: client.signal });
    await settled();
    const { call } = threads[0].all("query")[0];
    expect(unwanted(dispatcher)).toBe(0);
    client.abort();
    expect(threads[0].all("cancel")).toMatchObject([{ call, code: "unavailable" }]);
    expect(unwanted(dispatcher)).toBe(1);
    await threads[0].say({ kind: "answer", call, answer: ANSWER });
    await outcome;
    expect(unwanted(dispatcher)).toBe(0);
  });

  test("is ended at once where its client left between its slot and its start", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const client = new AbortController();
    const outcome = dispatcher.run({ ...query(), signal: client.signal });
    expect(threads[0].all("query")).toEqual([]);
    client.abort();
    await settled();
    const [{ call }] = threads[0].all("query");
    expect(threads[0].all("cancel")).toMatchObject([{ call, code: "unavailable" }]);
    expect(unwanted(dispatcher)).toBe(1);
    await threads[0].say({ kind: "answer", call, answer: ANSWER });
    expect(await outcome).toEqual({ kind: "answered", answer: ANSWER });
    expect(unwanted(dispatcher)).toBe(0);
  });

  test("leaves the line for slots, and is not begun", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    for (let i = 0; i < QUERY_SLOTS; i++) void dispatcher.run(query());
    const client = new AbortController();
    const outcome = dispatcher.run({ ...query(), signal: client.signal });
    await settled();
    client.abort();
    await expect(outcome).rejects.toThrow("the client has left");
    await expect(dispatcher.run({ ...query(), signal: client.signal })).rejects.toThrow("has left");
    expect(threads[0].all("query")).toHaveLength(QUERY_SLOTS);
    expect(threads[0].all("cancel")).toEqual([]);
  });

  test("is ended when the server stops; new ones are refused", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    void dispatcher.run(query());
    await settled();
    dispatcher.stop();
    expect(threads[0].all("cancel")).toMatchObject([
      { message: expect.stringContaining("shutting") },
    ]);
    await expect(dispatcher.run(query())).rejects.toMatchObject({ code: "unavailable" });
  });

  test("gives slots back that it was granted after its end", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const heavy = dispatcher.run(query());
    for (let i = 1; i < QUERY_SLOTS; i++) void dispatcher.run(query());
    await settled();
    const [first, ...others] = threads[0].all("query");
    await threads[0].say({ kind: "weight", call: first.call, weight: 4 });
    await threads[0].say({ kind: "answer", call: first.call, answer: ANSWER });
    await heavy;
    for (const { call } of others) await threads[0].say({ kind: "answer", call, answer: ANSWER });
    await settled();
    for (let i = 0; i < QUERY_SLOTS; i++) void dispatcher.run(query());
    await settled();
    expect(threads[0].all("query")).toHaveLength(2 * QUERY_SLOTS);
  });
});

test("what a thread says beside answers reaches who listens", async () => {
  const { threads, dispatcher, released, logs } = dispatcherOf(1);
  const [thread] = threads;
  const metric = { name: "m", help: "h", kind: "counter", value: 1 } as const;
  await thread.say({ kind: "metrics", metrics: [metric] });
  expect(dispatcher.metrics()).toContainEqual(metric);
  await thread.say({ kind: "log", level: "warn", message: "hello", facts: {} });
  expect(logs).toEqual(["hello"]);
  void dispatcher.run(query());
  await settled();
  const dropped = { ...added(), dropped: ["a" as SegmentId] };
  dispatcher.publish(NAME, [{ version: 2, change: dropped }], stateOf());
  expect(thread.all("update")).toHaveLength(1);
  expect(released).toEqual([]);
  await thread.say({ kind: "applied", instance: INSTANCE, version: 2 });
  expect(released).toEqual([[INSTANCE, 2]]);
});

describe("a sample", () => {
  const sample = { namespace: NAME, instance: INSTANCE, request: {} as RecallRequest };
  const { signal } = new AbortController();

  test("goes to the last thread that idles, and takes no slot and no load", async () => {
    const { threads, loads, dispatcher } = dispatcherOf(3);
    const outcome = dispatcher.measure(sample, signal);
    expect(threads.map((thread) => thread.all("measure").length)).toEqual([0, 0, 1]);
    expect(loads.idleCount).toBe(3);
    const [{ call, update }] = threads[2].all("measure");
    expect(update?.version).toBe(1);
    await threads[2].say({ kind: "measured", call, outcome: { kind: "measured", recall: 0.5 } });
    expect(await outcome).toEqual({ kind: "measured", recall: 0.5 });
    for (let i = 0; i < 4; i++) void dispatcher.run(query());
    await settled();
    void dispatcher.measure(sample, signal);
    expect(threads.map((thread) => thread.all("measure").length)).toEqual([0, 1, 1]);
  });

  test("of an instance that is gone is skipped", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const other = "movies/2/1" as NamespaceInstance;
    const measured = dispatcher.measure({ ...sample, instance: other }, signal);
    expect(await measured).toEqual({ kind: "skipped" });
    dispatcher.publish(NAME, [{ version: 2, change: added() }], stateOf(true));
    expect(await dispatcher.measure(sample, signal)).toEqual({ kind: "skipped" });
    expect(threads[0].all("measure")).toEqual([]);
  });

  test("is ended by its signal", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const stopping = new AbortController();
    const outcome = dispatcher.measure(sample, stopping.signal);
    stopping.abort();
    const [{ call }] = threads[0].all("measure");
    expect(threads[0].all("cancel")).toMatchObject([{ call, code: "unavailable" }]);
    await threads[0].say({ kind: "measured", call, outcome: { kind: "failed" } });
    expect(await outcome).toEqual({ kind: "failed" });
    expect(await dispatcher.measure(sample, stopping.signal)).toEqual({ kind: "skipped" });
  });
});
