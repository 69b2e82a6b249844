import { constants, type FileHandle, open } from "node:fs/promises";
import { invalid } from "../base/errors.ts";

/** How a file of a model is read. */
export interface BoundedRead {
  readonly bytesMax: number;
  /** What its folder should have, for the message where it is not there. */
  readonly layout: string;
  /** Hears how large it is before it is read; may throw. */
  readonly checkSize?: (bytes: number) => void;
}

/**
 * Reads a whole file of bounded size. Throws `invalid` where it cannot, or is larger, and what
 * `checkSize` throws.
 */
export async function readBounded(
  file: string,
  { bytesMax, layout, checkSize }: BoundedRead,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    // Without this, a pipe is waited for until somebody writes into it.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const read = async () => {
      const size = await sizeOf(handle, file, bytesMax);
      checkSize?.(size);
      return readHandle(handle, file, size);
    };
    return await read().finally(() => handle.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !code.startsWith("E")) throw error;
    throw invalid(`${file} cannot be read (${code}); ${layout}`);
  }
}

async function sizeOf(handle: FileHandle, file: string, bytesMax: number): Promise<number> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw invalid(`${file} is no file`);
  const { size } = stats;
  if (size > bytesMax) throw invalid(`${file} has ${size} bytes; at most ${bytesMax} are read`);
  return size;
}

async function readHandle(
  handle: FileHandle,
  file: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) throw invalid(`${file} became shorter while it was read`);
    filled += bytesRead;
  }
  return bytes;
}
