/**
 * The launcher behind every npm script: installs what is missing, finds a Node that is new enough,
 * builds what is stale, and then runs the command. It is plain JavaScript that Node 14.18 can read,
 * because it is what stands between an old Node and a message that helps. The scripts that start
 * the server have it collect its garbage sooner: Node 24 would let each thread keep 128 MiB of new
 * objects and 256 of old ones before it looks, which buys nothing that was measured.
 */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "./build.js";
import { ensureInstalled, findNode, isNewEnough } from "./install.js";
import { MEMORY_ENVIRONMENT } from "./memory-environment.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** How often it is checked that npm's shell is still there. */
const PARENT_CHECK_MS = 250;

/** What each command does once Node is new enough and the dependencies are there. */
const COMMANDS = {
  build: () => build(ROOT).then(() => 0),
  serve: (args) => runProgram(["serve", ...args]),
  trawl: (args) => runProgram(args),
  exec: async ([file, ...args]) => {
    if (file === undefined) throw new Error("exec needs the name of a file to run");
    await build(ROOT);
    return runNode(["--disable-warning=ExperimentalWarning", join(ROOT, file), ...args]);
  },
  format: (args) => runTool("@biomejs/biome", "biome", ["check", "--write", ...args]),
  lint: (args) => runTool("@biomejs/biome", "biome", ["check", "--error-on-warnings", ...args]),
  types: (args) => runTool("typescript", "tsc", ["-p", ROOT, ...args]),
  tidy: (args) => runTool("vitest", "vitest", ["run", "test/tidy.test.ts", ...args]),
  test: async (args) => {
    await build(ROOT);
    return runTool("vitest", "vitest", ["run", ...args]);
  },
  "test:heavy": async (args) => {
    await build(ROOT);
    return runTool("vitest", "vitest", ["run", "--config", "vitest.heavy.config.ts", ...args]);
  },
  "test:s3": async (args) => {
    await build(ROOT);
    return runTool("vitest", "vitest", ["run", "--config", "vitest.s3.config.ts", ...args]);
  },
  check: async () => {
    for (const command of ["lint", "types", "test"]) {
      console.error(`\n> ${command}`);
      const code = await COMMANDS[command]([]);
      if (code !== 0) return code;
    }
    return 0;
  },
};

/** Runs the command line program in this process, so that signals reach it without a relay. */
async function runProgram(args) {
  await build(ROOT);
  process.argv = [process.argv[0], join(ROOT, "dist/cli/main.js"), ...args];
  await import(pathToFileURL(process.argv[1]).href);
  return undefined;
}

/** Runs the program `bin` that the installed package `name` brings. */
function runTool(name, bin, args) {
  const folder = join(ROOT, "node_modules", name);
  const bins = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).bin;
  return runNode([join(folder, typeof bins === "string" ? bins : bins[bin]), ...args]);
}

/** Runs Node on `args` and resolves to its exit code; signals are passed on to it. */
function runNode(args, node = process.execPath, env = process.env) {
  const child = spawn(node, args, { cwd: process.cwd(), stdio: "inherit", env });
  const relay = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, relay);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) =>
      resolve(signal === null ? code : 128 + signalNumber(signal)),
    );
  });
}

/** The numbers that shells add to 128 in the exit code of a program that a signal ended. */
function signalNumber(signal) {
  const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGTERM: 15 };
  return numbers[signal] === undefined ? 0 : numbers[signal];
}

/**
 * Ends this process when its parent is gone. A shell that npm put in between dies of SIGTERM
 * without passing it on, and the server would run on unseen, with its port and data directory.
 */
function followParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * Starts this program once more in the same process, with the environment that only a start can
 * set. Does nothing where that is so already, or the system has no such call.
 */
function adoptEnvironment(env, args) {
  const isAdopted = Object.keys(env).every((name) => process.env[name] === env[name]);
  if (process.platform !== "linux" || isAdopted || typeof process.execve !== "function") return;
  process.execve(process.execPath, [process.execPath, ...args], env);
}

async function main() {
  const [command, ...args] = process.argv.slice(2);
  if (!Object.hasOwn(COMMANDS, command)) {
    throw new Error(`unknown command ${command}; commands are ${Object.keys(COMMANDS).join(", ")}`);
  }
  if (process.env.npm_lifecycle_event !== undefined) followParent();
  await ensureInstalled(ROOT);
  const self = fileURLToPath(import.meta.url);
  const again = [...process.execArgv, self, ...process.argv.slice(2)];
  // What the user has set stays.
  const env = Object.assign({}, MEMORY_ENVIRONMENT, process.env);
  if (!isNewEnough(process.version)) return runNode(again, findNode(ROOT), env);
  if (command === "serve" || command === "trawl") adoptEnvironment(env, again);
  return COMMANDS[command](args);
}

main().then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    console.error(`trawl: ${error.message}`);
    process.exitCode = 1;
  },
);
