/** The screen Map in a real browser, over three groups of vectors. */

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { describeConsole } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";

/** Enough for UMAP to take seconds, so that it can be stopped. */
const COUNT = 1500;
const HEADERS = { "content-type": "application/json", authorization: "Bearer tpuf_root" };
const ADDRESS = "/console/namespaces/groups/map";

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.ok ? "" : text).toBe("");
  return JSON.parse(text);
}

async function writeGroups(url: string, random: () => number): Promise<void> {
  const upsert_rows = Array.from({ length: COUNT }, (_, i) => ({
    id: i,
    vector: Array.from({ length: 8 }, (_, d) => random() + (d === i % 3 ? 8 : 0)),
    group: `group ${i % 3}`,
    size: i,
  }));
  const schema = { vector: { type: "[8]f32", ann: true } };
  const distance_metric = "euclidean_squared";
  await post(`${url}/v2/namespaces/groups`, { upsert_rows, distance_metric, schema });
  await post(`${url}/v2/namespaces/bare`, { upsert_rows: [{ id: 1, year: 1 }] });
}

/** Waits until the canvas has drawn all points, or fewer. */
async function drawn(page: Page, amount: "all" | "fewer"): Promise<void> {
  const all = `[data-drawn="${COUNT}"]`;
  const canvas = amount === "all" ? `canvas${all}` : `canvas[data-drawn]:not(${all})`;
  await page.locator(canvas).waitFor();
}

/** Draws a square line; its sides are at `start` and `end`, as parts of the map's width and height. */
async function drawLasso(page: Page, start: number, end: number): Promise<void> {
  const box = await page.getByRole("group", { name: `Map of ${COUNT} points` }).boundingBox();
  if (box === null) throw new Error("the map is not there");
  const corner = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...corner(start, start));
  await page.mouse.down();
  for (const [x, y] of [
    [end, start],
    [end, end],
    [start, end],
  ]) {
    await page.mouse.move(...corner(x, y), { steps: 5 });
  }
  await page.mouse.up();
}

/** How many points are selected, as the page says it. */
async function selectedOf(page: Page): Promise<number> {
  const text = await page.getByRole("region", { name: "Selected points" }).getByRole("status");
  return Number.parseInt((await text.textContent()) ?? "", 10);
}

