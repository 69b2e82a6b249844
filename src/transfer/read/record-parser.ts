import { type Options, Parser } from "csv-parse";
import type { RecordParser } from "./table-text-reader.ts";

/** The library's parser as it is meant to be used in Node: a stream. */
export function streamParser(options: Options): RecordParser {
  const parser = new Parser(options);
  // Whoever feeds it is told by a callback; the stream tells it again.
  parser.on("error", () => {});
  const settled = (begin: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      parser.once("error", reject);
      begin((error) => {
        parser.off("error", reject);
        if (error) reject(error);
        else resolve();
      });
    });
  return {
    write: (chunk) => settled((done) => parser.write(chunk, done)),
    end: () => settled((done) => parser.resume().end(() => done())),
  };
}
