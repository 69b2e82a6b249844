/** Messages for files that cannot be read, in terms of this program and not of its libraries. */

import { FileFault } from "./source-row.ts";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "was not found"],
  ["EACCES", "may not be read by this user"],
  ["EPERM", "may not be read by this user"],
  ["EISDIR", "is a directory"],
]);

/** The system refuses to read the file. */
export function unreadableFile(name: string, error: unknown): FileFault {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  return new FileFault(`${name} ${REASONS.get(code) ?? `cannot be read (${code})`}`, {
    cause: error,
  });
}

/** Describes bytes that cannot be decoded; `part` names the part of the file. */
export function damagedFile(name: string, part: string, error?: unknown): FileFault {
  return new FileFault(`${name} is damaged or cut off: ${part} cannot be read`, { cause: error });
}

/** A file without a byte, or one that unpacks to nothing. */
export function emptyFile(name: string): FileFault {
  return new FileFault(`${name} is empty: there are no rows to import; leave it out`);
}

/** Returns true if an error is the operating system's, not a library's. */
export function isSystemError(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined;
}
