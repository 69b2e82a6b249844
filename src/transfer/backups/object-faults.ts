/** What is wrong with one object of a backup. */

import { createHash } from "node:crypto";
import { isDatabaseError } from "../../base/errors.ts";
import { BACKUP_PART_BYTES_MAX, type BackupObject } from "../../model/backup.ts";
import { checkStoredObject } from "../../namespace/checkpoints/check-stored-object.ts";
import { isObjectKey, objectKey } from "../../storage/object-store.ts";
import type { BackupTarget } from "./backup-target.ts";

/** What objects are read with. */
export interface ObjectReads {
  readonly target: BackupTarget;
  /** Hears of bytes that were read. */
  readonly onBytes: (bytes: number) => void;
}

/** Reads all of an object; undefined says that its bytes are those that were copied. */
export async function contentFaultOf(
  object: BackupObject,
  { target, onBytes }: ObjectReads,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for (let part: Uint8Array | undefined; part === undefined || part.length > 0; ) {
      part = await target.readObject(object, size, size + BACKUP_PART_BYTES_MAX);
      hash.update(part);
      size += part.length;
      onBytes(part.length);
    }
  } catch (error) {
    return faultTextOf(error);
  }
  if (size !== object.bytes) return `it has ${size} bytes, not ${object.bytes}`;
  return hash.digest("hex") === object.sha256 ? undefined : "its SHA-256 is another one";
}

/**
 * Reads all of an object, and what it is read by in its store: the checksums inside of one that is
 * not encrypted are compared, too.
 */
export async function objectFaultOf(
  object: BackupObject,
  reads: ObjectReads,
): Promise<string | undefined> {
  const problem = await contentFaultOf(object, reads);
  if (problem !== undefined) return problem;
  if (!isObjectKey(object.key)) return `it is of '${object.key}', which is no key`;
  const key = objectKey(object.key);
  try {
    await checkStoredObject(reads.target.storeOf(key, object), key);
    return undefined;
  } catch (error) {
    return faultTextOf(error);
  }
}

/** Reads two bytes at the end of an object at most; undefined says that it ends where it should. */
export async function lengthFaultOf(
  object: BackupObject,
  { target }: Pick<ObjectReads, "target">,
): Promise<string | undefined> {
  const start = Math.max(0, object.bytes - 1);
  try {
    const end = await target.readObject(object, start, object.bytes + 1);
    if (start + end.length === object.bytes) return undefined;
    return `it has ${end.length < 1 ? "fewer" : "more"} bytes than ${object.bytes}`;
  } catch (error) {
    return faultTextOf(error);
  }
}

/** The message of an error that says what is wrong with stored bytes; throws any other. */
export function faultTextOf(error: unknown): string {
  if (isDatabaseError(error, "corrupt", "too_new", "too_old", "not_found")) return error.message;
  if (isDatabaseError(error, "unavailable") && isDiskFault(error.cause)) return error.message;
  throw error;
}

/** A disk that cannot read one file may read all others, and take it anew. */
function isDiskFault(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EIO";
}
