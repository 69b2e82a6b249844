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
import { DatabaseError } from "../base/errors.ts";

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

/** Wraps what the system said in an error that names the action, such as `write OBJECT`. */
export function storageError(action: string, cause: unknown): DatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseError("unavailable", `cannot ${action}: ${reason}`, { cause });
}
