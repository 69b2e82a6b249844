import { describe, expect, test } from "vitest";
import {
  ANSWER,
  added,
  dispatcherOf,
  INSTANCE,
  NAME,
  query,
  stateOf,
} from "../../../test/support/engine/dispatcher-fixture.ts";
import { FakePort, settled } from "../../../test/support/engine/fake-port.ts";
import type { HttpAnswer } from "../../api/engine.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import { BESIDE_COUNT_MAX, OwnQueries } from "./own-queries.ts";

describe("queries that this thread answers itself", () => {
  const TIMES = { workedMs: 0.05, waitedMs: 0 };
  const SHORT: HttpAnswer = { ...ANSWER, times: TIMES };

  /** A dispatcher that has seen a short query of the namespace. */
  async function taught() {
    const port = new FakePort<ToQueryThread, FromQueryThread>();
    const own = new OwnQueries({ port, afterTurn: (callback) => void setImmediate(callback) });
    const found = dispatcherOf(1, undefined, own);
    const { threads, dispatcher } = found;
    const first = dispatcher.run(query());
    await settled();
    await threads[0].say({ kind: "answer", call: threads[0].all("query")[0].call, answer: SHORT });
    await first;
    return { ...found, port, thread: threads[0] };
  }

  test("are those like others that were short, while none runs", async () => {
    const { dispatcher, port, thread, loads } = await taught();
    const outcome = dispatcher.run(query());
    await settled();
    const [sent] = port.all("query");
    expect(sent.update?.deltas[0].change.full).toBe(true);
    expect(loads.idleCount).toBe(1);
    const other = dispatcher.run(query());
    await settled();
    expect(thread.all("query")).toHaveLength(2);
    await port.say({ kind: "answer", call: sent.call, answer: SHORT });
    expect(await outcome).toEqual({ kind: "answered", answer: SHORT });
    const { call } = thread.all("query")[1];
    await thread.say({
      kind: "answer",
      call,
      answer: { ...ANSWER, times: { ...TIMES, workedMs: 9 } },
    });
    await other;
    // The last one took long: it is no short kind any more.
    void dispatcher.run(query());
    await settled();
    expect([port.all("query").length, thread.all("query").length]).toEqual([1, 3]);
  });

  test("are none where a longer one came with them, or the server stops", async () => {
    const { dispatcher, port, thread } = await taught();
    const short = dispatcher.run(query());
    void dispatcher.run({ ...query(), body: new Uint8Array(5000) });
    await settled();
    expect([port.all("query").length, thread.all("query").length]).toEqual([0, 3]);
    for (const { call } of thread.all("query").slice(1)) {
      await thread.say({ kind: "answer", call, answer: SHORT });
    }
    await short;
    const late = dispatcher.run(query());
    // Until the turn is over it runs nowhere, so that there is nothing to cancel.
    await Promise.resolve();
    dispatcher.stop();
    await expect(late).rejects.toThrow("shutting down");
    expect(port.all("query")).toEqual([]);
  });

  test("are none that have waited", async () => {
    const { clock, dispatcher, port, thread } = await taught();
    const outcome = dispatcher.run(query());
    await settled();
    await clock.advance(2);
    await port.say({ kind: "answer", call: port.all("query")[0].call, answer: SHORT });
    await outcome;
    void dispatcher.run(query());
    await settled();
    expect([port.all("query").length, thread.all("query").length]).toEqual([1, 2]);
  });

  test("are some of those that come while long ones hold all threads", async () => {
    const { clock, dispatcher, port, thread } = await taught();
    void dispatcher.run({ ...query(), body: new Uint8Array(5000) });
    await settled();
    // The thread may soon be free.
    void dispatcher.run(query());
    await settled();
    expect([port.all("query").length, thread.all("query").length]).toEqual([0, 3]);
    await clock.advance(5);
    for (let i = 0; i < BESIDE_COUNT_MAX + 1; i++) void dispatcher.run(query());
    await settled();
    expect(port.all("query")).toHaveLength(BESIDE_COUNT_MAX);
    expect(thread.all("query")).toHaveLength(4);
    // None has its place before one is answered.
    void dispatcher.run(query());
    await settled();
    expect(thread.all("query")).toHaveLength(5);
    await port.say({ kind: "answer", call: port.all("query")[0].call, answer: SHORT });
    void dispatcher.run(query());
    await settled();
    expect(port.all("query")).toHaveLength(BESIDE_COUNT_MAX + 1);
  });

  test("are never explanations or jobs", async () => {
    const { dispatcher, port } = await taught();
    void dispatcher.run({ ...query(), operation: "explain" });
    await settled();
    void dispatcher.run({ ...query(), isJob: true });
    await settled();
    expect(port.all("query")).toEqual([]);
  });

  test("run on another thread where they take longer", async () => {
    const { dispatcher, port, thread } = await taught();
    const outcome = dispatcher.run(query());
    await settled();
    const [{ call, body }] = port.all("query");
    await port.say({ kind: "handed_over", call, body });
    const again = thread.all("query")[1];
    expect(again.body).toEqual(body);
    await thread.say({ kind: "answer", call: again.call, answer: ANSWER });
    expect(await outcome).toEqual({ kind: "answered", answer: ANSWER });
  });

  test("end on the next thread where the server stops before the hand-over", async () => {
    const { dispatcher, port, thread } = await taught();
    void dispatcher.run(query());
    await settled();
    const [{ call, body }] = port.all("query");
    dispatcher.stop();
    await port.say({ kind: "handed_over", call, body });
    const again = thread.all("query")[1];
    expect(thread.all("cancel")).toMatchObject([{ call: again.call, code: "unavailable" }]);
  });

  test("are ended when their clients leave, and let dropped segments go", async () => {
    const { dispatcher, port, thread, released } = await taught();
    const gone = new AbortController();
    const outcome = dispatcher.run({ ...query(), signal: gone.signal });
    await settled();
    const [{ call }] = port.all("query");
    gone.abort();
    expect(port.all("cancel")).toMatchObject([{ call }]);
    await port.say({ kind: "answer", call, answer: ANSWER });
    await outcome;
    dispatcher.publish(
      NAME,
      [{ version: 2, change: { ...added(), dropped: ["a" as SegmentId] } }],
      stateOf(),
    );
    expect(port.all("update")).toMatchObject([{ update: { version: 2 } }]);
    await thread.say({ kind: "applied", instance: INSTANCE, version: 2 });
    expect(released).toEqual([]);
    await port.say({ kind: "applied", instance: INSTANCE, version: 2 });
    expect(released).toEqual([[INSTANCE, 2]]);
  });
});
