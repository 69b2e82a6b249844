/**
 * The console's list of 10,000 namespaces of a real server, in a real browser: how long it takes
 * until the first names are there, until what is known of them is, until the end of the list is
 * reached from key to key, and until a name that is typed is found.
 *
 * Run: `node bench/console-namespaces.ts [namespaces]` (Node >= 24, after `npm run build`);
 * TRAWL_CHROMIUM names the browser. Each is measured in a page of its own, five times; the median.
 */

import { chromium, type Page } from "playwright-core";
import {
  benchServer,
  median,
  onConnections,
  percentile,
  prepare,
  printTable,
  timed,
} from "./http-harness.ts";

const CONNECTIONS = 4;
const RUNS = 5;
const COUNT = Number(process.argv[2] ?? 10_000);

const nameOf = (i: number) => `tenant-${String(i).padStart(5, "0")}`;
const LAST = nameOf(COUNT - 1);
const rows = Array.from({ length: 20 }, (_, id) => ({ id, title: `document ${id}`, n: id }));
const write = Buffer.from(JSON.stringify({ upsert_rows: rows }));

const server = await benchServer();
const writtenMs = await timed(() =>
  onConnections(server.url, CONNECTIONS, async (connection, index) => {
    for (let i = index; i < COUNT; i += CONNECTIONS) {
      await connection.send(prepare(`/v2/namespaces/${nameOf(i)}`, write));
    }
  }),
);

const browser = await chromium.launch({
  executablePath: process.env.TRAWL_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/** Counts the browser's frames while the page is scrolled; as text, since it is no module here. */
const COUNTING = `{
  let last = 0;
  window.frames_ = [];
  const tick = (time) => {
    if (last > 0) window.frames_.push(time - last);
    last = time;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}`;

const taken: Record<string, number[]> = {};
const add = (what: string, ms: number) => {
  taken[what] ??= [];
  taken[what].push(ms);
};
const linkOf = (page: Page, name: string) => page.getByRole("link", { name });

for (let run = 0; run < RUNS; run++) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(COUNTING);
  const start = performance.now();
  await page.goto(`${server.url}/console/`);
  await linkOf(page, nameOf(0)).waitFor();
  add("first names", performance.now() - start);
  await page
    .getByRole("row", { name: nameOf(0) })
    .getByText(/up to date|behind/)
    .waitFor();
  add("what is in them", performance.now() - start);
  const table = page.getByRole("region", { name: "Namespaces" });
  await page.evaluate("window.frames_.splice(0)");
  add(
    "to the end by the key End",
    await timed(async () => {
      while ((await linkOf(page, LAST).count()) === 0) await table.press("End");
    }),
  );
  await table.press("Home");
  await table.hover();
  await page.evaluate("window.frames_.splice(0)");
  for (let i = 0; i < 100; i++) await page.mouse.wheel(0, 1500);
  const frames = (await page.evaluate("window.frames_.splice(0)")) as number[];
  add("frame while it is scrolled, p50", percentile(frames, 0.5));
  add("frame while it is scrolled, p95", percentile(frames, 0.95));
  const search = page.getByLabel("Search namespaces");
  add(
    "a name typed at once, found",
    await timed(async () => {
      await search.fill(LAST);
      await linkOf(page, LAST).waitFor();
      await page.getByText("1", { exact: true }).first().waitFor();
    }),
  );
  await context.close();
}
await browser.close();
await server.remove();
const lines = Object.entries(taken).map(([what, times]) => [what, median(times).toFixed(1)]);
printTable([`${COUNT} namespaces`, "ms"], [["all written", writtenMs.toFixed(0)], ...lines]);
