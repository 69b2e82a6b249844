/** Runs steps at the same time, as many as there are cores for, with the output of each in a file. */

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Choice } from "./choose-steps.ts";

/** The outcome of a step. */
export interface StepResult {
  readonly choice: Choice;
  /** Why it failed; absent: it passed. */
  readonly fault?: string;
  readonly seconds: number;
  /** Everything that it printed. */
  readonly output: string;
}

/** Settings of a run. */
export interface StepRun {
  readonly root: string;
  readonly cores: number;
  /** Folder for the output of the steps; it is created if needed. */
  readonly logFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the running steps, and starts no other. */
  readonly stop?: AbortSignal;
  readonly onStart: (choice: Choice) => void;
  readonly onEnd: (result: StepResult) => void;
}

/** Time between the signal that ends a step that takes too long, and the one that kills it. */
const GRACE_MS = 20_000;
/** Time between two looks for processes that are still running. */
const POLL_MS = 50;

/**
 * Runs the chosen steps in their order, each as soon as its cores are free, and resolves to what
 * became of them. A failure stops no other step, so that one run shows all failures.
 */
export async function runSteps(choices: readonly Choice[], run: StepRun): Promise<StepResult[]> {
  mkdirSync(run.logFolder, { recursive: true });
  const results: StepResult[] = [];
  const running = new Set<Promise<void>>();
  let free = run.cores;
  for (const choice of choices.filter(({ isNeeded }) => isNeeded)) {
    const cores = Math.min(choice.step.cores, run.cores);
    while (cores > free) await Promise.race(running);
    if (run.stop?.aborted) break;
    free -= cores;
    run.onStart(choice);
    const ended: Promise<void> = runStep(choice, run).then((result) => {
      results.push(result);
      free += cores;
      running.delete(ended);
      run.onEnd(result);
    });
    running.add(ended);
  }
  await Promise.all(running);
  return results;
}

async function runStep(choice: Choice, run: StepRun): Promise<StepResult> {
  const { step, testFiles, environment } = choice;
  const started = performance.now();
  const path = join(run.logFolder, `${step.name.replaceAll(/[^a-z0-9-]+/gi, "-")}.log`);
  const [program, ...words] = [...step.command, ...testFiles];
  const log = openSync(path, "w");
  // A group of its own, so that all of a step's processes end with it.
  const child = spawn(program, words, {
    cwd: run.root,
    env: { ...run.environment, ...environment },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const signal = (name: NodeJS.Signals) => signalGroup(child.pid, name);
  const end = () => {
    signal("SIGTERM");
    setTimeout(signal, GRACE_MS, "SIGKILL").unref();
  };
  run.stop?.addEventListener("abort", end);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, step.minutesMax * 60_000);
  const fault = await new Promise<string | undefined>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, name) => {
      if (isLate) resolve(`took more than ${step.minutesMax} minutes`);
      else resolve(code === 0 ? undefined : `ended with ${name ?? `code ${code}`}`);
    });
  });
  clearTimeout(timer);
  await groupEnd(child.pid);
  run.stop?.removeEventListener("abort", end);
  const seconds = (performance.now() - started) / 1000;
  const result = { choice, seconds, output: readFileSync(path, "utf8") };
  return fault === undefined ? result : { ...result, fault };
}

/**
 * Waits until all processes of a step have ended. Those that clean up after an interruption have
 * some seconds for it; what is still running then would use the cores of the next step.
 */
async function groupEnd(pid: number | undefined): Promise<void> {
  let waitedMs = 0;
  for (; waitedMs < GRACE_MS && signalGroup(pid, 0); waitedMs += POLL_MS) await sleep(POLL_MS);
  signalGroup(pid, "SIGKILL");
}

/** Sends a signal to all processes of a step; returns whether there are any. */
function signalGroup(pid: number | undefined, name: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, name);
  } catch {
    return false;
  }
}
