import { expect, test } from "vitest";
import { runBounded } from "./run-bounded.ts";

const NEVER = new AbortController().signal;

test("answers are in the order of the items, and no more than allowed are under way", async () => {
  let underWay = 0;
  let most = 0;
  const told: number[] = [];
  const work = async (item: number) => {
    most = Math.max(most, ++underWay);
    for (let turn = 0; turn < 10 - item; turn++) await Promise.resolve();
    underWay--;
    return item * 2;
  };
  const options = { atOnce: 3, signal: NEVER, onDone: (done: number) => told.push(done) };
  expect(await runBounded([0, 1, 2, 3, 4, 5, 6], work, options)).toEqual([0, 2, 4, 6, 8, 10, 12]);
  expect(most).toBe(3);
  expect(told).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await runBounded([], work, options)).toEqual([]);
});

test("the first failure is told, and nothing is begun afterwards", async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 1) throw new Error("no");
  };
  const items = Array.from({ length: 50 }, (_, i) => i);
  await expect(runBounded(items, work, { atOnce: 2, signal: NEVER })).rejects.toThrow("no");
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  expect(begun.length).toBeLessThan(5);
});

test("a signal ends it", async () => {
  const ended = new AbortController();
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    if (item === 2) ended.abort();
  };
  const run = runBounded([1, 2, 3, 4], work, { atOnce: 1, signal: ended.signal });
  await expect(run).rejects.toThrow(/abort/i);
  expect(begun).toEqual([1, 2]);
});
