/** A test run that is interrupted leaves no process and no file behind. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { closeRunFolder } from "../../scripts/test/run-folder.ts";
import { pause } from "../support/clocks/pause.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What a server of test/journeys/restart.test.ts writes first. */
const STARTED = "trawl-tests-*/trawl-test-*/namespaces";

test.runIf(process.platform === "linux").each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("by %s, while servers run", async (signal, code) => {
  const directory = await temporaryDirectory();
  const words = ["scripts/test/run-suite.ts", "quick", "test/journeys/restart.test.ts"];
  const child = spawn(process.execPath, ["--no-warnings", ...words], {
    cwd: ROOT,
    env: { ...productEnvironment(), TMPDIR: directory.path },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const hasServer = () => globSync(STARTED, { cwd: directory.path }).length > 0;
  while (child.exitCode === null && !hasServer()) await pause(20);
  const [run] = readdirSync(directory.path).filter((name) => name.startsWith("trawl-tests-"));
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect(readdirSync(directory.path)).toEqual([]);
  expect(closeRunFolder(join(directory.path, run))).toEqual([]);
  await directory.remove();
});
