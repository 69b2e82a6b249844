/** `npm run demo` as users run it: it shows every kind of query and leaves nothing behind. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DemoServer } from "../../scripts/demo/demo-server.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const DEMO = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

afterEach(async () => {
  await directory.remove();
});

/** Starts the demo with `directory` as the place for its temporary files. */
function startDemo(words: readonly string[] = []): {
  child: ChildProcess;
  output: () => string;
  ended: Promise<unknown[]>;
} {
  // The user's own settings, even wrong ones, are none of the demo's business.
  const env = { ...process.env, TMPDIR: directory.path, TRAWL_PORT: "none" };
  const child = spawn(process.execPath, [DEMO, ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => {
    output += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    output += data.toString();
  });
  return { child, output: () => output, ended: once(child, "exit") };
}

/** Whether a server still listens where the demo's was. */
async function isServing(output: string): Promise<boolean> {
  const url = /http:\/\/\S+/.exec(output)?.[0] ?? "";
  return fetch(url).then(
    () => true,
    () => false,
  );
}

test("the demo loads its artworks, asks every kind of query, and cleans up", async () => {
  const { output, ended } = startDemo();
  expect(await ended, output()).toEqual([0, null]);
  expect(output()).toContain("4,000 documents are durable");
  const kinds =
    "ANN kNN Late.interaction BM25 Score.arithmetic Sparse Order.by Lookup " +
    "Aggregation Grouped Hybrid library";
  for (const kind of kinds.split(" "))
    expect(output()).toMatch(new RegExp(`^.*${kind}.*\n─+\n`, "m"));
  expect(output()).toContain("A Fishing Boat in Dieppe Harbour");
  expect(await readdir(directory.path)).toEqual([]);
  expect(await isServing(output())).toBe(false);
});

test("--help describes the demo, and starts nothing", async () => {
  const { output, ended } = startDemo(["--help"]);
  expect(await ended).toEqual([0, null]);
  expect(output()).toMatch(/^usage: npm run demo\n\nStarts a server of its own/);
  const unknown = startDemo(["--fast"]);
  expect(await unknown.ended).toEqual([2, null]);
  expect(unknown.output()).toMatch(/^demo: unknown argument --fast\n/);
  expect(await readdir(directory.path)).toEqual([]);
});

test("a killed server is gone before its data is removed", async () => {
  const server = new DemoServer(join(directory.path, "data"));
  const url = await server.start();
  expect(server.isRunning).toBe(true);
  await server.kill();
  expect(server.isRunning).toBe(false);
  expect(await isServing(url)).toBe(false);
  // Nothing is left to end.
  await server.kill();
});

test.each(["SIGINT", "SIGTERM"] as const)("%s in the middle cleans up, too", async (signal) => {
  const { child, output, ended } = startDemo();
  await new Promise<void>((resolve) => {
    child.stdout?.on("data", () => {
      if (output().includes("20 %")) resolve();
    });
  });
  child.kill(signal);
  expect(await ended).toEqual([signal === "SIGINT" ? 130 : 143, null]);
  expect(await readdir(directory.path)).toEqual([]);
  expect(await isServing(output())).toBe(false);
});
