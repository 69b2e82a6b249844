import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { namespaceName } from "../../base/ids.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { RecallOutcome, RecallSample } from "../thread-messages.ts";
import { RecallSampler, SAMPLES_WAITING_MAX } from "./recall-sampler.ts";

function sampler() {
  const clock = new ManualClock();
  const running: { sample: RecallSample; end: (outcome: RecallOutcome) => void }[] = [];
  const sampled = new RecallSampler({
    clock,
    measure: (sample, signal) => {
      const { promise, resolve } = Promise.withResolvers<RecallOutcome>();
      running.push({ sample, end: resolve });
      signal.addEventListener("abort", () => resolve({ kind: "failed" }));
      return promise;
    },
  });
  const add = (topK: number) =>
    sampled.add({
      namespace: namespaceName("n"),
      instance: "n/1/1" as NamespaceInstance,
      request: { topK } as RecallSample["request"],
    });
  return {
    clock,
    add,
    sampled,
    /** What is or was measured. */
    begun: () => running.map(({ sample }) => sample.request.topK),
    end: async (outcome: RecallOutcome) => {
      running.at(-1)?.end(outcome);
      await clock.advance(0);
      // Who rests for no time wakes then.
      await clock.advance(0);
    },
    counts: () =>
      Object.fromEntries(
        sampled.metrics().map(({ name, labels, value }) => [labels?.outcome ?? name, value]),
      ),
  };
}

test("one sample is measured at a time, with rests of nine times what it took", async () => {
  const { clock, add, begun, end, counts } = sampler();
  for (const topK of [1, 2, 3]) add(topK);
  await clock.advance(10);
  expect(begun()).toEqual([1]);
  await end({ kind: "measured", recall: 0.9 });
  await clock.advance(89);
  expect(begun()).toEqual([1]);
  await clock.advance(1);
  expect(begun()).toEqual([1, 2]);
  await end({ kind: "skipped" });
  expect(begun()).toEqual([1, 2, 3]);
  await end({ kind: "failed" });
  add(4);
  await end({ kind: "measured", recall: 0.75 });
  const outcomes = { measured: 2, skipped: 1, failed: 1, dropped: 0 };
  expect(counts()).toEqual({ ...outcomes, trawl_recall_sum_total: 1.65 });
});

test("what the queue has no room for is dropped and counted", async () => {
  const { add, begun, end, counts } = sampler();
  for (let topK = 0; topK < SAMPLES_WAITING_MAX + 4; topK++) add(topK);
  expect(counts().dropped).toBe(3);
  await end({ kind: "measured", recall: 1 });
  expect(begun()).toEqual([0, 1]);
  add(99);
  expect(counts()).toMatchObject({ dropped: 3, measured: 1 });
});

test("a stop ends what is measured, and the rest is not begun", async () => {
  const { add, sampled, begun, clock } = sampler();
  for (const topK of [1, 2]) add(topK);
  sampled.stop();
  add(3);
  await clock.advance(1e6);
  expect(begun()).toEqual([1]);
});

test("a stop ends the rest, too", async () => {
  const { add, sampled, begun, end, clock } = sampler();
  for (const topK of [1, 2]) add(topK);
  await clock.advance(10);
  await end({ kind: "measured", recall: 1 });
  sampled.stop();
  await clock.advance(1e6);
  expect(begun()).toEqual([1]);
});
