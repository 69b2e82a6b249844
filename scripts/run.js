/**
 * The launcher behind every npm script of a clone: installs what is missing, finds a Node that is
 * new enough, builds what is stale, and then runs the command. The program itself needs no tools of
 * development where it is built. It is plain JavaScript that Node 14.18 can read, because it is
 * what stands between an old Node and a message that helps.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, isBuilt } from "./build.js";
import { findNode, isNewEnough } from "./find-node.js";
import { ensureInstalled } from "./install.js";
import { followParent, runNode } from "./node-process.js";
import { exitWith, startProgram } from "./start-program.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SELF = fileURLToPath(import.meta.url);

/** The script that runs test suites. */
const SUITES = "scripts/test/run-suite.ts";

/** What each command does once Node is new enough and the dependencies are there. */
const COMMANDS = {
  build: async () => {
    build(ROOT);
    return 0;
  },
  serve: (args) => runProgram(["serve", ...args]),
  trawl: (args) => runProgram(args),
  exec: async ([file, ...args]) => {
    if (file === undefined) throw new Error("exec needs the name of a file to run");
    build(ROOT);
    return runScript(file, args);
  },
  format: (args) => runTool("@biomejs/biome", "biome", ["check", "--write", ...args]),
  lint: (args) => runTool("@biomejs/biome", "biome", ["check", "--error-on-warnings", ...args]),
  types: async (args) => {
    const code = await runTool("typescript", "tsc", ["-p", ROOT, ...args]);
    // The console runs in browsers, whose types nothing else may see.
    return code || runTool("typescript", "tsc", ["-p", join(ROOT, "console"), ...args]);
  },
  // It reads sources: there is nothing to build.
  tidy: (args) => runScript(SUITES, ["quick", "--project=unit", "test/tidy.test.ts", ...args]),
  test: (args) => COMMANDS.exec([SUITES, ...args]),
  check: async () => {
    for (const [command, ...args] of [["lint"], ["types"], ["test", "quick"]]) {
      console.error(`\n> ${command}`);
      const code = await COMMANDS[command](args);
      if (code !== 0) return code;
    }
    return 0;
  },
};

/** Commands that need the tools of development only for a build. */
const OF_USERS = ["build", "serve", "trawl"];
/** Commands that run in this process; they find a newer Node by themselves. */
const OF_PROGRAM = ["serve", "trawl"];

function runProgram(args) {
  build(ROOT);
  const selfArgs = process.argv.slice(2);
  const provideNode = async () => findNode(ROOT);
  return startProgram(ROOT, args, { self: SELF, selfArgs, provideNode });
}

function runScript(file, args) {
  return runNode(["--disable-warning=ExperimentalWarning", join(ROOT, file), ...args]);
}

/** Runs the program `bin` that the installed package `name` brings. */
function runTool(name, bin, args) {
  const folder = join(ROOT, "node_modules", name);
  const bins = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).bin;
  return runNode([join(folder, typeof bins === "string" ? bins : bins[bin]), ...args]);
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  if (!Object.hasOwn(COMMANDS, command)) {
    throw new Error(`unknown command ${command}; commands are ${Object.keys(COMMANDS).join(", ")}`);
  }
  followParent();
  await ensureInstalled(ROOT, !OF_USERS.includes(command) || !isBuilt(ROOT));
  if (isNewEnough(process.version) || OF_PROGRAM.includes(command)) return COMMANDS[command](args);
  return runNode([...process.execArgv, SELF, ...process.argv.slice(2)], findNode(ROOT));
}

exitWith(main());
