/**
 * What a query pays for being timed by phase, and one that is slow for being described.
 * Run: `node bench/query-times.bench.ts` (Node >= 24).
 */

import { systemClock } from "../src/base/clock.ts";
import { runSteps } from "../src/base/steps.ts";
import { addPhases, noPhases } from "../src/model/request-stats.ts";
import { requestShape } from "../src/query/planner/request-shape.ts";
import { PhaseTimes } from "../src/threads/query/turns/phase-times.ts";
import { UnknownMembers } from "../src/wire/json/unknown-members.ts";
import { parseQueryBody } from "../src/wire/query/parse-query.ts";

const ROUNDS = 200_000;
const sum = noPhases();

/** As of a query that reads nothing: a start, three changes, and its end. */
function timeQuery(): void {
  const arrivedMs = systemClock.monotonicMs();
  const passed = () => systemClock.monotonicMs() - arrivedMs;
  const times = new PhaseTimes(0, { totalMs: passed, workedMs: passed });
  times.begin("search");
  times.begin("plan");
  times.begin("search");
  times.begin("serialize");
  addPhases(sum, times.read());
}

const condition = (i: number) => [`a${i % 8}`, "In", ["x", "y", `z${i}`]];
const body = {
  rank_by: ["vector", "ANN", Array.from({ length: 768 }, (_, i) => i / 768)],
  filters: [
    "And",
    [
      ["Or", Array.from({ length: 100 }, (_, i) => condition(i))],
      ["n", "Lt", 7],
    ],
  ],
  limit: 10,
};
const names = ["vector", "n", ...Array.from({ length: 8 }, (_, i) => `a${i}`)];
const attributes = new Map(names.map((name) => [name, undefined as never]));
const bytes = new Uint8Array(Buffer.from(JSON.stringify(body)));
const request = runSteps(parseQueryBody(bytes, new UnknownMembers({ isStrict: true })));

/** Processor time, the median of nine: others may have the machine meanwhile. */
function nsPerRound(run: () => void, rounds: number): number {
  const runs = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    for (let i = 0; i < rounds; i++) run();
    return (process.cpuUsage(before).user * 1000) / rounds;
  });
  return runs.sort((a, b) => a - b)[4];
}

const timed = nsPerRound(timeQuery, ROUNDS);
const shaped = nsPerRound(() => requestShape(request, { attributes }), ROUNDS / 100);
process.stdout.write(`timed by phase: ${Math.round(timed)} ns a query\n`);
process.stdout.write(`shape of 102 conditions: ${(shaped / 1000).toFixed(1)} µs\n`);
