/**
 * Files in users' directories that hold documents, or say what is done with them. Their owner alone
 * may read them. Others may write to the directory, as to /tmp: so a link that was planted under
 * the name of such a file is never followed, and a file of another user is never believed.
 */

import { constants, type FileHandle, lstat, open, rename, unlink } from "node:fs/promises";

const PRIVATE_FILE_MODE = 0o600;
/** Windows has neither. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** Makes a file, for reading and writing; a file or link of its name is removed. */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  await removeOld(path);
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  return open(path, flags, PRIVATE_FILE_MODE);
}

/** Opens a file that an earlier run has made, for reading and writing. */
export function reopenPrivateFile(path: string): Promise<FileHandle> {
  return openOwn(path, constants.O_RDWR);
}

/** Reads a file that an earlier run has made; undefined if the file does not exist. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await openOwn(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return file.readFile("utf8").finally(() => file.close());
}

/** Replaces a file atomically: a crash leaves the old one or the new one. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const staged = `${path}.new`;
  const file = await createPrivateFile(staged);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(staged, path);
}

async function removeOld(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    // A device that was named by mistake stays.
    if (found.isFile() || found.isSymbolicLink()) await unlink(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function openOwn(path: string, flags: number): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, flags | NO_FOLLOW | NO_WAIT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw refusal(path, "is a link");
  }
  const found = await file.stat();
  const self = process.getuid?.() ?? found.uid;
  // Files of root are trusted: root can read and replace any file anyway.
  if (found.isFile() && (found.uid === self || found.uid === 0)) return file;
  await file.close();
  throw refusal(path, found.isFile() ? `belongs to user ${found.uid}` : "is no file");
}

function refusal(path: string, found: string): Error {
  return new Error(
    `cannot use ${path}: it ${found}, and must be a file of this user; remove it, and start ` +
      "again with --restart",
  );
}
