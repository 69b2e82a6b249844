/** Runs many seeds, in as many processes as there are cores. */

import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimulationResult } from "./simulate.ts";

/** Which seeds, and how. */
export interface SeedRun {
  readonly first: number;
  readonly count: number;
  /** Processes; as many as there are cores, without it. */
  readonly processes?: number;
  /** Ends everything at the first broken promise. */
  readonly stopsAtFault?: boolean;
  /** Where the sources are; those of this file without it. */
  readonly root?: string;
  /** Hears of each seed, in no order. */
  readonly onResult?: (result: SimulationResult) => void;
}

/** Clusters that the heavy suite goes through, and in which each deliberate break has to show. */
export const HEAVY_SEEDS = 2000;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Resolves to the seeds that broke promises, in ascending order. */
export async function runSeeds(run: SeedRun): Promise<SimulationResult[]> {
  const { first, count, processes = availableParallelism(), root = ROOT } = run;
  const file = join(root, "test/simulation/seed-process.ts");
  const faulty: SimulationResult[] = [];
  const stride = Math.min(processes, count);
  const children = Array.from({ length: stride }, (_, i) => {
    const share = Math.ceil((count - i) / stride);
    return fork(file, [first + i, share, stride].map(String), {
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
  });
  const stop = () => {
    for (const child of children) child.kill();
  };
  const endings = children.map((child) => {
    let known = 0;
    child.on("message", (result: SimulationResult) => {
      known++;
      run.onResult?.(result);
      if (result.faults.length === 0) return;
      faulty.push(result);
      if (run.stopsAtFault) stop();
    });
    return new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => {
        const isStopped = run.stopsAtFault && faulty.length > 0;
        if (code === 0 || isStopped) resolve();
        else reject(new Error(`a process ended with code ${code} after ${known} seeds`));
      });
    });
  });
  try {
    await Promise.all(endings);
  } finally {
    stop();
  }
  return faulty.sort((a, b) => a.seed - b.seed);
}
