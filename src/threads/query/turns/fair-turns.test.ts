import { expect, test } from "vitest";
import { FairTurns } from "./fair-turns.ts";

/** Lets members use `used` each in turn, so many times; counts their turns. */
function turnsOf(turns: FairTurns<string>, count: number, used = 1): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const next = turns.next() ?? "nobody";
    counts.set(next, (counts.get(next) ?? 0) + 1);
    turns.charge(next, used);
  }
  return counts;
}

test("members use as much as each other", () => {
  const turns = new FairTurns<string>(1);
  turns.add("a");
  turns.add("b");
  turns.add("c");
  expect(turnsOf(turns, 300)).toEqual(new Map(Object.entries({ a: 100, b: 100, c: 100 })));
  turns.remove("b");
  turns.remove("b");
  expect(turns.size).toBe(2);
  const counts = turnsOf(turns, 100);
  expect(Math.abs((counts.get("a") ?? 0) - (counts.get("c") ?? 0))).toBeLessThanOrEqual(2);
});

test("whoever comes goes next, and gets no more than its share for having been away", () => {
  const turns = new FairTurns<string>(1);
  turns.add("old");
  turnsOf(turns, 1000);
  turns.add("new");
  expect(turns.next()).toBe("new");
  const counts = turnsOf(turns, 100);
  expect(counts.get("old")).toBeGreaterThanOrEqual(49);
});

test("a new flow goes next, also if another flow has used very much at once", () => {
  const turns = new FairTurns<string>(1);
  const others = Array.from({ length: 9 }, (_, i) => `other ${i}`);
  for (const other of others) turns.add(other);
  turnsOf(turns, 50);
  turns.charge("other 3", 100);
  for (let i = 0; i < 20; i++) {
    turns.add("new");
    expect(turns.next()).toBe("new");
    turns.charge("new", 0.3);
    turns.remove("new");
    turnsOf(turns, 3);
  }
});

test("a stream of short ones does not starve a long one", () => {
  const turns = new FairTurns<string>(1);
  turns.add("long");
  let longTurns = 0;
  for (let i = 0; i < 1000; i++) {
    const short = `short ${i}`;
    turns.add(short);
    while (turns.next() === "long") {
      turns.charge("long", 5);
      longTurns++;
    }
    turns.charge(short, 1);
    turns.remove(short);
  }
  expect(longTurns).toBeGreaterThan(90);
});

test("nobody is next where nobody is", () => {
  const turns = new FairTurns<string>(1);
  expect(turns.next()).toBeUndefined();
  turns.charge("nobody", 1);
  expect(turns.size).toBe(0);
});
