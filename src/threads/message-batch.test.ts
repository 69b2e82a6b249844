import type { Transferable } from "node:worker_threads";
import { expect, test } from "vitest";
import { FakePort } from "../../test/support/engine/fake-port.ts";
import type { Clock } from "../base/clock.ts";
import { batchingPort, MessageBatch } from "./message-batch.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands where the test puts it. */
function standingClock(): Clock & { ms: number } {
  const clock = {
    ms: 0,
    nowMs: () => clock.ms,
    monotonicMs: () => clock.ms,
    sleep: () => Promise.resolve(),
    every: () => () => {},
  };
  return clock;
}

test("the first message goes at once, those right after it together, in order", async () => {
  const clock = standingClock();
  const sent: (readonly number[])[] = [];
  const batch = new MessageBatch<number>(clock, (messages) => sent.push(messages));
  for (const message of [1, 2, 3]) batch.add(message);
  expect(sent).toEqual([[1]]);
  await turn();
  expect(sent).toEqual([[1], [2, 3]]);
});

test("a message that comes late takes those that wait with it", async () => {
  const clock = standingClock();
  const sent: (readonly number[])[] = [];
  const batch = new MessageBatch<number>(clock, (messages) => sent.push(messages));
  batch.add(1);
  batch.add(2);
  clock.ms = 10;
  batch.add(3);
  expect(sent).toEqual([[1], [2, 3]]);
  await turn();
  expect(sent).toHaveLength(2);
});

test("buffers move with their messages", () => {
  const moved: (readonly Transferable[])[] = [];
  const batch = new MessageBatch<string>(standingClock(), (_messages, transfer) =>
    moved.push(transfer),
  );
  const buffer = new ArrayBuffer(8);
  batch.add("a", [buffer]);
  expect(moved).toEqual([[buffer]]);
});

test("a port over batches hears and speaks single messages", async () => {
  const inner = new FakePort<readonly number[], readonly string[]>();
  const port = batchingPort<number, string>(inner, standingClock());
  const heard: string[] = [];
  port.listen((message) => heard.push(message));
  await inner.say(["a", "b"]);
  for (const message of [1, 2, 3]) port.post(message);
  await turn();
  expect(heard).toEqual(["a", "b"]);
  expect(inner.sent).toEqual([[1], [2, 3]]);
});
