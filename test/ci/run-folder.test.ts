/** What a test run leaves behind: nothing, however it ends. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  closeAbandonedFolders,
  closeRunFolder,
  openRunFolder,
  runEnvironment,
} from "../../scripts/test/run-folder.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory.remove());

/** A process of a run, in a group of its own as browsers are, that never ends by itself. */
async function startStubborn(folder: string) {
  const script =
    'process.on("SIGTERM", () => {}); console.log("ready"); setInterval(() => {}, 1e6)';
  const child = spawn(process.execPath, ["-e", script], {
    env: runEnvironment(folder),
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  return { child, gone: once(child, "exit") };
}

test.runIf(process.platform === "linux")(
  "closing a run kills its processes, names them, and removes its files",
  async () => {
    const folder = openRunFolder(directory.path);
    const other = openRunFolder(directory.path);
    writeFileSync(join(folder, "left"), "");
    const { child, gone } = await startStubborn(folder);
    const bystander = await startStubborn(other);
    expect(closeRunFolder(folder)).toMatchObject([
      { pid: child.pid, command: expect.stringContaining("SIGTERM") },
    ]);
    expect(await gone).toEqual([null, "SIGKILL"]);
    expect([existsSync(folder), existsSync(other)]).toEqual([false, true]);
    expect(closeRunFolder(other)).toHaveLength(1);
    await bystander.gone;
    expect(closeRunFolder(other)).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "a killed run is closed by the next one, and a run in progress is not",
  async () => {
    const script = `
      const { openRunFolder, runEnvironment } = await import(${JSON.stringify(
        new URL("../../scripts/test/run-folder.ts", import.meta.url).href,
      )});
      console.log(openRunFolder(${JSON.stringify(directory.path)}));
      setInterval(() => {}, 1e6);`;
    const args = ["--no-warnings", "--input-type=module", "-e", script];
    const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const abandoned = String((await once(owner.stdout, "data"))[0]).trim();
    const own = openRunFolder(directory.path);
    const { gone } = await startStubborn(abandoned);
    closeAbandonedFolders(directory.path);
    expect(existsSync(abandoned)).toBe(true);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    closeAbandonedFolders(directory.path);
    await gone;
    expect([existsSync(abandoned), existsSync(own)]).toEqual([false, true]);
  },
);
