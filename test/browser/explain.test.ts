/** The Explain screen in a real browser. */

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleFixture, describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";
import { writeArtworks } from "../support/console/write-artworks.ts";
import { callJson } from "../support/servers/server-process.ts";

const QUERY = {
  rank_by: ["title", "BM25", "walrus xyzzy"],
  filters: ["year", "Lt", 2015],
  top_k: 3,
};

const YEARS = ["start_year", "Lt", 1950];

async function writeBooks(url: string): Promise<void> {
  const written = await callJson(url, "POST", "/v2/namespaces/books", {
    upsert_rows: [
      { id: 1, vector: [0.1, 0.9], title: "A walrus at sea", year: 1999 },
      { id: 2, vector: [0.8, 0.2], title: "The quick fox", year: 2011 },
    ],
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  });
  expect(written.status).toBe(200);
}

async function openExplain(
  fixture: ConsoleFixture,
  query: object = QUERY,
  options: { readonly key?: string; readonly theme?: string } = {},
): Promise<Page> {
  const q = encodeURIComponent(JSON.stringify(query));
  const page = await fixture.open(`/console/namespaces/books/explain?q=${q}`, options);
  await page.getByRole("heading", { name: "Explain", exact: true }).waitFor();
  return page;
}

const plan = (page: Page) => page.getByRole("region", { name: "Plan", exact: true }).first();

describeConsole("the Explain screen", [], (fixture) => {
  beforeAll(() => writeBooks(fixture.url));

  test("a query is run by the keyboard: plan, times, work and advice are shown", async () => {
    const page = await openExplain(fixture);
    await page.getByLabel("Words").focus();
    await page.keyboard.press("Control+Enter");
    await plan(page).getByText("Scan: 2 live documents in 1 segments").waitFor();
    await plan(page).getByText("2 documents scanned").waitFor();
    await page.getByText('No document has "xyzzy" in title: it finds nothing.').waitFor();
    await page.getByText("2 of 2 documents are still in the log").waitFor();
    await page.getByRole("row", { name: /^search/ }).waitFor();
    await fixture.expectAccessible(page);
    // A link runs it again.
    const again = await fixture.open(page.url().slice(fixture.url.length));
    await again.getByText('No document has "xyzzy"').waitFor();
  });

  test("a plan alone runs nothing, and says that costs are not known", async () => {
    const page = await openExplain(fixture);
    await page.getByRole("button", { name: "Plan only" }).click();
    await plan(page).getByText("Scan: 2 live documents").waitFor();
    expect(await page.getByRole("columnheader").count()).toBe(0);
    await fixture.expectAccessible(page);
  });

  test("cold and hot stand beside each other", async () => {
    const page = await openExplain(fixture);
    await page.getByRole("button", { name: "Cold and hot" }).click();
    await page.getByRole("columnheader", { name: "Hot" }).waitFor();
    await page.getByRole("heading", { name: "Plan, cold" }).waitFor();
    await page.getByRole("heading", { name: "Plan, hot" }).waitFor();
    await page.getByText("All 2 documents are in the log, which is always in memory").waitFor();
    await fixture.expectAccessible(page);
  });

  test("several queries have a plan each", async () => {
    const queries = [QUERY, { rank_by: ["vector", "ANN", [0.1, 0.9]], top_k: 2 }];
    const page = await openExplain(fixture, { queries, rerank_by: ["RRF"], limit: 2 });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("heading", { name: "Subquery 1" }).waitFor();
    await page.getByText(/^Fuse: RRF/).waitFor();
    await fixture.expectAccessible(page);
  });

  test("what is wrong with a query is told, and marked in its JSON", async () => {
    const page = await openExplain(fixture, { ...QUERY, filters: ["title", "Eq", "x"] });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("alert").getByText("attribute is not filterable").waitFor();
    const editor = page.getByRole("textbox", { name: "Request as JSON" });
    await editor.locator(".cm-lintRange-error").getByText('"title"').waitFor();
    await fixture.expectAccessible(page);
    // The mark belongs to the sent request; a changed request has none.
    await page.getByLabel("Words").fill("fox");
    await editor.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  });

  test("Query and Explain lead to each other with the query", async () => {
    const page = await openExplain(fixture);
    await page.getByRole("main").getByRole("link", { name: "Query" }).click();
    await page.getByRole("heading", { name: "Query", exact: true }).waitFor();
    expect(await page.getByLabel("Words").inputValue()).toBe("walrus xyzzy");
    await page.getByRole("main").getByRole("link", { name: "Explain" }).click();
    await page.getByRole("heading", { name: "Explain", exact: true }).waitFor();
    expect(await page.getByLabel("Words").inputValue()).toBe("walrus xyzzy");
  });

  test.each(["dark", "contrast"])("is legible in %s", async (theme) => {
    const page = await openExplain(fixture, QUERY, { theme });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await plan(page).getByText("Scan: 2 live documents").waitFor();
    await fixture.expectAccessible(page);
  });
});

describeConsole("the Explain screen over 4,000 artworks", [], (fixture) => {
  beforeAll(() => writeArtworks(fixture.url));

  test.each(WIDTHS)("fits a window of %i pixels", async (width) => {
    const query = { ...QUERY, rank_by: ["title", "BM25", "the sea"], filters: YEARS };
    const q = encodeURIComponent(JSON.stringify(query));
    const path = `/console/namespaces/artworks/explain?q=${q}&ran=measure`;
    const page = await fixture.open(path, { width });
    await plan(page).getByText("Scan: 4000 live documents").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await fixture.expectAccessible(page);
    await screenshot(page, `explain-${width}`);
  });
});

describeConsole(
  "the Explain screen of a server with keys",
  ["--api-key", "tpuf_root"],
  (fixture) => {
    test("a key that only reads explains, but empties no cache", async () => {
      const root = { authorization: "Bearer tpuf_root" };
      const books = {
        upsert_rows: [{ id: 1, title: "a", year: 1 }],
        schema: { title: { type: "string", full_text_search: true } },
      };
      await fetch(`${fixture.url}/v2/namespaces/books`, {
        method: "POST",
        headers: root,
        body: JSON.stringify(books),
      });
      const asked = { name: "reader", actions: ["read"], namespaces: ["books"] };
      const made = await fetch(`${fixture.url}/trawl/keys`, {
        method: "POST",
        headers: root,
        body: JSON.stringify(asked),
      });
      const { key } = (await made.json()) as { key: string };
      const page = await openExplain(fixture, QUERY, { key });
      const cold = page.getByRole("button", { name: /Cold and hot/ });
      expect(await cold.getAttribute("title")).toMatch("lacks the action write");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await plan(page).getByText("Scan: 1 live documents").waitFor();
    });
  },
);

describeConsole("the Explain screen of a server that goes away", [], (fixture) => {
  test("says so", async () => {
    await writeBooks(fixture.url);
    const page = await openExplain(fixture);
    // The page is whole, and knows the schema: else it is that which cannot be loaded.
    await page.getByLabel("Words").waitFor();
    await fixture.server.stop();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("the server cannot be reached:").waitFor();
    await fixture.expectAccessible(page);
  });
});
