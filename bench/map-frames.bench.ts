/**
 * What the console's map of 50,000 points takes of a frame in a real browser, while it is dragged
 * and zoomed: the page's own work (drawing points into pixels, and these onto the canvas), and the
 * time from one frame to the next. A frame at 60 a second has 16.7 ms.
 *
 * Run: `node bench/map-frames.bench.ts` (Node >= 24, after `npm run build`); TRAWL_CHROMIUM names
 * the browser, which has no graphics card here: it shows the pixels by the processor, too.
 */

import { chromium, type Page } from "playwright-core";
import { seededRandom } from "../src/base/random.ts";
import { benchServer, printTable } from "./http-harness.ts";

const COUNT = 50_000;
const DIMS = 8;
const BATCH = 5000;
const STEPS = 240;
const EXTENT = { width: 1600, height: 900 };

const server = await benchServer();
const random = seededRandom(1);
for (let start = 0; start < COUNT; start += BATCH) {
  const upsert_rows = Array.from({ length: BATCH }, (_, i) => ({
    id: start + i,
    group: `group ${i % 7}`,
    vector: Array.from({ length: DIMS }, (_, d) => random.next() + (d === i % 5 ? 2 : 0)),
  }));
  const answer = await fetch(`${server.url}/v2/namespaces/map`, {
    method: "POST",
    body: JSON.stringify({ upsert_rows, distance_metric: "euclidean_squared" }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Counts, in the page, what its frames take; as text, since it is no module of this program. */
const COUNTING = `{
  const work = [];
  const between = [];
  let last = 0;
  const ask = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => ask((time) => {
    const start = performance.now();
    call(time);
    work.push(performance.now() - start);
    if (last > 0) between.push(time - last);
    last = time;
  });
  window.frames_ = { take: () => [work.splice(0), between.splice(0), last = 0] };
}`;

interface Frames {
  readonly work: readonly number[];
  readonly between: readonly number[];
}

async function framesOf(page: Page, move: () => Promise<void>): Promise<Frames> {
  await page.evaluate("window.frames_.take()");
  await move();
  const [work, between] = (await page.evaluate("window.frames_.take()")) as number[][];
  return { work, between };
}

function at(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
}

const browser = await chromium.launch({
  executablePath: process.env.TRAWL_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const lines: unknown[][] = [];
for (const density of [1, 2]) {
  const context = await browser.newContext({ viewport: EXTENT, deviceScaleFactor: density });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(COUNTING);
  await page.goto(`${server.url}/console/namespaces/map/map?points=${COUNT}&color=group`);
  const map = page.getByRole("group", { name: `Map of ${COUNT} points` });
  await page.locator(`canvas[data-drawn="${COUNT}"]`).waitFor();
  await page.getByRole("list", { name: "Colours" }).waitFor();
  await page.waitForTimeout(1000);
  const box = await map.boundingBox();
  if (box === null) throw new Error("there is no map");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const moves: Record<string, () => Promise<void>> = {
    dragged: async () => {
      await page.mouse.move(middle.x, middle.y);
      await page.mouse.down();
      for (let i = 0; i < STEPS; i++) {
        await page.mouse.move(middle.x + 200 * Math.sin(i / 9), middle.y + 100 * Math.cos(i / 7));
      }
      await page.mouse.up();
    },
    zoomed: async () => {
      await page.mouse.move(middle.x, middle.y);
      for (let i = 0; i < STEPS; i++) await page.mouse.wheel(0, Math.floor(i / 40) % 2 ? 60 : -60);
    },
  };
  for (const [name, move] of Object.entries(moves)) {
    const { work, between } = await framesOf(page, move);
    const size = `${Math.round(box.width * density)} × ${Math.round(box.height * density)}`;
    const figures = [work, between].flatMap((times) => [at(times, 0.5), at(times, 0.95)]);
    lines.push([name, size, work.length, ...figures]);
  }
  await context.close();
}
await browser.close();
await server.remove();
const head = ["", "pixels", "frames", "own work p50, ms", "p95", "between frames p50, ms", "p95"];
printTable(head, lines);
