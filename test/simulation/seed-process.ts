/**
 * Runs seeds one after the other in a process of its own and sends what became of each to its
 * parent. Arguments: the first seed, how many, and the distance between two.
 */

import { flushCompileCache } from "node:module";
import { type SimulationResult, simulate } from "./simulate.ts";

const [first, count, stride] = process.argv.slice(2).map(Number);

/** Promises that failed and nobody heard of: a bug of whatever ran. */
const unheard: string[] = [];
process.on("unhandledRejection", (reason) => {
  unheard.push(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
});
process.on("disconnect", () => process.exit());

for (let i = 0; i < count; i++) {
  const result = await simulate(first + i * stride);
  // A parent that has seen enough kills this process, which then saves no compiled code.
  if (i === 0) flushCompileCache();
  const alarms = unheard.splice(0).map((what) => `nobody hears of: ${what}`);
  await tell({ ...result, faults: [...result.faults, ...alarms] });
}
process.disconnect();

function tell(result: SimulationResult): Promise<void> {
  return new Promise((resolve) => process.send?.(result, undefined, {}, () => resolve()));
}
