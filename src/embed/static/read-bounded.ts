import { constants, type FileHandle, open } from "node:fs/promises";
import { invalid } from "../../base/errors.ts";

/** Reads a whole file of at most so many bytes. Throws `invalid` where it cannot, or is larger. */
export async function readBounded(file: string, bytesMax: number): Promise<Uint8Array> {
  try {
    // Without this, a pipe is waited for until somebody writes into it.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return await readHandle(handle, file, bytesMax).finally(() => handle.close());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !code.startsWith("E")) throw error;
    const folder = "a folder of a static model has model.safetensors, tokenizer.json, config.json";
    throw invalid(`${file} cannot be read (${code}); ${folder}`);
  }
}

async function readHandle(handle: FileHandle, file: string, bytesMax: number): Promise<Uint8Array> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw invalid(`${file} is no file`);
  const { size } = stats;
  if (size > bytesMax) throw invalid(`${file} has ${size} bytes; at most ${bytesMax} are read`);
  const bytes = new Uint8Array(size);
  for (let filled = 0; filled < size; ) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) throw invalid(`${file} became shorter while it was read`);
    filled += bytesRead;
  }
  return bytes;
}
