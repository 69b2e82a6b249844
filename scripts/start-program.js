/** The command line program, once everything that it needs is there. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isNewEnough } from "./find-node.js";
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "./memory-environment.js";
import { restart, runNode } from "./node-process.js";

/** Commands that run for long and hold much; others are over before a new start would pay. */
const SERVERS = ["serve", "index"];

/**
 * Runs the program of `root` with `args` in this process, so that signals reach it without a relay,
 * or in one of a Node that is new enough, which `provideNode` brings. `self` is the script that was
 * started with `selfArgs`. Resolves to an exit code where it is over then.
 */
export async function startProgram(root, args, { self, selfArgs, provideNode }) {
  const flags = MEMORY_FLAGS.filter((flag) => !process.execArgv.includes(flag));
  const again = [...process.execArgv, ...flags, self, ...selfArgs];
  // What the user has set stays.
  const env = Object.assign({}, MEMORY_ENVIRONMENT, process.env);
  if (!isNewEnough(process.version)) return runNode(again, await provideNode(), env);
  if (SERVERS.includes(args[0])) restart(again, env);
  process.argv = [process.argv[0], join(root, "dist/cli/main.js"), ...args];
  await import(pathToFileURL(process.argv[1]).href);
  return undefined;
}

/** Ends this process with the code that `result` resolves to, or with 1 and a message. */
export function exitWith(result) {
  result.then(
    (code) => {
      if (code !== undefined) process.exitCode = code;
    },
    (error) => {
      console.error(`trawl: ${error.message}`);
      process.exitCode = 1;
    },
  );
}
