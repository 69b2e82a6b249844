import { expect, test } from "vitest";
import { MultilevelTurns } from "./multilevel-turns.ts";

/** Runs members of so much work each, in turns of 1, until all have ended; tells when each did. */
function ends(turns: MultilevelTurns<string>, work: Readonly<Record<string, number>>) {
  const left = new Map(Object.entries(work));
  for (const member of left.keys()) turns.add(member);
  const ended: Record<string, number> = {};
  for (let now = 1; turns.size > 0; now++) {
    const next = turns.next() ?? "nobody";
    turns.charge(next, 1);
    left.set(next, (left.get(next) ?? 0) - 1);
    if (left.get(next) !== 0) continue;
    turns.remove(next);
    ended[next] = now;
  }
  return ended;
}

test("short members share alike", () => {
  const ended = ends(new MultilevelTurns(100, 1), { a: 50, b: 50, c: 50, d: 10 });
  expect(ended.d).toBeLessThanOrEqual(40);
  expect(Math.min(ended.a, ended.b, ended.c)).toBeGreaterThan(150);
});

test("of many that are long and alike the first end early", () => {
  const members = Array.from({ length: 12 }, (_, i) => `m${i}`);
  const ended = ends(new MultilevelTurns(10, 1), Object.fromEntries(members.map((m) => [m, 1000])));
  const times = members.map((member) => ended[member]).toSorted((a, b) => a - b);
  expect(times[0]).toBeLessThan(6000);
  expect(times[5]).toBeLessThan(9000);
  expect(times[11]).toBe(12_000);
});

test("one never waits for another that is much longer", () => {
  const ended = ends(new MultilevelTurns(10, 1), { long: 100_000, a: 5, b: 100, c: 1000 });
  expect(ended.a).toBeLessThanOrEqual(20);
  expect(ended.b).toBeLessThanOrEqual(400);
  expect(ended.c).toBeLessThanOrEqual(3000);
});

test("what a member has used before it came counts", () => {
  const turns = new MultilevelTurns<string>(10, 1);
  turns.add("first", 25);
  turns.add("second", 25);
  turns.charge("first", 5);
  expect(turns.next()).toBe("first");
  turns.add("new");
  expect(turns.next()).toBe("new");
});

test("whoever leaves is forgotten", () => {
  const turns = new MultilevelTurns<string>(10, 1);
  turns.add("a");
  turns.add("b");
  turns.charge("a", 25);
  turns.charge("b", 35);
  turns.remove("a");
  turns.remove("a");
  expect(turns.next()).toBe("b");
  turns.remove("b");
  expect(turns.size).toBe(0);
  expect(turns.next()).toBeUndefined();
  turns.charge("b", 1);
  expect(turns.size).toBe(0);
});
