/**
 * The temporary folder of one test run. Every process of the run has it as TMPDIR, so that the
 * folder holds all files that tests make, and its name in the environment marks all processes that
 * they start. Closing it ends both, whatever a test has left behind.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** First part of the names of run folders; the process id of the run's owner follows. */
const PREFIX = "trawl-run-";

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
  for (let found = left; found.length > 0; found = processesOf(folder)) {
    for (const { pid } of found) kill(pid);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return left;
}

/** Closes the folders of runs whose owner was killed before it could do so. */
export function closeAbandonedFolders(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) closeRunFolder(join(parent, name));
  }
}

/** Environment of a run's processes: temporary files go into its folder on every platform. */
export function runEnvironment(folder: string): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder };
}

/** Running processes with this folder as TMPDIR; those that have ended and wait for their parent do not count. */
function processesOf(folder: string): RunProcess[] {
  if (process.platform !== "linux") return [];
  const mark = `\0TMPDIR=${folder}\0`;
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    // A process may end, or belong to another user, between two reads.
    const environment = readIfThere(`/proc/${pid}/environ`);
    if (!`\0${environment}`.includes(mark)) return [];
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
