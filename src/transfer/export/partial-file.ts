import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { createPrivateFile, reopenPrivateFile } from "../private-file.ts";

/**
 * A file that grows by blocks and may be cut off anywhere: it is opened at the length that is known
 * to be good. With gzip each block is a member of its own, since these may follow one another.
 */
export class PartialFile {
  readonly #file: FileHandle;
  readonly #gzip: boolean;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number, isGzip: boolean) {
    this.#file = file;
    this.#bytes = bytes;
    this.#gzip = isGzip;
  }

  /** Opens the file, or makes it, and cuts it to `bytes`. Throws if it is shorter. */
  static async open(
    path: string,
    { bytes, gzip: isGzip }: { readonly bytes: number; readonly gzip: boolean },
  ): Promise<PartialFile> {
    const file = await (bytes === 0 ? createPrivateFile(path) : reopenPrivateFile(path));
    const { size } = await file.stat();
    if (size < bytes) {
      await file.close();
      throw new Error(`${path} has ${size} bytes, ${bytes} are expected; begin with --restart`);
    }
    await file.truncate(bytes);
    return new PartialFile(file, bytes, isGzip);
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends a block; a fault leaves its bytes beyond `bytes`. */
  async append(block: Uint8Array): Promise<void> {
    const written = this.#gzip ? await promisify(gzip)(block) : block;
    let at = 0;
    while (at < written.length) {
      const { bytesWritten } = await this.#file.write(written, at, null, this.#bytes + at);
      at += bytesWritten;
    }
    this.#bytes += written.length;
  }

  /** Returns once everything so far is on the disk. */
  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}
