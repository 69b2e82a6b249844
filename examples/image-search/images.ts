/**
 * Image search by vectors that are computed beforehand: here histograms of colours, of tiny
 * pictures that are painted below. Those of a model such as CLIP are written and searched the same
 * way.
 *
 *     node examples/image-search/images.ts forest
 */

import Turbopuffer from "@turbopuffer/turbopuffer";

type Colour = readonly [red: number, green: number, blue: number];

const SIZE = 16;
/** Each channel of a colour is one of so many levels, so that a histogram has 4 × 4 × 4 bins. */
const LEVELS = 4;

/** Pictures are a sky above a ground; `shade` is how bright, from 0 to 1. */
const SCENES: Record<string, (y: number, shade: number) => Colour> = {
  sunset: (y, shade) => (y < 9 ? [255 * shade, 90 + 8 * y, 40] : [60, 30, 50 * shade]),
  sea: (y, shade) => (y < 5 ? [150, 200 * shade, 250] : [10, 80, 120 + 120 * shade]),
  forest: (y, shade) => (y < 4 ? [170, 210, 240 * shade] : [30, 70 + 90 * shade, 40]),
};

function paint(scene: string, shade: number): Colour[] {
  return Array.from({ length: SIZE * SIZE }, (_, i) => SCENES[scene](Math.floor(i / SIZE), shade));
}

/** How much of a picture has each colour; the sum is 1. */
function histogram(pixels: readonly Colour[]): number[] {
  const bins = new Array<number>(LEVELS ** 3).fill(0);
  for (const colour of pixels) {
    const bin = colour.reduce((sum, channel) => sum * LEVELS + Math.floor(channel / 64), 0);
    bins[bin] += 1 / pixels.length;
  }
  return bins;
}

const client = new Turbopuffer({
  baseURL: process.env.TURBOPUFFER_BASE_URL ?? "http://127.0.0.1:8484",
  apiKey: process.env.TURBOPUFFER_API_KEY ?? "unused",
});
const images = client.namespace("example-images");

function idsOf(rows: readonly { id: string | number }[] = []): string {
  return rows.map(({ id }) => id).join(", ");
}

const shades = [0.55, 0.7, 0.85, 1];
const pictures = Object.keys(SCENES).flatMap((scene) =>
  shades.map((shade, i) => ({
    id: `${scene}-${i + 1}`,
    scene,
    bright: shade > 0.8,
    vector: histogram(paint(scene, shade)),
  })),
);
await images.write({ distance_metric: "cosine_distance", upsert_rows: pictures });

const scene = process.argv[2] ?? "forest";
const query = histogram(paint(scene, 0.75));
const like = await images.query({ rank_by: ["vector", "ANN", query], limit: 3 });
console.log(`like a ${scene}:`, idsOf(like.rows));
const bright = await images.query({
  rank_by: ["vector", "ANN", query],
  filters: ["bright", "Eq", true],
  limit: 2,
});
console.log("of bright ones:", idsOf(bright.rows));
const others = await images.query({
  rank_by: ["vector", "ANN", query],
  filters: ["scene", "NotEq", scene],
  limit: 1,
  include_attributes: ["scene"],
});
console.log("most alike of others:", others.rows?.[0].scene);
