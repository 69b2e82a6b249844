/**
 * `npm test` and `npm run test:NAME`: runs a suite in Vitest, and ends all that its tests have
 * started. Arguments go to Vitest; with names of files, `npm test` runs these of any suite.
 */

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  closeAbandonedFolders,
  closeRunFolder,
  openRunFolder,
  runEnvironment,
} from "./run-folder.ts";
import { PROJECT_FILES, QUICK, SUITES, type Suite } from "./suites.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Projects whose files `npm test` runs if it is asked for them; `full` repeats files of others. */
const BY_PATH = Object.keys(PROJECT_FILES)
  .filter((project) => project !== "s3")
  .concat("unit");
/** How long Vitest may take to end after a signal. */
const GRACE_MS = 5_000;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

const [name = QUICK, ...words] = process.argv.slice(2);
const suite = SUITES.find((each) => each.name === name);
if (suite === undefined) {
  const names = SUITES.map((each) => each.name).join(", ");
  throw new Error(`unknown test suite ${name}; suites are ${names}`);
}
process.exitCode = await run(suite, words);

/** Runs the suite and resolves to the exit code. */
async function run(suite: Suite, words: readonly string[]): Promise<number> {
  closeAbandonedFolders();
  const folder = openRunFolder();
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", ...projectsOf(suite, words), ...words], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...runEnvironment(folder), ...seedOf(suite), ...colorsOf() },
  });
  let interruption: number | undefined;
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      interruption ??= 128 + number;
      child.kill(signal as NodeJS.Signals);
      setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
    });
  }
  const [code] = (await once(child, "exit")) as [number | null];
  const left = closeRunFolder(folder);
  if (interruption !== undefined) return interruption;
  if (code !== 0 || left.length === 0) return code ?? 1;
  console.error("tests have left processes behind, which were killed:");
  for (const { pid, command } of left) console.error(`${pid} ${command}`);
  return 1;
}

/** Only the suite's projects, unless `npm test` is asked for files: these may be of any suite. */
function projectsOf({ name, projects }: Suite, words: readonly string[]): string[] {
  if (words.some((word) => word.startsWith("--project"))) return [];
  const namesFiles = words.some((word) => !word.startsWith("-") && word.includes("/"));
  const wanted = name === QUICK && namesFiles ? BY_PATH : projects;
  return wanted.map((project) => `--project=${project}`);
}

function seedOf({ hasFreshSeed = false }: Suite): Record<string, string> {
  if (!hasFreshSeed && process.env.TRAWL_SEED === undefined) return {};
  const seed = process.env.TRAWL_SEED ?? String(randomInt(2 ** 32));
  console.log(`random tests draw from TRAWL_SEED=${seed}`);
  return { TRAWL_SEED: seed };
}

/** No color codes in files and pipes; programs would print them for CI's sake. */
function colorsOf(): Record<string, string> {
  return process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: "1" };
}
