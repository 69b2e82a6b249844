/**
 * What the console's map of 50,000 points takes of a frame in a real browser, while it is dragged,
 * zoomed and pointed at: the page's own work (drawing points into pixels, and these onto the
 * canvas), and the time from one frame of the browser to the next. A frame at 60 a second has
 * 16.7 ms. The pointer moves every 8 ms, and nobody waits for the page in between.
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
const STEPS = 480;
/** As often as a usual mouse tells of itself. */
const STEP_MS = 8;
/** A frame after which one was left out. */
const LATE_MS = 25;
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
  });
  // Asked for without an end: each frame that the browser makes is counted, drawn upon or not.
  const tick = (time) => {
    if (last > 0) between.push(time - last);
    last = time;
    ask(tick);
  };
  ask(tick);
  window.frames_ = { take: () => [work.splice(0), between.splice(0)] };
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

/** Takes all steps in their rhythm, and waits for them in the end alone. */
async function inSteps(step: (i: number) => Promise<void>): Promise<void> {
  const under: Promise<void>[] = [];
  for (let i = 0; i < STEPS; i++) {
    under.push(step(i));
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  await Promise.all(under);
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
  const around = (i: number) =>
    page.mouse.move(middle.x + 200 * Math.sin(i / 18), middle.y + 100 * Math.cos(i / 14));
  const moves: Record<string, () => Promise<void>> = {
    "at rest": () => inSteps(() => Promise.resolve()),
    dragged: async () => {
      await page.mouse.move(middle.x, middle.y);
      await page.mouse.down();
      await inSteps(around);
      await page.mouse.up();
    },
    zoomed: async () => {
      await page.mouse.move(middle.x, middle.y);
      await inSteps((i) => page.mouse.wheel(0, Math.floor(i / 40) % 2 ? 60 : -60));
    },
    "pointed at": () => inSteps(around),
  };
  for (const [name, move] of Object.entries(moves)) {
    const { work, between } = await framesOf(page, move);
    const size = `${Math.round(box.width * density)} × ${Math.round(box.height * density)}`;
    const figures = [work, between].flatMap((times) => [at(times, 0.5), at(times, 0.95)]);
    const late = between.filter((ms) => ms > LATE_MS).length;
    lines.push([name, size, work.length, ...figures, `${late} of ${between.length}`]);
  }
  await context.close();
}
await browser.close();
await server.remove();
const head = ["", "pixels", "drawn", "own work p50, ms", "p95", "between frames p50, ms", "p95"];
printTable([...head, "late"], lines);
