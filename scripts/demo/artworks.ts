/** The dataset that the project ships; demo/README.md says what it is and whose. */

import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";

const FILE = new URL("../../demo/artworks.jsonl.gz", import.meta.url);

/** One artwork; absent members are unknown. */
export interface Artwork {
  readonly id: number;
  readonly title: string;
  readonly artists: readonly string[];
  readonly classification?: string;
  readonly medium: string;
  readonly start_year: number;
  /** ISO date. */
  readonly acquired: string;
  /** Millimetres. */
  readonly width?: number;
  readonly height?: number;
  readonly movements?: readonly string[];
  readonly subjects: readonly string[];
  readonly credit?: string;
}

/** Reads all artworks, ascending by id. */
export async function readArtworks(): Promise<Artwork[]> {
  const lines = gunzipSync(await readFile(FILE))
    .toString("utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Artwork);
}
