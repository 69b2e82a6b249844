/** Processes that run Node: children, this one started anew, and the one before it. */

import { spawn } from "node:child_process";

/** How often it is checked that npm's shell is still there. */
const PARENT_CHECK_MS = 250;

/** Runs Node on `args` and resolves to its exit code; signals are passed on to it. */
export function runNode(args, node = process.execPath, env = process.env) {
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
 * Ends this process when its parent is gone, where npm started it. A shell that npm put in between
 * dies of SIGTERM without passing it on, and the server would run on unseen, with its port and data
 * directory.
 */
export function followParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * Starts Node once more in the same process, with `args` and the environment that only a start can
 * set. Does nothing where both are so already, or the system has no such call.
 */
export function restart(args, env) {
  const flags = args.slice(
    0,
    args.findIndex((arg) => !arg.startsWith("--")),
  );
  const isSame =
    flags.every((flag) => process.execArgv.includes(flag)) &&
    Object.keys(env).every((name) => process.env[name] === env[name]);
  if (process.platform !== "linux" || isSame || typeof process.execve !== "function") return;
  process.execve(process.execPath, [process.execPath, ...args], env);
}
