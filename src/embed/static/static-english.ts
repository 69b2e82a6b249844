/** The model that ships with Trawl. */

import { readFile } from "node:fs/promises";
import { DatabaseError } from "../../base/errors.ts";
import { MeaningModel } from "./meaning-model.ts";
import { decodeMeaningVectors } from "./meaning-vectors.ts";
import type { StaticModelSource } from "./static-embedding-provider.ts";

/** By which schemas know it. */
export const STATIC_ENGLISH = "trawl/static-en";

/** Beside this file, in src/ and in dist/ alike. */
const TABLE_FILE = new URL("static-en.table", import.meta.url);
const DIMENSIONS = 384;

/** Reads its table when it is asked for; `stem` is the stemmer of English. */
export function staticEnglish(stem: (word: string) => string): StaticModelSource {
  return {
    dimensions: DIMENSIONS,
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
    throw new DatabaseError(
      "unavailable",
      `the table of ${STATIC_ENGLISH} cannot be read at ${path}; install Trawl again`,
      { cause },
    );
  }
}
