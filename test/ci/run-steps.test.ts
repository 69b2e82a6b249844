/** How CI runs its steps. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Choice } from "../../scripts/ci/choose-steps.ts";
import { runSteps, type StepResult } from "../../scripts/ci/run-steps.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory.remove());

interface Run {
  readonly events: string[];
  readonly results: StepResult[];
}

/** Runs shell scripts as steps, and notes when they start and end. */
async function run(steps: Record<string, [cores: number, script: string]>): Promise<Run> {
  const events: string[] = [];
  const choices = Object.entries(steps).map(([name, [cores, script]]): Choice => {
    const step = { name, command: ["sh", "-c", script], cores, minutesMax: 1 };
    return { step, isNeeded: name !== "needless", reason: "", testFiles: [], environment: {} };
  });
  const results = await runSteps(choices, {
    root: directory.path,
    cores: 2,
    logFolder: join(directory.path, "logs"),
    environment: process.env,
    onStart: ({ step }) => events.push(`${step.name} starts`),
    onEnd: ({ choice }) => events.push(`${choice.step.name} ends`),
  });
  return { events, results };
}

test("steps run in order, at the same time while their cores are free", async () => {
  const waitsFor = (file: string) => `until [ -e ${file} ]; do sleep 0.01; done`;
  const { events } = await run({
    // Each of the first two ends only when both have started.
    first: [1, `touch a; ${waitsFor("b")}`],
    second: [1, `touch b; ${waitsFor("a")}`],
    whole: [2, "true"],
    // More cores than there are: it has all.
    larger: [4, "true"],
    needless: [1, "touch needless"],
  });
  const start = events.slice(0, 2);
  expect(start).toEqual(["first starts", "second starts"]);
  const rest = ["whole starts", "whole ends", "larger starts", "larger ends"];
  expect(events.slice(4)).toEqual(rest);
  expect(existsSync(join(directory.path, "needless"))).toBe(false);
});

test("a failed step is reported with its output, and those after it run", async () => {
  const { results } = await run({
    wrong: [1, "echo this is why; exit 3"],
    killed: [1, "kill -9 $$"],
    right: [1, "echo fine"],
  });
  const outcomes = results.map(({ choice, fault, output }) => [choice.step.name, fault, output]);
  expect(outcomes.sort()).toEqual([
    ["killed", "ended with SIGKILL", ""],
    ["right", undefined, "fine\n"],
    ["wrong", "ended with code 3", "this is why\n"],
  ]);
});

test("an interruption ends the running steps and starts no other", async () => {
  const stop = new AbortController();
  const choices = ["first", "second", "third"].map((name): Choice => {
    const step = { name, command: ["sh", "-c", "sleep 1000"], cores: 1, minutesMax: 1 };
    return { step, isNeeded: true, reason: "", testFiles: [], environment: {} };
  });
  const started: string[] = [];
  const results = await runSteps(choices, {
    root: directory.path,
    cores: 2,
    logFolder: join(directory.path, "logs"),
    environment: process.env,
    stop: stop.signal,
    onStart: ({ step }) => {
      started.push(step.name);
      // Both have started when this turn ends.
      if (started.length === 2) setImmediate(() => stop.abort());
    },
    onEnd: () => {},
  });
  expect(started).toEqual(["first", "second"]);
  expect(results.map(({ fault }) => fault)).toEqual(["ended with SIGTERM", "ended with SIGTERM"]);
});

test("a program that is not there is a failure", async () => {
  const choice: Choice = {
    step: { name: "absent", command: ["no-such-program"], cores: 1, minutesMax: 1 },
    isNeeded: true,
    reason: "",
    testFiles: [],
    environment: {},
  };
  const [{ fault }] = await runSteps([choice], {
    root: directory.path,
    cores: 1,
    logFolder: join(directory.path, "logs"),
    environment: process.env,
    onStart: () => {},
    onEnd: () => {},
  });
  expect(fault).toContain("ENOENT");
});
