import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { callJson } from "../servers/server-process.ts";

/** The artworks of `npm run demo`, and how many there are. */
const FILE = new URL("../../../demo/artworks.jsonl.gz", import.meta.url);
const ARTWORK_COUNT = 4000;

/** Writes real documents into the namespace `artworks`: each with a vector made of its sizes. */
export async function writeArtworks(url: string): Promise<void> {
  const text = gunzipSync(await readFile(fileURLToPath(FILE))).toString();
  const artworks = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Artwork);
  const written = await callJson(url, "POST", "/v2/namespaces/artworks", {
    upsert_rows: artworks.map((artwork) => ({ ...artwork, vector: shapeOf(artwork) })),
    distance_metric: "cosine_distance",
    schema: {
      title: { type: "string", full_text_search: { stemming: true } },
      medium: { type: "string", full_text_search: true, filterable: true },
      acquired: "datetime",
      width: "float",
      height: "float",
    },
  });
  expect(written.body).toMatchObject({ rows_upserted: ARTWORK_COUNT });
}

interface Artwork {
  readonly start_year: number;
  readonly width?: number;
  readonly height?: number;
}

/** Works of one shape and time are near each other. */
function shapeOf({ start_year, width = 1, height = 1 }: Artwork): number[] {
  const size = Math.log1p(width * height);
  return [Math.log(width + 1) / size, Math.log(height + 1) / size, (start_year - 1500) / 600];
}
