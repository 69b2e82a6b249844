import type { BackupFault } from "../../../transfer/backups/verify-backup.ts";

/** A fault of a backup in one line: the file, what it is of, and what is wrong with it. */
export function faultText({ file, key, problem }: BackupFault): string {
  return key === undefined ? `${file}: ${problem}` : `${file} (${key}): ${problem}`;
}
