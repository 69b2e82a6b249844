/**
 * Unpacks zstd files of any number of frames, as `pzstd` and `cat` make them: Node's decompressor
 * ends with the first one, and says nothing of the others.
 */

import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { ZstdFrames } from "./zstd-frames.ts";

/** The text of all frames. `chunkBytes` is what is handed on at once. */
export async function* unpackZstd(
  chunks: AsyncIterable<Uint8Array>,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames(chunks[Symbol.asyncIterator]());
  while (await frames.next()) {
    const frame = Readable.from(frames.frame(), { objectMode: false });
    const unpacker = createZstdDecompress({ chunkSize: chunkBytes });
    yield* pipeline(frame, unpacker, () => {}) as AsyncIterable<Uint8Array>;
  }
}
