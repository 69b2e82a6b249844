import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { namespaceName } from "../../base/ids.ts";
import { QUERY_SLOT_WAIT_MS_MAX, QUERY_SLOTS } from "../../model/contract-limits.ts";
import { QUERIES_IN_FLIGHT_MAX, QueryAdmission } from "./query-admission.ts";

const NAME = namespaceName("movies");

function open() {
  const clock = new ManualClock();
  const admission = new QueryAdmission(clock, 60 * MIB);
  const entered: string[] = [];
  /** Begins work on a body; returns how to end it. */
  const enter = (name: string, mib: number, signal?: AbortSignal) => {
    const work = Promise.withResolvers<void>();
    const begun = () => {
      entered.push(name);
      return work.promise;
    };
    admission
      .enter({ bodyBytes: mib * MIB, signal }, begun)
      .catch((error: { code: string }) => void entered.push(`${name}: ${error.code}`));
    return work.resolve;
  };
  return { clock, admission, entered, enter };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("large bodies", () => {
  test("enter in order while there is room, and one alone whatever its size", async () => {
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
});

test("queries are refused above the number that may be in flight, and counted out", async () => {
  const { admission, enter, entered } = open();
  expect(admission.isIdle).toBe(true);
  const ends = Array.from({ length: QUERIES_IN_FLIGHT_MAX }, () => enter("small", 0));
  enter("late", 0);
  await settle();
  expect(entered.filter((name) => name === "small")).toHaveLength(QUERIES_IN_FLIGHT_MAX);
  expect(entered.at(-1)).toBe("late: overloaded");
  let isDrained = false;
  void admission.drained().then(() => {
    isDrained = true;
  });
  for (const [i, end] of ends.entries()) {
    expect(isDrained).toBe(false);
    end();
    if (i === ends.length - 1) await settle();
  }
  expect([isDrained, admission.isIdle]).toEqual([true, true]);
});

describe("slots of a namespace", () => {
  /** How many queries could have a slot now, each of weight 1. */
  async function freeSlots(admission: QueryAdmission): Promise<number> {
    const left = new AbortController();
    const held: { release(): void }[] = [];
    const asked = Array.from({ length: QUERY_SLOTS + 1 }, () =>
      admission.slot(NAME, left.signal).then(
        (slots) => held.push(slots),
        () => 0,
      ),
    );
    await settle();
    const count = held.length;
    left.abort();
    await Promise.all(asked);
    for (const slots of held) slots.release();
    return count;
  }

  test("are exchanged by weight, and all released", async () => {
    const { admission } = open();
    const slots = await admission.slot(NAME);
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS - 1);
    await slots.exchange(4);
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS - 4);
    await slots.exchange(2);
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS - 2);
    slots.release();
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS);
  });

  test("that are granted after the end of their query are released", async () => {
    const { admission } = open();
    const slots = await admission.slot(NAME);
    const other = await admission.slot(NAME);
    await other.exchange(QUERY_SLOTS - 1);
    const exchanged = slots.exchange(4);
    slots.release();
    other.release();
    await exchanged;
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS);
  });

  test("of a query that was refused do not make the namespace forget those of others", async () => {
    const { clock, admission } = open();
    const refused = await admission.slot(NAME);
    const other = await admission.slot(NAME);
    await other.exchange(QUERY_SLOTS - 1);
    const exchanged = expect(refused.exchange(4)).rejects.toMatchObject({ code: "overloaded" });
    await clock.advance(QUERY_SLOT_WAIT_MS_MAX);
    await exchanged;
    // The namespace is idle now, though the refused query has not ended.
    other.release();
    const next = await admission.slot(NAME);
    refused.release();
    expect(await freeSlots(admission)).toBe(QUERY_SLOTS - 1);
    next.release();
  });
});
