import { describe, expect, test } from "vitest";
import {
  ANSWER,
  added,
  dispatcherOf,
  query,
  stateOf,
} from "../../../test/support/engine/dispatcher-fixture.ts";
import { settled } from "../../../test/support/engine/fake-port.ts";
import { KIB } from "../../base/byte-sizes.ts";
import { namespaceName } from "../../base/ids.ts";
import { QUERY_SLOT_WAIT_MS_MAX, QUERY_SLOTS } from "../../model/contract-limits.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";

describe("slots", () => {
  test("as many queries of a namespace run as there are slots, the next is refused", async () => {
    const { clock, threads, dispatcher } = dispatcherOf(2);
    const running = Array.from({ length: QUERY_SLOTS }, () => dispatcher.run(query()));
    const late = dispatcher.run(query());
    const refusal = expect(late).rejects.toMatchObject({ code: "overloaded" });
    await settled();
    const sent = () => threads.flatMap((thread) => thread.all("query"));
    expect(sent()).toHaveLength(QUERY_SLOTS);
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
    await refusal;
    for (const thread of threads) {
      for (const { call } of thread.all("query")) {
        await thread.say({ kind: "answer", call, answer: ANSWER });
      }
    }
    const outcomes = await Promise.all(running);
    expect(outcomes.every(({ kind }) => kind === "answered")).toBe(true);
  });

  test("other namespaces have slots of their own", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const other = namespaceName("books");
    dispatcher.publish(
      other,
      [{ version: 1, change: added("x") }],
      stateOf(false, "books/1/2" as NamespaceInstance),
    );
    for (let i = 0; i <= QUERY_SLOTS; i++) void dispatcher.run(query()).catch(() => {});
    void dispatcher.run(query(other));
    await settled();
    const names = threads[0].all("query").map(({ namespace }) => namespace);
    expect(names.filter((name) => name === other)).toHaveLength(1);
  });

  test("a query that weighs more is admitted when the slots are there", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const [thread] = threads;
    for (let i = 0; i < QUERY_SLOTS; i++) void dispatcher.run(query());
    await settled();
    const [first, second, third, fourth, fifth] = thread.all("query");
    await thread.say({ kind: "weight", call: first.call, weight: 4 });
    expect(thread.all("admitted")).toEqual([]);
    for (const { call } of [second, third, fourth]) {
      await thread.say({ kind: "answer", call, answer: ANSWER });
    }
    expect(thread.all("admitted")).toEqual([{ kind: "admitted", call: first.call }]);
    // The query holds all four slots: another of the same weight waits.
    await thread.say({ kind: "weight", call: fifth.call, weight: 4 });
    expect(thread.all("admitted")).toHaveLength(1);
    await thread.say({ kind: "answer", call: first.call, answer: ANSWER });
    expect(thread.all("admitted")).toHaveLength(2);
  });

  test("sixteen heavy queries do not wait for each other for ever", async () => {
    const { threads, dispatcher } = dispatcherOf(1);
    const [thread] = threads;
    const running = Array.from({ length: QUERY_SLOTS }, () => dispatcher.run(query()));
    await settled();
    for (const { call } of thread.all("query")) {
      await thread.say({ kind: "weight", call, weight: 4 });
    }
    for (let done = 0; done < QUERY_SLOTS; done++) {
      const { call } = thread.all("admitted")[done];
      await thread.say({ kind: "answer", call, answer: ANSWER });
    }
    await Promise.all(running);
  });

  test("one that waits too long for its weight is told so and gives nothing back", async () => {
    const { clock, threads, dispatcher } = dispatcherOf(1);
    const [thread] = threads;
    const outcomes = Array.from({ length: QUERY_SLOTS }, () => dispatcher.run(query()));
    await settled();
    const calls = thread.all("query").map(({ call }) => call);
    await thread.say({ kind: "weight", call: calls[0], weight: 4 });
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
    const [refused] = thread.all("refused");
    expect(refused).toMatchObject({ call: calls[0], retryAfterMs: QUERY_SLOT_WAIT_MS_MAX });
    for (const call of calls) await thread.say({ kind: "answer", call, answer: ANSWER });
    await Promise.all(outcomes);
    for (let i = 0; i < QUERY_SLOTS * 2; i++) void dispatcher.run(query()).catch(() => {});
    await settled();
    expect(thread.all("query")).toHaveLength(2 * QUERY_SLOTS);
  });

  test("what a query waited for its first slot counts when it waits for more", async () => {
    const { clock, threads, dispatcher } = dispatcherOf(1);
    const [thread] = threads;
    for (let i = 0; i <= QUERY_SLOTS; i++) void dispatcher.run(query()).catch(() => {});
    await settled();
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX - 100);
    await thread.say({ kind: "answer", call: thread.all("query")[0].call, answer: ANSWER });
    const { call } = thread.all("query")[QUERY_SLOTS];
    await thread.say({ kind: "weight", call, weight: 4 });
    await clock.advance(99);
    expect(thread.all("refused")).toEqual([]);
    await clock.advance(1);
    expect(thread.all("refused")).toMatchObject([{ call }]);
  });
});

test("a query with a large body counts for several", async () => {
  const { threads, dispatcher } = dispatcherOf(2);
  void dispatcher.run({ ...query(), body: new Uint8Array(256 * KIB) });
  for (let i = 0; i < 4; i++) void dispatcher.run(query());
  await settled();
  expect(threads.map((thread) => thread.all("query").length)).toEqual([1, 4]);
});
