import { Decompress } from "fzstd";
import { MIB } from "../../../src/base/byte-sizes.ts";
import { FileFault } from "../../../src/transfer/read/source-row.ts";
import { ZstdFrames } from "../../../src/transfer/read/zstd-frames.ts";
import { Xxh64 } from "./xxh64.ts";

/** What a frame may have a decompressor hold: the bound of zstd's own programs without `--long`. */
const WINDOW_BYTES_MAX = 128 * MIB;

/**
 * The text of a zstd file of any number of frames, as `trawl import` has it. The library checks no
 * checksums, so they are checked here; `DecompressionStream` has no zstd in the oldest browsers
 * that are served.
 */
export async function* unpackZstd(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    const frames = new ZstdFrames(chunks[Symbol.asyncIterator]());
    while (await frames.next()) yield* unpackFrame(frames);
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw new FileFault(`${name} is no whole zstd file: ${(error as Error).message}`);
  }
}

async function* unpackFrame(frames: ZstdFrames): AsyncGenerator<Uint8Array> {
  let unpacked: Uint8Array[] = [];
  const sum = new Xxh64();
  const unpacker = new Decompress((bytes) => void unpacked.push(bytes));
  for await (const piece of frames.frame()) {
    if (frames.windowBytes > WINDOW_BYTES_MAX) {
      const needed = `a frame needs ${frames.windowBytes} bytes of memory to be unpacked`;
      throw new Error(`${needed}, at most ${WINDOW_BYTES_MAX} are given; pack it without --long`);
    }
    unpacker.push(piece);
    for (const bytes of unpacked) sum.update(bytes);
    yield* unpacked;
    unpacked = [];
  }
  unpacker.push(new Uint8Array(0), true);
  for (const bytes of unpacked) sum.update(bytes);
  yield* unpacked;
  const { checksum } = frames;
  if (checksum !== undefined && BigInt(checksum) !== BigInt.asUintN(32, sum.digest())) {
    throw new Error("its text is not that of its checksum");
  }
}
