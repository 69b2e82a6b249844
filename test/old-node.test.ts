/** Modules that an old Node loads of the program and of the library, all of which it can load. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const REFUSAL = /^(?:trawl: )?this is Node v20\.19\.0, and Trawl needs Node 24.*; install one/;

/** Loads an entry point in a process that says that it is Node 20. */
function loadOnOldNode(entry: string) {
  const args = ["test/support/processes/old-node.ts", entry];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { ...(JSON.parse(stdout) as { loaded: string[] }), stderr, exitCode: status };
}

test("the library's entry point refuses an old Node before it loads the engine", () => {
  expect(loadOnOldNode("src/library/open-trawl.ts")).toEqual({
    loaded: ["src/library/open-trawl.ts", "src/base/node-version.ts", "src/library/trawl-error.ts"],
    name: "TrawlError",
    status: 400,
    message: expect.stringMatching(REFUSAL),
    stderr: "",
    exitCode: 0,
  });
});

test("what the build makes of them loads nothing else", () => {
  const chunk = (name: string) => expect.stringMatching(`^dist/chunks/${name}-[\\w-]+\\.js$`);
  expect(loadOnOldNode("dist/library/open-trawl.js").loaded).toEqual([
    "dist/library/open-trawl.js",
    chunk("node-version"),
    chunk("trawl-error"),
  ]);
  expect(loadOnOldNode("dist/cli/main.js").loaded).toEqual([
    "dist/cli/main.js",
    chunk("node-version"),
    chunk("exit-codes"),
  ]);
});

test("the program refuses an old Node before it loads the commands", () => {
  expect(loadOnOldNode("src/cli/main.ts")).toEqual({
    loaded: ["src/cli/main.ts", "src/base/node-version.ts", "src/cli/commands/exit-codes.ts"],
    stderr: expect.stringMatching(REFUSAL),
    exitCode: 1,
  });
});
