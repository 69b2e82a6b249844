import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { awaitIndexes } from "./await-indexes.ts";
import type { Namespace } from "./namespace.ts";

const FEW = 100;

/** Whether a write would still wait, for an index that lacks so many documents. */
function waitingFor(...lacking: number[]) {
  const clock = new ManualClock();
  const indexed = Promise.withResolvers<void>();
  const builds = lacking.map((count) => ({ documentsDone: 5, documentsTotal: 5 + count }));
  const namespace = { state: () => ({ builds }), whenIndexed: () => indexed.promise };
  let isWaiting = true;
  const thresholds = { indexInlineDocumentsMax: FEW };
  void awaitIndexes(namespace as unknown as Namespace, { clock, thresholds }).then(() => {
    isWaiting = false;
  });
  const waits = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return isWaiting;
  };
  return { clock, indexed: () => indexed.resolve(), waits };
}

test("a write waits until an index of few documents is there", async () => {
  const { waits, indexed, clock } = waitingFor(FEW, 1);
  expect(await waits()).toBe(true);
  await clock.advance(1_000);
  expect(await waits()).toBe(true);
  indexed();
  expect(await waits()).toBe(false);
});

test("it does not wait for an index of many, nor for none", async () => {
  expect(await waitingFor(FEW + 1, 1).waits()).toBe(false);
  expect(await waitingFor().waits()).toBe(false);
});

test("it goes on where nobody builds the index", async () => {
  const { waits, clock } = waitingFor(FEW);
  await clock.advance(60_000);
  expect(await waits()).toBe(false);
});
