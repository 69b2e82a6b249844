import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../model/contract-limits.ts";
import { LargeBodies } from "./large-bodies.ts";

function open() {
  const clock = new ManualClock();
  const bodies = new LargeBodies(clock, 60 * MIB);
  const entered: string[] = [];
  const enter = (name: string, mib: number) =>
    bodies.enter(mib * MIB).then(
      () => void entered.push(name),
      (error: { code: string }) => void entered.push(`${name}: ${error.code}`),
    );
  return { clock, bodies, entered, enter };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("bodies enter in order while there is room, and one alone whatever its size", async () => {
  const { bodies, entered, enter } = open();
  void enter("largest", 64);
  void enter("second", 50);
  void enter("third", 15);
  await settle();
  expect(entered).toEqual(["largest"]);
  bodies.leave(64 * MIB);
  await settle();
  expect(entered).toEqual(["largest", "second"]);
  bodies.leave(50 * MIB);
  await settle();
  expect(entered).toEqual(["largest", "second", "third"]);
});

test("one that finds no room in time is refused", async () => {
  const { clock, bodies, entered, enter } = open();
  void enter("first", 40);
  void enter("second", 30);
  await settle();
  await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
  await settle();
  expect(entered).toEqual(["first", "second: overloaded"]);
  bodies.leave(40 * MIB);
  void enter("third", 30);
  await settle();
  expect(entered).toEqual(["first", "second: overloaded", "third"]);
});
