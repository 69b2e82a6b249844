import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { QUERY_SLOT_WAIT_MS_MAX } from "../../model/contract-limits.ts";
import { LargeBodies } from "./large-bodies.ts";

function open() {
  const clock = new ManualClock();
  const bodies = new LargeBodies(clock, 60 * MIB);
  const entered: string[] = [];
  /** Begins work on a body; returns how to end it. */
  const enter = (name: string, mib: number, signal?: AbortSignal) => {
    const work = Promise.withResolvers<void>();
    const begun = () => {
      entered.push(name);
      return work.promise;
    };
    bodies
      .during(mib * MIB, begun, signal)
      .catch((error: { code: string }) => void entered.push(`${name}: ${error.code}`));
    return work.resolve;
  };
  return { clock, entered, enter };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("bodies enter in order while there is room, and one alone whatever its size", async () => {
  const { entered, enter } = open();
  const endLargest = enter("largest", 64);
  const endSecond = enter("second", 50);
  enter("third", 15);
  await settle();
  expect(entered).toEqual(["largest"]);
  endLargest();
  await settle();
  expect(entered).toEqual(["largest", "second"]);
  endSecond();
  await settle();
  expect(entered).toEqual(["largest", "second", "third"]);
});

test("small ones do not wait", async () => {
  const { entered, enter } = open();
  enter("largest", 64);
  await settle();
  enter("large", 2);
  enter("small", 1);
  await settle();
  expect(entered).toEqual(["largest", "small"]);
});

test("one without room in time is refused, one whose client leaves waits no more", async () => {
  const { clock, entered, enter } = open();
  const client = new AbortController();
  const endFirst = enter("first", 40);
  enter("second", 30);
  enter("left", 30, client.signal);
  await settle();
  client.abort();
  await settle();
  expect(entered).toEqual(["first", "left: unavailable"]);
  await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
  await settle();
  expect(entered).toEqual(["first", "left: unavailable", "second: overloaded"]);
  endFirst();
  enter("third", 30);
  await settle();
  expect(entered.at(-1)).toBe("third");
});
