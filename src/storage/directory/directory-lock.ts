import { connect, createServer, type Server } from "node:net";
import { hostname } from "node:os";
import { type Clock, formatTime } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { isSystemError, storageError, systemFiles } from "./file-system.ts";
import { describeOwner, LockFile, type LockOwner, parseOwner } from "./lock-file.ts";
import { thisProcess } from "./process-identity.ts";

/** How long the owner of a data directory has to tell its name to a server that asks. */
const LOCK_ANSWER_MS_MAX = 1_000;

/** What `acquireDirectoryLock` needs. */
export interface DirectoryLockOptions {
  /** An existing directory: open its store first, which makes it. */
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Called once if another server takes the directory, as after a long pause; stop serving then.
   */
  readonly onLost?: (reason: DatabaseError) => void;
}

/** Ownership of a data directory by one server. */
export interface DirectoryLock {
  /** The directory was copied from elsewhere while a server held it, and may not be whole. */
  readonly isCopy: boolean;
  /** To be called when a copy was made whole; until then each next owner is told that it is one. */
  settle(): Promise<void>;
  /** Gives the directory up. May be called once. */
  release(): Promise<void>;
}

/**
 * Makes this process the one server of a data directory, or throws a `conflict` that names the
 * owner. Nothing stays behind a killed owner.
 *
 * Two locks, because neither sees every rival. On Linux an abstract socket, named after the
 * directory's device and inode: the kernel frees it with the process. It is blind to other systems,
 * and to containers with a network of their own; for these there is the lock file (lock-file.ts).
 */
export async function acquireDirectoryLock(options: DirectoryLockOptions): Promise<DirectoryLock> {
  try {
    return await acquire(options);
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw storageError(`lock data directory ${options.root}`, error);
  }
}

async function acquire(options: DirectoryLockOptions): Promise<DirectoryLock> {
  const { root, clock, random, onLost = () => undefined } = options;
  const directory = await directoryTag(root);
  const owner: LockOwner = { ...(await thisProcess()), ...hostAndTime(clock), directory };
  const file = new LockFile({ root, clock, random, files: systemFiles, owner });
  const socket = await bindSocket(owner);
  if (socket === "taken") {
    const holder = (await askSocket(socketPath(owner), clock)) ?? (await file.readOwner());
    throw heldBy(root, holder);
  }
  try {
    const rival = await file.take();
    if (rival !== undefined) throw heldBy(root, rival);
  } catch (error) {
    socket?.close();
    throw error;
  }
  file.keep((rival) => onLost(lostTo(root, rival)));
  const release = async () => {
    try {
      await file.release();
    } finally {
      socket?.close();
    }
  };
  return { isCopy: file.isCopy, settle: () => file.settle(), release };
}

function hostAndTime(clock: Clock): { host: string; sinceMs: number } {
  return { host: hostname(), sinceMs: Math.round(clock.nowMs()) };
}

function heldBy(root: string, owner: LockOwner | undefined): DatabaseError {
  const fix = "stop that server, or choose another directory with --data-dir";
  const what = `cannot open data directory ${root}: ${holding(owner)}; ${fix}`;
  return new DatabaseError("conflict", what);
}

function lostTo(root: string, rival: LockOwner | undefined): DatabaseError {
  const gone = "its lock file is gone: the directory was removed or replaced; put it back";
  const reason = rival === undefined ? gone : holding(rival);
  return new DatabaseError("conflict", `lost data directory ${root}: ${reason}`);
}

function holding(owner: LockOwner | undefined): string {
  if (owner === undefined) return "another server holds it";
  return `${describeOwner(owner)} has held it since ${formatTime(owner.sinceMs)}`;
}

/** What tells a directory from all others of this machine. */
async function directoryTag(root: string): Promise<string> {
  const { dev, ino } = await systemFiles.stat(root, { bigint: true });
  return `${dev}-${ino}`;
}

/** The name of a socket that belongs to no file; only Linux has them. */
function socketPath({ directory }: LockOwner): string {
  return `\0trawl-${directory}`;
}

/** Binds the directory's socket, which then tells the owner to whoever connects. */
async function bindSocket(owner: LockOwner): Promise<Server | "taken" | undefined> {
  if (process.platform !== "linux") return undefined;

  const path = socketPath(owner);
  const server = createServer((client) => {
    client.on("error", () => client.destroy()); // It asked and did not wait for the answer.
    client.end(JSON.stringify(owner));
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if (isSystemError(error, "EADDRINUSE")) resolve("taken");
      else reject(error);
    });
    server.listen(path, () => resolve(server.unref()));
  });
}

/** Asks the process that holds a socket who it is; undefined if it does not say, as when paused. */
async function askSocket(path: string, clock: Clock): Promise<LockOwner | undefined> {
  const client = connect(path);
  const answer = new Promise<string>((resolve) => {
    const parts: Buffer[] = [];
    client.on("data", (part) => parts.push(part));
    client.on("error", () => resolve(""));
    client.on("close", () => resolve(Buffer.concat(parts).toString("utf8")));
  });
  const text = await Promise.race([answer, clock.sleep(LOCK_ANSWER_MS_MAX).then(() => "")]);
  client.destroy();
  return parseOwner(text);
}
