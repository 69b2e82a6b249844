/**
 * What one picture of a map takes of the processor: 50,000 points into the pixels of a screen of
 * 1,600 by 900, once as they are and once at the density of two. A frame at 60 a second has
 * 16.7 ms, of which the browser needs some to show the pixels.
 *
 * Run: `node bench/map-points.bench.ts`.
 */

import { drawPoints } from "../console/screens/map/drawing/draw-points.ts";
import { PointGrid } from "../console/screens/map/drawing/point-grid.ts";
import { boundsOf, fitView } from "../console/screens/map/map-view.ts";
import { seededRandom } from "../src/base/random.ts";

const COUNT = 50_000;
const ROUNDS = 60;

const random = seededRandom(1);
/** Groups, as vectors have them: the sum of three draws around one of ten places. */
const positions = Float32Array.from({ length: COUNT * 2 }, (_, i) => {
  const group = Math.floor(i / 2) % 10;
  const spread = random.next() + random.next() + random.next();
  return spread + (i % 2 === 0 ? group % 4 : Math.floor(group / 4)) * 2;
});
const points = {
  positions,
  shades: Uint8Array.from({ length: COUNT }, (_, i) => i % 7),
  colors: Uint32Array.from({ length: 256 }, (_, i) => 0xff000000 + i * 12_345),
  marked: undefined,
  order: new PointGrid(positions).order,
};

for (const density of [1, 2]) {
  const [width, height] = [1600 * density, 900 * density];
  const image = { width, height, pixels: new Uint32Array(width * height) };
  const view = fitView(boundsOf(positions), image);
  const style = { radius: 1.8 * density, background: 0xffffffff };
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    const drawn = drawPoints(image, points, view, style);
    if (drawn !== COUNT) throw new Error(`${drawn} points were drawn`);
    return process.cpuUsage(start).user / 1000;
  }).sort((a, b) => a - b);
  const at = (share: number) => `${times[Math.floor(share * (ROUNDS - 1))].toFixed(1)} ms`;
  console.log(`${width} × ${height}: median ${at(0.5)}, 95 % within ${at(0.95)}`);
}

const start = process.cpuUsage();
const grid = new PointGrid(positions);
const built = process.cpuUsage();
const LOOKUPS = 10_000;
for (let i = 0; i < LOOKUPS; i++) {
  grid.nearest({ x: random.next() * 9, y: random.next() * 7 }, 0.05);
}
const each = process.cpuUsage(built).user / LOOKUPS;
const made = (built.user - start.user) / 1000;
console.log(`grid: ${made.toFixed(1)} ms to make, ${each.toFixed(2)} µs for a lookup`);
