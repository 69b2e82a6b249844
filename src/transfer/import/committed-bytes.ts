import type { OpenedFile } from "../read/opened-file.ts";
import type { ImportPosition } from "./row-batches.ts";

/** Bytes of files, as they lie there, up to the position up to which all rows are settled. */
export function committedBytes(
  files: readonly Pick<OpenedFile, "sizeBytes" | "bytesAt">[],
  position: ImportPosition,
): number {
  const before = files.slice(0, position.file);
  const sizes = before.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
  return sizes + (files[position.file]?.bytesAt(position) ?? 0);
}