describeConsole("Map", [], (fixture) => {
  beforeAll(() => writeGroups(fixture.url, seededRandom(7).next));

  test("draws every vector, coloured by an attribute, and is moved by keys and wheel", async () => {
    const page = await fixture.open(`${ADDRESS}?color=group`);
    await drawn(page, "all");
    await page.getByText(`${COUNT} points: all documents`).waitFor();
    const legend = page.getByRole("list", { name: "Colours" });
    await legend.getByRole("button", { name: "group 2" }).waitFor();
    await fixture.expectAccessible(page);
    const map = page.getByRole("group", { name: `Map of ${COUNT} points` });
    await map.focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("+");
    await drawn(page, "fewer");
    await page.keyboard.press("0");
    await drawn(page, "all");
    await map.hover();
    await page.mouse.wheel(0, -3000);
    await drawn(page, "fewer");
  });

  test("selects by colour and by lasso, as a table and a filter", async () => {
    const page = await fixture.open(`${ADDRESS}?color=group`);
    await drawn(page, "all");
    await page.getByRole("button", { name: "group 1" }).press("Enter");
    await page.getByText(`500 of ${COUNT}`).waitFor();
    const table = page.getByRole("table", { name: "Documents selected" });
    expect(await table.getByRole("row").nth(1).innerText()).toMatch(/^1\s+group 1$/);
    await fixture.expectAccessible(page);
    const href = await page.getByRole("link", { name: "Open in Query" }).getAttribute("href");
    const query = new URL(href ?? "", fixture.url).searchParams.get("q") ?? "{}";
    const found = await post(`${fixture.url}/v2/namespaces/groups/query`, JSON.parse(query));
    expect((found as { rows: unknown[] }).rows).toHaveLength(100);
    await page.getByRole("button", { name: "Selects (lasso)" }).click();
    await drawLasso(page, 0.01, 0.99);
    await page.getByText(`${COUNT} of ${COUNT}`).waitFor();
  });

  test("has a link for each part of it that is seen, and for what is selected", async () => {
    const page = await fixture.open(`${ADDRESS}?color=group&near=7`, { width: 1600 });
    await drawn(page, "all");
    // One group is made larger until the others are outside.
    const ring = await page.locator("circle.map-ring").first().boundingBox();
    if (ring === null) throw new Error("no neighbour is drawn");
    await page.mouse.move(ring.x + ring.width / 2, ring.y + ring.height / 2);
    await page.mouse.wheel(0, -1000);
    await page.waitForURL(/[?&]view=[-\d._]+/);
    await drawn(page, "fewer");
    await page.getByRole("button", { name: "Selects (lasso)" }).click();
    await drawLasso(page, 0.01, 0.99);
    await page.waitForURL(/[?&]selected=pca\.[-\d._e]+/);
    const selected = await selectedOf(page);
    expect(selected).toBeGreaterThan(0);
    expect(selected).toBeLessThan(COUNT);
    const address = new URL(page.url());
    expect(address.search.length).toBeLessThan(1000);
    // In a smaller window the same points are selected, and as much of them is seen.
    const link = address.pathname + address.search;
    const again = await fixture.open(link, { width: 1024 });
    await again.getByText(`${selected} of ${COUNT}`).waitFor();
    await drawn(again, "fewer");
    await fixture.expectAccessible(again);
    await screenshot(again, "map-link");
    const lasso = again.getByRole("button", { name: "Selects (lasso)" });
    expect(await lasso.getAttribute("aria-pressed")).toBe("true");
    // It stays as it is where nobody moves it.
    expect(new URL(again.url()).search).toBe(address.search);
    await again.getByRole("group", { name: `Map of ${COUNT} points` }).focus();
    await again.keyboard.press("0");
    await drawn(again, "all");
    await again.waitForURL((url) => !url.searchParams.has("view"));
    const part = again.getByRole("region", { name: "Selected points" });
    await part.getByRole("button", { name: "Clear" }).click();
    await again.getByText(`0 of ${COUNT}`, { exact: true }).waitFor();
    expect(new URL(again.url()).searchParams.has("selected")).toBe(false);
    await again.goBack();
    await again.getByText(`${selected} of ${COUNT}`).waitFor();
  });

  test("has each step of a zoom in its link, while it is sized and written", async () => {
    const page = await fixture.open(ADDRESS);
    await drawn(page, "all");
    await page.evaluate(`{
      const map = document.querySelector(".map-frame");
      const plus = { key: "+", bubbles: true };
      const zoom = () => map.dispatchEvent(new KeyboardEvent("keydown", plus));
      const { replaceState } = history;
      let isFirst = true;
      history.replaceState = (state, title, address) => {
        replaceState.call(history, state, title, address);
        if (isFirst && address.includes("view=")) queueMicrotask(zoom);
        isFirst = false;
      };
      zoom();
      map.style.width = "400px";
    }`);
    // Two steps of 1.4.
    await page.waitForURL(/[?&]view=[-\d.]+_[-\d.]+_1\.96$/);
  });

  test("a selection by colour is in the address, until the colours are others", async () => {
    const page = await fixture.open(`${ADDRESS}?color=group&selected=color.group+1`);
    await page.getByText(`500 of ${COUNT}`).waitFor();
    await page.getByLabel("Colour by").selectOption("");
    await page.getByText(`0 of ${COUNT}`, { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.getByRole("button", { name: "Select all points" }).click();
    await page.waitForURL(/selected=all/);
    // Other documents have other places.
    await page.getByRole("textbox", { name: "Filter" }).fill('["size", "Lt", 30]');
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("0 of 30", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.has("selected")).toBe(false);
    const nowhere = await fixture.open(`${ADDRESS}?view=nowhere&selected=color.nothing`);
    await drawn(nowhere, "all");
    await nowhere.getByText("The address selects what is not drawn").waitFor();
    await fixture.expectAccessible(nowhere);
  });

  test("draws many points more coarsely while they move, and sharply at rest", async () => {
    const ids = Array.from({ length: 12_000 }, (_, i) => i);
    await post(`${fixture.url}/v2/namespaces/crowd`, {
      upsert_columns: { id: ids, vector: ids.map((i) => [Math.sin(i), Math.cos(i * 2)]) },
      distance_metric: "euclidean_squared",
    });
    const page = await fixture.open("/console/namespaces/crowd/map?points=20000");
    await page.locator('canvas[data-drawn="12000"]').waitFor();
    // As a screen of twice as many pixels tells it.
    await page.evaluate("Object.defineProperty(window, 'devicePixelRatio', { value: 2 })");
    await page.getByRole("button", { name: "Draw again" }).click();
    const density = () =>
      page.evaluate(
        "(({ width, clientWidth }) => width / clientWidth)(document.querySelector('canvas'))",
      );
    await expect.poll(density).toBe(2);
    await page.evaluate(`{
      const canvas = document.querySelector("canvas");
      window.seen_ = [];
      const note = () => window.seen_.push(canvas.width / canvas.clientWidth);
      new MutationObserver(note).observe(canvas, { attributeFilter: ["width"] });
    }`);
    await page.getByRole("group", { name: "Map of 12000 points" }).focus();
    await page.keyboard.press("+");
    await expect.poll(() => page.evaluate("window.seen_")).toEqual([1, 2]);
  });

  test("draws the neighbours of a document, and shows the one that is pointed at", async () => {
    const page = await fixture.open(`${ADDRESS}?near=7`);
    await page.locator("line.map-neighbour").nth(19).waitFor({ state: "attached" });
    const list = page.getByRole("list", { name: "Neighbours" });
    const ids = await list.getByRole("button").allInnerTexts();
    expect(ids).toHaveLength(20);
    for (const id of ids) expect(Number(id) % 3).toBe(1);
    const card = page.locator(".map-card").getByText("group 1");
    // The map takes its last width after the list of neighbours is there: the pointer follows.
    await expect
      .poll(async () => {
        const ring = await page.locator("circle.map-ring").first().boundingBox();
        if (ring === null) throw new Error("no neighbour is drawn");
        await page.mouse.move(ring.x + ring.width / 2, ring.y + ring.height / 2);
        return await card.isVisible();
      })
      .toBe(true);
    await fixture.expectAccessible(page);
  });

  test("draws by UMAP in a worker, which can be stopped", async () => {
    // Stopped from within, since its last round may come sooner than a click from here.
    const script = `new MutationObserver((_, observer) => {
      const note = document.querySelector(".task-note");
      if (!/UMAP round \\d\\d/.test(note?.textContent)) return;
      observer.disconnect();
      note.querySelector("button").click();
      window.isStopped_ = true;
    }).observe(document, { childList: true, subtree: true, characterData: true });`;
    const page = await fixture.open(`${ADDRESS}?by=umap`, { script });
    await expect.poll(() => page.evaluate("window.isStopped_")).toBe(true);
    await page.locator(".task-note").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Selects (lasso)" }).click();
    await drawLasso(page, 0.01, 0.6);
    await page.waitForURL(/[?&]selected=umap-\d+\./);
    const selected = await selectedOf(page);
    expect(selected).toBeGreaterThan(0);
    expect(selected).toBeLessThan(COUNT);
    // A link finds them when its own map is in the same round, and keeps them afterwards.
    const { pathname, search } = new URL(page.url());
    const again = await fixture.open(pathname + search);
    await again.getByText(`${selected} of ${COUNT}`).waitFor();
    await again.locator(".task-note").waitFor({ state: "detached" });
    expect(await selectedOf(again)).toBe(selected);
    await page.getByLabel("Drawn by").selectOption("pca");
    await page.getByLabel("Drawn by").selectOption("umap");
    await page.getByText(/UMAP round/).waitFor();
    await page.locator(".task-note").waitFor({ state: "detached" });
    await drawn(page, "all");
  });

  test("says what is missing: vectors, a filter that is one, matches", async () => {
    const bare = await fixture.open("/console/namespaces/bare/map");
    await bare.getByText("There are no vectors to draw").waitFor();
    await fixture.expectAccessible(bare);
    const page = await fixture.open(ADDRESS);
    await drawn(page, "all");
    await page.getByLabel("Filter").fill("{}");
    await page.getByText("a filter is a list").waitFor();
    await page.getByLabel("Filter").fill('["nope", "Eq", 1]');
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("alert").getByText(/nope/).waitFor();
    await page.getByLabel("Filter").fill('["size", "Gt", 100000]');
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("There is nothing to draw").waitFor();
  });
});

describeConsole("Map with keys", ["--api-key", "tpuf_root"], (fixture) => {
  test("is not for a key of other namespaces", async () => {
    const asked = { name: "reader", actions: ["read"], namespaces: ["other"] };
    const { key } = (await post(`${fixture.url}/trawl/keys`, asked)) as { key: string };
    const page = await fixture.open(ADDRESS, { key });
    await page.getByText("Map is not for this key").waitFor();
  });
});

describeConsole("Map while the server goes away", [], (fixture) => {
  test("says so", async () => {
    await writeGroups(fixture.url, seededRandom(7).next);
    const page = await fixture.open(ADDRESS);
    await drawn(page, "all");
    await fixture.server.stop();
    await page.getByRole("button", { name: "Draw again" }).click();
    await page
      .getByRole("alert")
      .getByText(/cannot be reached/)
      .first()
      .waitFor();
  });
});
