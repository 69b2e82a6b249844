/** The model that ships with Trawl. */

import { readFile } from "node:fs/promises";
import { MIB } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import { programFile } from "../../base/program-files.ts";
import { MeaningModel } from "./meaning-model.ts";
import { decodeMeaningVectors } from "./meaning-vectors.ts";
import type { StaticModelSource } from "./static-embedding-provider.ts";

/** By which schemas know it. */
export const STATIC_ENGLISH = "trawl/static-en";

const TABLE_FILE = programFile("embed/static/static-en.table");
const DIMENSIONS = 384;
/** What a thread takes that embeds with it: 3.6 MiB of table, and up to 16,384 stems of words. */
export const STATIC_ENGLISH_THREAD_BYTES = 6 * MIB;

/** Reads its table when it is asked for; `stem` is the stemmer of English. */
export function staticEnglish(stem: (word: string) => string): StaticModelSource {
  return {
    dimensions: DIMENSIONS,
    threadBytes: STATIC_ENGLISH_THREAD_BYTES,
    async load() {
      const table = await decodeMeaningVectors(await readTable());
      return new MeaningModel(table, stem);
    },
  };
}

async function readTable(): Promise<Uint8Array> {
  try {
    return await readFile(TABLE_FILE);
  } catch (cause) {
    const path = TABLE_FILE.pathname;
    const what = `the table of ${STATIC_ENGLISH} cannot be read`;
    throw new DatabaseError("unavailable", `${what} at ${path}; install Trawl again`, {
      cause,
      clientMessage: `${what}; install Trawl again`,
    });
  }
}
