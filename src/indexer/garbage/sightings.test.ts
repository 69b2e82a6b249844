import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { objectKey } from "../../storage/object-store.ts";
import { forgetOthers, newGarbageMemory, sighter } from "./sightings.ts";

const [A, B] = [objectKey("a"), objectKey("b")];

test("an object is garbage when it has been seen for the whole grace", async () => {
  const clock = new ManualClock();
  const memory = newGarbageMemory();
  const see = () => {
    const isDue = sighter(memory, { clock, graceMs: 100 });
    return [isDue(A), isDue(A)];
  };
  expect(see()).toEqual([false, false]);
  await clock.advance(99);
  expect(see()).toEqual([false, false]);
  await clock.advance(1);
  expect(see()).toEqual([true, true]);
});

test("one that was reached in between is seen for the first time again", async () => {
  const clock = new ManualClock();
  const memory = newGarbageMemory();
  const isDue = () => sighter(memory, { clock, graceMs: 100 })(A);
  expect(isDue()).toBe(false);
  await clock.advance(90);
  forgetOthers(memory, [B]);
  expect(isDue()).toBe(false);
  await clock.advance(90);
  forgetOthers(memory, [A]);
  expect(isDue()).toBe(false);
  await clock.advance(10);
  expect(isDue()).toBe(true);
});

test("without a grace it is garbage at first sight", () => {
  const isDue = sighter(newGarbageMemory(), { clock: new ManualClock(), graceMs: 0 });
  expect([isDue(A), isDue(B)]).toEqual([true, true]);
});

test("all that is seen in one pass is seen at its start", async () => {
  const clock = new ManualClock();
  const memory = newGarbageMemory();
  const pass = sighter(memory, { clock, graceMs: 100 });
  expect(pass(A)).toBe(false);
  await clock.advance(50);
  expect(pass(B)).toBe(false);
  await clock.advance(50);
  const next = sighter(memory, { clock, graceMs: 100 });
  expect([next(A), next(B)]).toEqual([true, true]);
});
