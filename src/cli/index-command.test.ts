import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { productEnvironment } from "../../test/support/processes/environment.ts";
import { temporaryDirectory } from "../../test/support/stores/temporary-directory.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

test("an indexer ends with its server, also one that ended while the indexer started", async () => {
  const directory = await temporaryDirectory();
  const flags = ["index", "--data-dir", directory.path];
  const child = fork(MAIN, flags, {
    execArgv: ["--no-warnings"],
    env: productEnvironment(),
    silent: true,
  });
  const ended = once(child, "exit");
  child.disconnect();
  expect(await ended).toEqual([0, null]);
  await directory.remove();
});
