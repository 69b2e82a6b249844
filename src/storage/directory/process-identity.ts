import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { isSystemError } from "./file-system.ts";

/** Names one process among all that may share a directory, over restarts and containers. */
export interface ProcessIdentity {
  /** Digest of boot and process-id namespace: pids can be compared only under equal tags. */
  readonly hostTag: string;
  readonly pid: number;
  /** When the process began, in ticks since boot; empty where the system does not say. */
  readonly start: string;
}

/** Describes this process. Threads of one process are equal. */
export async function thisProcess(): Promise<ProcessIdentity> {
  const boot = await textOrEmpty(readFile("/proc/sys/kernel/random/boot_id", "utf8"));
  const pidNamespace = await textOrEmpty(readlink("/proc/self/ns/pid"));
  const place = `${hostname()} ${boot.trim()} ${pidNamespace}`;
  const hostTag = createHash("sha256").update(place).digest("hex").slice(0, 16);
  return { hostTag, pid: process.pid, start: (await startOf(process.pid)) ?? "" };
}

/**
 * Tells whether the process `other` certainly runs no more. False also means "cannot know": another
 * host or container, or a system on which a pid may have been given away again.
 */
export async function isGone(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  if (other.hostTag !== self.hostTag || !Number.isSafeInteger(other.pid)) return false;
  if (self.start !== "") return (await startOf(other.pid)) !== other.start;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return isSystemError(error, "ESRCH");
  }
}

/** Tells whether the process `other` certainly still runs. */
export async function isRunning(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  if (other.hostTag !== self.hostTag || other.start === "") return false;
  return (await startOf(other.pid)) === other.start;
}

/**
 * Reads field 22 of /proc/<pid>/stat (proc(5)). Undefined for no process, and for one that is dead
 * but not yet collected by its parent.
 */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await textOrEmpty(readFile(`/proc/${pid}/stat`, "utf8"));
  // The second field is the program's name in parentheses and may itself hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  return stat === "" || state === "Z" || state === "X" ? undefined : fields[19];
}

async function textOrEmpty(text: Promise<string>): Promise<string> {
  try {
    return await text;
  } catch {
    return ""; // Not Linux, or no such process.
  }
}
