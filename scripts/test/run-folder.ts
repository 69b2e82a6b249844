/**
 * The temporary folder of one test run. Every process of the run has it as TMPDIR, so that the
 * folder holds all files that tests make, and its name in the environment marks all processes that
 * they start. Closing it ends both, whatever a test has left behind.
 */

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * First part of the names of run folders: process ids of another container mean other processes.
 * The process id of the run's owner follows.
 */
const PREFIX = `trawl-tests-${pidNamespace()}-`;
/** Attempts to kill all processes of a run: one that waits for a disk ends late. */
const KILL_ATTEMPTS_MAX = 50;
/** Time between two attempts. */
const KILL_PAUSE_MS = 100;

/** A process that a run has started. */
export interface RunProcess {
  readonly pid: number;
  /** Program and arguments, with blanks between them. */
  readonly command: string;
}

/** Makes the folder of a run that this process owns, and returns its path. */
export function openRunFolder(parent = tmpdir()): string {
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

/**
 * Kills every process of a run and removes its folder. Returns the processes that were still there.
 * Processes are found on Linux only; elsewhere the list is empty.
 */
export function closeRunFolder(folder: string): RunProcess[] {
  const left = processesOf(folder);
  let found = left;
  for (let i = 0; found.length > 0 && i < KILL_ATTEMPTS_MAX; i++) {
    for (const { pid } of found) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, KILL_PAUSE_MS);
    found = processesOf(folder);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return left;
}

/** Closes the folders of this user's runs whose owner was killed before it could do so. */
export function closeAbandonedFolders(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(parent, name);
    const owner = Number.parseInt(name.slice(PREFIX.length), 10);
    if (!isAlive(owner) && isOwn(folder)) closeRunFolder(folder);
  }
}

/** Environment of a run's processes: temporary files go into its folder on every platform. */
export function runEnvironment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder };
}

/** Running processes of a run; a process that only waits for its parent to notice its end has no command. */
function processesOf(folder: string): RunProcess[] {
  if (process.platform !== "linux") return [];
  // A run within this one has a folder below.
  const marks = [`\0TMPDIR=${folder}\0`, `\0TMPDIR=${folder}/`];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    // A process may end, or belong to another user, between two reads.
    const environment = `\0${readIfThere(`/proc/${pid}/environ`)}`;
    if (!marks.some((mark) => environment.includes(mark))) return [];
    const command = readIfThere(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    return command === "" ? [] : [{ pid, command }];
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user cannot be signalled, and is there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether the folder is there and belongs to this user. */
function isOwn(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && (process.getuid === undefined || stat.uid === process.getuid());
}

/** Number of the set of processes that share their ids with this one; 0 where there are no such sets. */
function pidNamespace(): string {
  if (process.platform !== "linux") return "0";
  return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
}
