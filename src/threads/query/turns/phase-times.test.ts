import { expect, test } from "vitest";
import { QUERY_PHASES } from "../../../model/request-stats.ts";
import { PhaseTimes } from "./phase-times.ts";

test("work and waits count for their phases, and what is left is a wait", () => {
  const now = { total: 5, worked: 0 };
  const times = new PhaseTimes(5, { totalMs: () => now.total, workedMs: () => now.worked });
  const pass = (worked: number, waited: number) => {
    now.worked += worked;
    now.total += worked + waited;
  };
  pass(1, 0);
  times.begin("plan");
  pass(2, 3);
  times.beginWait("read");
  pass(0, 10);
  times.endWait();
  times.begin("plan");
  pass(2, 0);
  times.begin("search");
  pass(20, 4);
  times.begin("serialize");
  pass(6, 0);
  const phases = times.read();
  expect(phases).toEqual({
    queue: 5,
    parse: 1,
    embed: 0,
    plan: 4,
    read: 10,
    search: 20,
    rerank: 0,
    serialize: 6,
    wait: 7,
  });
  expect(Object.keys(phases)).toEqual([...QUERY_PHASES]);
  expect(Object.values(phases).reduce((sum, ms) => sum + ms)).toBe(now.total);
});

test("a wait that goes on is told as far as it has come, also twice", () => {
  const now = { total: 0, worked: 0 };
  const times = new PhaseTimes(0, { totalMs: () => now.total, workedMs: () => now.worked });
  times.beginWait("embed");
  now.total = 8;
  expect(times.read()).toMatchObject({ embed: 8, wait: 0 });
  now.total = 11;
  expect(times.read()).toMatchObject({ embed: 11, wait: 0 });
  times.endWait();
  times.endWait();
  now.total = 12;
  expect(times.read()).toMatchObject({ embed: 11, wait: 1 });
});
