import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { waitAtMost, withinTime } from "./within-time.ts";

const bound = { ms: 1_000, late: () => new Error("late") };

test("what is done in time is what it was", async () => {
  const clock = new ManualClock();
  expect(await withinTime(clock, Promise.resolve(7), bound)).toBe(7);
  await expect(withinTime(clock, Promise.reject(new Error("no")), bound)).rejects.toThrow("no");
  await clock.advance(2_000);
  clock.tick();
});

test("what is late throws, and what becomes of it is dropped", async () => {
  const clock = new ManualClock();
  const work = Promise.withResolvers<number>();
  const waiting = expect(withinTime(clock, work.promise, bound)).rejects.toThrow("late");
  await clock.advance(999);
  clock.tick();
  await clock.advance(1);
  clock.tick();
  await waiting;
  work.reject(new Error("dropped"));
  await clock.advance(1);
});

test("a bounded wait ends with the work or with its time, and leaves no timer", async () => {
  const clock = new ManualClock();
  const signals: (AbortSignal | undefined)[] = [];
  const noting = {
    sleep: (ms: number, signal?: AbortSignal) => {
      signals.push(signal);
      return clock.sleep(ms, signal);
    },
  };
  await waitAtMost(noting, Promise.resolve(), 1_000);
  await expect(waitAtMost(noting, Promise.reject(new Error("no")), 1_000)).rejects.toThrow("no");
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  const waiting = waitAtMost(clock, new Promise(() => {}), 1_000);
  await clock.advance(1_000);
  await waiting;
});
