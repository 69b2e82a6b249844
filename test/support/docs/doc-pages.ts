/** The pages of docs/ in the order in which they are read. */

import { readFileSync } from "node:fs";

const CONTENTS = new URL("../../../docs/contents.json", import.meta.url);

/** One chapter of docs/contents.json. */
interface Chapter {
  readonly title: string;
  /** Paths from docs/. */
  readonly pages: readonly string[];
}

/** Paths of the pages, from docs/, as docs/contents.json orders them. */
export function docPages(): string[] {
  const chapters = JSON.parse(readFileSync(CONTENTS, "utf8")) as Chapter[];
  return chapters.flatMap(({ pages }) => pages);
}
