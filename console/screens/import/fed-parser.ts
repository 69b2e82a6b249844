/// <reference path="./csv-parse-api.d.ts" />
import { Buffer } from "buffer";
import type { Options } from "csv-parse";
// The package exports its parser inside of a stream of Node's alone, or of a copy of that for
// browsers, which fails at the end of its input.
import { transform } from "../../../node_modules/csv-parse/lib/api/index.js";
import type { RecordParser } from "../../../src/transfer/read/table-text-reader.ts";

/** The parser that `trawl import` has, fed by hand. */
export function fedParser(options: Options): RecordParser {
  const parser = transform(options);
  const feed = async (chunk: Uint8Array | undefined) => {
    const bytes =
      chunk && Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
    const error = parser.parse(bytes, chunk === undefined, nothing, nothing);
    if (error !== undefined) throw error;
  };
  return { write: feed, end: () => feed(undefined) };
}

/** Records go to `on_record`, and the end is known to who feeds. */
function nothing(): void {}
