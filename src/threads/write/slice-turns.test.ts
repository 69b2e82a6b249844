import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { Slices } from "../../base/slices.ts";
import type { Steps } from "../../base/steps.ts";
import { SliceTurns } from "./slice-turns.ts";

/** Longer than any slice is meant to be. */
const LONG_STEP_MS = 20;
/** Milliseconds of one step; sums of such numbers are exact. */
const SLICE_MS = 0.25;

/** A thread whose time runs only while requests work. */
function thread() {
  let nowMs = 0;
  let turns = 0;
  const heard: (() => void)[] = [];
  const nextTurn = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        turns++;
        for (const message of heard.splice(0)) message();
        resolve();
      });
    });
  const slices = new SliceTurns(nextTurn);
  /** Flows by the slices that they had. */
  const served: string[] = [];
  function* work(flow: string, stepsMs: Iterable<number>): Steps<void> {
    for (const ms of stepsMs) {
      served.push(flow);
      nowMs += ms;
      yield;
    }
  }
  return {
    served,
    turnCount: () => turns,
    nowMs: () => nowMs,
    heard: () => new Promise<void>((resolve) => void heard.push(resolve)),
    run: (flow: string, stepsMs: Iterable<number>) =>
      new Slices({
        clock: { monotonicMs: () => nowMs },
        flow,
        yield: (use) => (use === undefined ? nextTurn() : slices.wait(use)),
      }).run(work(flow, stepsMs)),
  };
}

function* without<T>(end: () => boolean, next: () => T): Generator<T> {
  while (!end()) yield next();
}

test("a turn of the event loop has one slice, however many large requests wait", async () => {
  const { served, run, heard } = thread();
  let isOver = false;
  const large = Array.from({ length: 20 }, (_, i) =>
    run(
      `large ${i}`,
      without(
        () => isOver,
        () => SLICE_MS,
      ),
    ),
  );
  await heard();
  served.length = 0;
  for (let turn = 0; turn < 100; turn++) await heard();
  expect(served.length).toBeLessThanOrEqual(101);
  const counts = large.map((_, i) => served.filter((flow) => flow === `large ${i}`).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  isOver = true;
  await Promise.all(large);
});

test("a small request has the next slice, however long the steps of others are", async () => {
  const { served, run, heard } = thread();
  const random = testRandom();
  let isOver = false;
  const large = Array.from({ length: 9 }, (_, i) =>
    run(
      `large ${i}`,
      without(
        () => isOver,
        () => (random.below(20) === 0 ? LONG_STEP_MS : SLICE_MS / 2),
      ),
    ),
  );
  for (let round = 0; round < 200; round++) {
    for (let turn = 20 + random.below(20); turn > 0; turn--) await heard();
    const before = served.length;
    // The write needs a second slice.
    await run("small", [SLICE_MS, SLICE_MS / 2]);
    const [first, second] = [0, 1].map((nth) => served.indexOf("small", before + nth));
    expect([first, second]).toEqual([before, before + 1]);
  }
  isOver = true;
  await Promise.all(large);
});

test("one namespace has its share, however many large requests it gets", async () => {
  const { served, run, heard } = thread();
  let isOver = false;
  const steps = () =>
    without(
      () => isOver,
      () => SLICE_MS,
    );
  const all = ["a", "b", "b", "b", "b"].map((flow) => run(flow, steps()));
  await heard();
  served.length = 0;
  for (let turn = 0; turn < 400; turn++) await heard();
  const share = served.filter((flow) => flow === "a").length / served.length;
  expect(share).toBeGreaterThan(0.48);
  expect(share).toBeLessThan(0.52);
  isOver = true;
  await Promise.all(all);
});

test("requests of ever new namespaces do not keep a large one waiting", async () => {
  const { served, run, heard } = thread();
  let isOver = false;
  const large = run(
    "large",
    without(
      () => isOver,
      () => SLICE_MS,
    ),
  );
  const small: Promise<void>[] = [];
  for (let turn = 0; turn < 1000; turn++) {
    await heard();
    if (turn % 2 === 0) small.push(run(`small ${turn}`, [SLICE_MS, SLICE_MS / 2]));
  }
  const share = served.filter((flow) => flow === "large").length / served.length;
  expect(share).toBeGreaterThan(0.15);
  isOver = true;
  await Promise.all([large, ...small]);
});
