/**
 * `.ci/run`: the checks that a change needs, from lint to the tests over S3. CI_BASE names the
 * commit to compare with. CI_ALL=1 runs every step; set it in scheduled runs.
 */

import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { changedFiles } from "./changed-files.ts";
import { type Choice, chooseSteps } from "./choose-steps.ts";
import { STEPS } from "./ci-steps.ts";
import { ImportGraph } from "./import-graph.ts";
import { runSteps, type StepResult } from "./run-steps.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where the output of each step stays. */
const LOGS = "build/ci";
/** Lines of a failed step that are printed; its file has all of them. */
const FAILED_LINES = 200;
/** The last line of the report of a suite. */
const COUNTS = /^tests: (\d+) passed, (\d+) failed, (\d+) skipped$/gm;

const startedMs = performance.now();
const seed = seedOfHead();
console.log(`random tests draw from TRAWL_SEED=${seed}`);
const stop = new AbortController();
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());
const choices = choose();
const results = await runSteps(choices, {
  root: ROOT,
  cores: availableParallelism(),
  logFolder: join(ROOT, LOGS),
  environment: { ...process.env, CI: "true", NO_COLOR: "1", TRAWL_SEED: String(seed) },
  stop: stop.signal,
  onStart: ({ step, reason }) => say(`${step.name} … (${reason})`),
  onEnd: report,
});
process.exitCode = summarize(choices, results);

function choose(): Choice[] {
  const change = changedFiles(ROOT, process.env.CI_BASE || undefined);
  const graph = new ImportGraph(ROOT);
  const wantsAll = process.env.CI_ALL === "1" ? "CI_ALL is set" : undefined;
  const checkout = {
    match: (glob: string) => globSync(glob, { cwd: ROOT }),
    closure: (paths: readonly string[]) => graph.closure(paths),
  };
  return chooseSteps(STEPS, change, { checkout, wantsAll });
}

/** A number of 32 bits that each commit has of its own, so that each draws other cases. */
function seedOfHead(): number {
  if (process.env.TRAWL_SEED !== undefined) return Number(process.env.TRAWL_SEED);
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  return Number.parseInt(stdout.slice(0, 8), 16) || 0;
}

function report({ choice, fault, seconds, output }: StepResult): void {
  say(`${choice.step.name}: ${fault ?? "passed"} after ${Math.round(seconds)} s`);
  const lines = output.trimEnd().split("\n");
  const notes = lines.filter((line) => line.startsWith("skipped: "));
  const shown = fault === undefined ? notes : lines.slice(-FAILED_LINES);
  for (const line of shown) console.log(`    ${line}`);
}

/** Prints what ran, what did not and why, with times; returns the exit code. */
function summarize(choices: readonly Choice[], results: readonly StepResult[]): number {
  say("summary");
  const counts = [0, 0, 0];
  for (const { choice, fault, seconds, output } of results) {
    console.log(
      `${String(Math.round(seconds)).padStart(6)} s  ${choice.step.name}: ${fault ?? "passed"}`,
    );
    for (const [, ...numbers] of output.matchAll(COUNTS)) {
      for (const [i, number] of numbers.entries()) counts[i] += Number(number);
    }
  }
  for (const { step, reason } of choices.filter(({ isNeeded }) => !isNeeded)) {
    console.log(`       -  ${step.name}: skipped, ${reason}`);
  }
  const failed = results.filter(({ fault }) => fault !== undefined);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${String(seconds).padStart(6)} s  in all; the output of each step is in ${LOGS}/`);
  if (failed.length > 0)
    console.log(`failed steps: ${failed.map((each) => each.choice.step.name).join(", ")}`);
  const [passed, wrong, skipped] = counts;
  console.log(`${passed} passed, ${wrong} failed, ${skipped} skipped`);
  if (stop.signal.aborted) console.log("interrupted: the steps that are missing above did not run");
  return failed.length > 0 || stop.signal.aborted ? 1 : 0;
}

function say(text: string): void {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`[${String(seconds).padStart(5)} s] ${text}`);
}
