import { constants, type FileHandle, open } from "node:fs/promises";
import { invalid } from "../../base/errors.ts";

/**
 * Reads a whole file of at most so many bytes. Throws `invalid` where it cannot, or is larger, and
 * what `checkSize` throws, which hears how large it is before it is read.
 */
export async function readBounded(
  file: string,
  bytesMax: number,
  checkSize?: (bytes: number) => void,
): Promise<Uint8Array> {
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
    const folder = "a folder of a static model has model.safetensors, tokenizer.json, config.json";
    throw invalid(`${file} cannot be read (${code}); ${folder}`);
  }
}

async function sizeOf(handle: FileHandle, file: string, bytesMax: number): Promise<number> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw invalid(`${file} is no file`);
  const { size } = stats;
  if (size > bytesMax) throw invalid(`${file} has ${size} bytes; at most ${bytesMax} are read`);
  return size;
}

async function readHandle(handle: FileHandle, file: string, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) throw invalid(`${file} became shorter while it was read`);
    filled += bytesRead;
  }
  return bytes;
}
