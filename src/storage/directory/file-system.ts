import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
} from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseError } from "../../base/errors.ts";

/** The calls of node:fs/promises that storage makes; tests pass in ones that count and fail. */
export interface FileSystem {
  readonly open: typeof open;
  readonly link: typeof link;
  readonly rename: typeof rename;
  readonly unlink: typeof unlink;
  readonly mkdir: typeof mkdir;
  readonly readdir: typeof readdir;
  readonly readFile: typeof readFile;
  readonly stat: typeof stat;
  readonly utimes: typeof utimes;
}

/** The machine's file system. */
export const systemFiles: FileSystem = {
  open,
  link,
  rename,
  unlink,
  mkdir,
  readdir,
  readFile,
  stat,
  utimes,
};

/** Tells whether `error` is a failed system call with one of `codes`, such as `ENOENT`. */
export function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/**
 * Makes a directory with those above it; returns the topmost one that was missing. Node's own way
 * never ends below a directory that takes no others, such as /proc.
 */
export async function makeDirectories(
  path: string,
  { files, mode = 0o777 }: { readonly files: FileSystem; readonly mode?: number },
): Promise<string | undefined> {
  if (await makeDirectory(path, { files, mode })) return path;
  if (await isDirectory(path, files)) return undefined;
  const parent = dirname(path);
  const first = parent === path ? undefined : await makeDirectories(parent, { files, mode });
  await files.mkdir(path, { mode }).catch((error: unknown) => {
    if (!isSystemError(error, "EEXIST")) throw error; // Another process has made it meanwhile.
  });
  return first ?? path;
}

/** Returns false where there is something already, or the directory above is missing. */
async function makeDirectory(
  path: string,
  { files, mode }: { readonly files: FileSystem; readonly mode: number },
): Promise<boolean> {
  try {
    await files.mkdir(path, { mode });
    return true;
  } catch (error) {
    if (!isSystemError(error, "EEXIST", "ENOENT", "EISDIR")) throw error;
    return false;
  }
}

async function isDirectory(path: string, files: FileSystem): Promise<boolean> {
  try {
    if ((await files.stat(path)).isDirectory()) return true;
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is no directory`), { code: "ENOTDIR" });
}

/**
 * Tells whether a directory cannot be used because of what it is or who may write to it, and not
 * because the disk is full or fails.
 */
export function isWrongDirectory(error: unknown): boolean {
  const said = error instanceof DatabaseError ? error.cause : error;
  return isSystemError(said, ...WRONG_DIRECTORY);
}

const WRONG_DIRECTORY = [
  ...["EACCES", "EPERM", "EROFS"],
  ...["ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "ENAMETOOLONG"],
];

/**
 * Wraps what the system said in an error that names the action, such as `write OBJECT`, and what to
 * do where that is plain. Clients read that without paths, or `clientMessage` where it is not.
 */
export function storageError(
  action: string,
  cause: unknown,
  clientMessage?: string,
): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const plain = plainFault(cause);
  const fix = plain === undefined ? "" : `; ${plain.fix}`;
  return new DatabaseError("unavailable", `cannot ${action}: ${reason}${fix}`, {
    cause,
    clientMessage: plain === undefined ? clientMessage : `${plain.what}; ${plain.fix}`,
  });
}

function plainFault(cause: unknown): { readonly what: string; readonly fix: string } | undefined {
  if (isSystemError(cause, "ENOSPC", "EDQUOT"))
    return { what: "the server's disk is full", fix: "free space on that disk" };
  if (isSystemError(cause, "EMFILE", "ENFILE"))
    return { what: "the server has too many files open", fix: "allow more open files (ulimit -n)" };
  return undefined;
}
