/**
 * `npm run simulate -- --seeds 1000 [--first 1]`: runs simulated clusters (docs/testing.md) on all
 * cores and prints which seeds break promises, with the command that shows one of them:
 * `npm run simulate -- --seed 42 [--trace]`.
 */

import { parseArgs } from "node:util";
import { runSeeds } from "../test/simulation/run-seeds.ts";
import { type SimulationResult, simulate } from "../test/simulation/simulate.ts";

/** Time between two lines of progress. */
const PROGRESS_MS = 5_000;
/** Faults of one seed that are printed. */
const FAULTS_SHOWN = 3;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    first: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
  },
});

process.exitCode = values.seed === undefined ? await many() : await one(Number(values.seed));

async function many(): Promise<number> {
  const startedMs = performance.now();
  const count = Number(values.seeds ?? 1000);
  const total = { seeds: 0, events: 0, operations: 0, simulatedMs: 0, followed: 0, faulty: 0 };
  const reopened = new Map<string, number>();
  let shownMs = startedMs;
  const show = () => {
    const seconds = (performance.now() - startedMs) / 1000;
    const days = (total.simulatedMs / 86_400_000).toFixed(1);
    say(
      `${total.seeds} of ${count} seeds, ${total.faulty} faulty; ` +
        `${(total.seeds / seconds).toFixed(1)} seeds/s; ${total.events} events, ` +
        `${total.operations} requests, ${days} simulated days; ` +
        `${total.followed} entries followed, opened again ` +
        JSON.stringify(Object.fromEntries(reopened)),
    );
  };
  const faulty = await runSeeds({
    first: Number(values.first),
    count,
    onResult: (result) => {
      total.seeds++;
      total.events += result.eventCount;
      total.operations += result.operationCount;
      total.simulatedMs += result.simulatedMs;
      total.followed += result.followedEntries;
      for (const [reason, times] of Object.entries(result.reopenings)) {
        reopened.set(reason, (reopened.get(reason) ?? 0) + times);
      }
      if (result.faults.length > 0) {
        total.faulty++;
        report(result);
      }
      if (performance.now() - shownMs < PROGRESS_MS) return;
      shownMs = performance.now();
      show();
    },
  });
  show();
  return faulty.length === 0 ? 0 : 1;
}

async function one(seed: number): Promise<number> {
  const result = await simulate(seed, { keepsTrace: values.trace });
  for (const line of result.trace) say(line);
  report(result);
  const minutes = (result.simulatedMs / 60_000).toFixed(1);
  const what = `${result.eventCount} events, ${result.operationCount} requests`;
  say(`seed ${seed}: ${result.faults.length} faults, ${what}, ${minutes} simulated minutes`);
  return result.faults.length === 0 ? 0 : 1;
}

function report({ seed, faults }: SimulationResult): void {
  if (faults.length === 0) return;
  say(`seed ${seed} breaks ${faults.length} promises; npm run simulate -- --seed ${seed}`);
  const shown = values.seed === undefined ? faults.slice(0, FAULTS_SHOWN) : faults;
  for (const fault of shown) say(`  ${fault}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
