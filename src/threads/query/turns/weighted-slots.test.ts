import { expect, test } from "vitest";
import type { Clock } from "../../../base/clock.ts";
import { QUERY_SLOTS } from "../../../model/contract-limits.ts";
import { WeightedSlots } from "./weighted-slots.ts";

/** A clock whose sleeps end when the test says so. */
function manualClock(): { clock: Clock; expire: () => void } {
  const sleeping: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        sleeping.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
    every: () => () => {},
  };
  return { clock, expire: () => sleeping.splice(0).forEach((wake) => void wake()) };
}

function slotsOf(clock: Clock): WeightedSlots {
  return new WeightedSlots(QUERY_SLOTS, { clock, refusal: () => "too many" });
}

test("queries run at once up to the number of slots, the next waits for a release", async () => {
  const { clock } = manualClock();
  const slots = slotsOf(clock);
  for (let i = 0; i < QUERY_SLOTS / 4; i++) await slots.acquire(4);
  let granted = false;
  const waiting = slots.acquire(2).then(() => {
    granted = true;
  });
  await Promise.resolve();
  expect(granted).toBe(false);
  slots.release(4);
  await waiting;
  expect(granted).toBe(true);
});

test("a query that waits too long is refused with the time after which to retry", async () => {
  const { clock, expire } = manualClock();
  const slots = slotsOf(clock);
  await slots.acquire(QUERY_SLOTS);
  const refused = slots.acquire(1);
  expire();
  await expect(refused).rejects.toMatchObject({ code: "overloaded", retryAfterMs: 800 });
  slots.release(QUERY_SLOTS);
  expect(slots.idle).toBe(true);
});

test("a heavy query at the head of the line is not overtaken by light ones", async () => {
  const { clock } = manualClock();
  const slots = slotsOf(clock);
  await slots.acquire(QUERY_SLOTS - 1);
  const order: string[] = [];
  const heavy = slots.acquire(4).then(() => order.push("heavy"));
  const light = slots.acquire(1).then(() => order.push("light"));
  slots.release(QUERY_SLOTS - 1);
  await Promise.all([heavy, light]);
  expect(order).toEqual(["heavy", "light"]);
});
