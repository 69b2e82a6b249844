import { open } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { unpackHadoopLz4, unpackLz4Block } from "../lz4.ts";
import type { ParquetSource } from "./parquet-reader.ts";

/** A Parquet file of the disk, with what Node unpacks. */
export function openParquet(path: string): ParquetSource {
  return {
    open: async () => {
      const file = await open(path);
      const { size: byteLength } = await file.stat();
      return {
        byteLength,
        slice: async (start: number, end = byteLength): Promise<ArrayBuffer> => {
          const bytes = new Uint8Array(Math.max(0, end - start));
          let at = 0;
          while (at < bytes.length) {
            const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
            if (bytesRead === 0) throw new Error("the file ends before what its footer points to");
            at += bytesRead;
          }
          return bytes.buffer;
        },
        close: () => file.close(),
      };
    },
    compressors: {
      GZIP: (input) => gunzipSync(input),
      ZSTD: (input) => zstdDecompressSync(input),
      BROTLI: (input) => brotliDecompressSync(input),
      LZ4_RAW: unpackLz4Block,
      LZ4: unpackHadoopLz4,
    },
  };
}
