/** The Query screen in a real browser: each kind of query, its JSON, programs, errors, keys. */

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { type ConsoleFixture, describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";
import { whenInserted } from "../support/console/when-inserted.ts";
import { writeArtworks } from "../support/console/write-artworks.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";
import { callJson } from "../support/servers/server-process.ts";

const LARGE = "18446744073709551615";
const DOCUMENTS = {
  upsert_rows: [
    { id: 1, vector: [0.1, 0.9], title: "A walrus at sea", year: 1999, tags: ["sea"], note: "ice" },
    { id: 2, vector: [0.8, 0.2], title: "The quick fox", year: 2011, tags: ["land"], note: "fur" },
    { id: 3, vector: [0.2, 0.8], title: "Walrus and seal", year: 2020, tags: [], note: "cold sea" },
  ],
  distance_metric: "cosine_distance",
  schema: {
    title: { type: "string", full_text_search: true },
    note: { type: "string", embed: "m", full_text_search: true },
  },
};

/** Writes the books; one has an id that a float64 cannot hold. */
async function writeBooks(url: string, key?: string): Promise<void> {
  const last = '"vector": [0.5, 0.5], "title": "Last", "note": "x"';
  const large = `{"upsert_rows": [{"id": ${LARGE}, ${last}}]}`;
  for (const body of [JSON.stringify(DOCUMENTS), large]) {
    const written = await fetch(`${url}/v2/namespaces/books`, {
      method: "POST",
      body,
      ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    });
    expect(written.status, await written.text()).toBe(200);
  }
}

/** What the builder has no control for. */
const RECENT = ["Saturate", ["Attribute", "year"], { midpoint: 2000 }];

/** What the builder asks for beside a ranking by the title. */
const SHOWN = {
  exclude_attributes: ["vector"],
  compute_attributes: { highlight_title: ["Highlight", "title", { include_offsets: "utf-16" }] },
};

const results = (page: Page) => page.getByRole("region", { name: "Results" });

/** Opens the screen with a request. */
async function openQuery(
  fixture: ConsoleFixture,
  query?: object | string,
  more = "",
): Promise<Page> {
  const text = typeof query === "string" ? query : JSON.stringify(query);
  const q = query === undefined ? "" : `?q=${encodeURIComponent(text)}${more}`;
  const page = await fixture.open(`/console/namespaces/books/query${q}`);
  await page.getByRole("heading", { name: "Query", exact: true }).waitFor();
  return page;
}

/** The request as the page shows it. */
async function shownRequest(page: Page): Promise<unknown> {
  return JSON.parse(
    (await page.getByRole("region", { name: "JSON", exact: true }).textContent()) ?? "",
  );
}

/** The title of the first document of the results. */
async function firstTitle(page: Page): Promise<string> {
  const text = (await results(page).getByRole("row").nth(1).textContent()) ?? "";
  return ["A walrus at sea", "Walrus and seal"].find((title) => text.includes(title)) ?? text;
}

async function run(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
}

describeConsole("the Query screen", OFFLINE_MODELS, (fixture) => {
  beforeAll(() => writeBooks(fixture.url));

  test("words are found, with what matched, by the keyboard alone", async () => {
    const page = await openQuery(fixture);
    await page.getByLabel("Words").fill("walrus");
    await page.keyboard.press("Control+Enter");
    await results(page).getByText("2 documents").waitFor();
    await page.getByRole("tab", { name: "Cards" }).click();
    expect(await results(page).locator("mark").allTextContents()).toEqual(["walrus", "Walrus"]);
    await fixture.expectAccessible(page);
    await results(page).getByRole("tab", { name: "Cards" }).press("ArrowRight");
    await results(page).getByRole("region", { name: "Answer" }).waitFor();
    // The address has all of it.
    const again = await fixture.open(page.url().slice(fixture.url.length));
    await results(again).getByRole("region", { name: "Answer" }).waitFor();
    expect(await again.getByLabel("Words").inputValue()).toBe("walrus");
  });

  test("a query is run by a key that is pressed as soon as the screen is there", async () => {
    const script = whenInserted(
      ".composer input[type=text]",
      `element.value = "walrus";
      element.dispatchEvent(new Event("input", { bubbles: true }));
      const key = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent("keydown", key));`,
    );
    const page = await fixture.open("/console/namespaces/books/query", { script });
    await results(page).getByText("2 documents").waitFor();
  });

  test("each kind is built by its controls, and runs", async () => {
    const page = await openQuery(fixture);
    await page.getByRole("button", { name: "Vector", exact: true }).click();
    await page.getByLabel("Text", { exact: true }).fill("cold sea");
    expect(await shownRequest(page)).toMatchObject({
      rank_by: ["note", "ANN", ["Embed", "cold sea"]],
    });
    await run(page);
    await results(page).getByText("4 documents").waitFor();

    await page.getByRole("button", { name: "Order", exact: true }).click();
    await page.getByLabel("Order by", { exact: true }).selectOption("year");
    await page.getByLabel("Direction", { exact: true }).selectOption("desc");
    expect(await shownRequest(page)).toMatchObject({ rank_by: ["year", "desc"] });
    await run(page);
    await results(page).getByText("2020").waitFor();

    await page.getByRole("button", { name: "Hybrid", exact: true }).click();
    await page.getByLabel("Words").fill("walrus");
    await page.getByLabel("Weight", { exact: true }).first().fill("2");
    expect(await shownRequest(page)).toMatchObject({
      queries: [
        { rank_by: ["title", "BM25", "walrus"] },
        { rank_by: ["note", "ANN", ["Embed", "cold sea"]] },
      ],
      rerank_by: ["RRF", { weights: [2, 1] }],
    });
    await run(page);
    await results(page).getByText("4 documents").waitFor();
    await fixture.expectAccessible(page);

    await page.getByRole("button", { name: "Count and sum" }).click();
    await page.getByLabel("year", { exact: true }).check();
    expect(await shownRequest(page)).toEqual({
      aggregate_by: { count: ["Count"] },
      group_by: ["year"],
      top_k: 100,
    });
    await run(page);
    await results(page).getByText("4 rows").waitFor();
    await fixture.expectAccessible(page);
  });

  test("a model reranks what one ranking or several have found", async () => {
    const page = await openQuery(fixture, { rank_by: ["title", "BM25", "walrus"], top_k: 5 });
    const part = page.getByRole("region", { name: "Reranking" });
    await part.getByLabel("Rerank by a model").check();
    // What is looked for is there already; what the answer lacks is told at its control.
    expect(await part.getByLabel("Scored against").inputValue()).toBe("walrus");
    await part.getByLabel("Text that it reads").selectOption("note");
    await part.getByText("note must come back: choose it under Attributes").waitFor();
    await page.getByLabel("Attributes", { exact: true }).selectOption("all");
    await part.getByText("name a model that the server has").waitFor();
    await part.getByLabel("Reranking model").fill("words");
    await part.getByLabel("Scored against").fill("cold sea");
    await fixture.expectAccessible(page);
    const rerank = { model: "words", attribute: "note", query: "cold sea" };
    expect(await shownRequest(page)).toEqual({
      rank_by: ["title", "BM25", "walrus"],
      top_k: 5,
      include_attributes: true,
      rerank_by: rerank,
    });
    await run(page);
    await results(page).getByText("2 documents").waitFor();
    expect(await firstTitle(page)).toBe("Walrus and seal");

    await page.getByRole("button", { name: "Hybrid", exact: true }).click();
    await page.getByRole("region", { name: "Ranking 2" }).getByLabel("Text").fill("cold sea");
    // Ranks are not fused, so weights and constant would be passed over.
    expect(await page.getByLabel("Weight", { exact: true }).count()).toBe(0);
    expect(await page.getByLabel("Rank constant").count()).toBe(0);
    await page.getByLabel("Found by each").fill("501");
    await page
      .getByText("a model takes at most 1000 documents: type 500 or less", { exact: true })
      .waitFor();
    await page.getByLabel("Found by each").fill("500");
    expect(await shownRequest(page)).toMatchObject({ rerank_by: rerank, limit: 5 });
    await run(page);
    await results(page).getByText("4 documents").waitFor();
    await fixture.expectAccessible(page);
    // The address has all of it, and the controls show it again.
    const again = await fixture.open(page.url().slice(fixture.url.length));
    await again.getByLabel("Rerank by a model").and(again.locator(":checked")).waitFor();
    expect(await again.getByLabel("Scored against").inputValue()).toBe("cold sea");
    await again.getByLabel("Rerank by a model").uncheck();
    expect(await shownRequest(again)).toMatchObject({ rerank_by: ["RRF"] });
    await again.getByLabel("Rerank by a model").check();
    await again.getByLabel("Reranking model").fill("word");
    await run(again);
    await results(again)
      .getByRole("alert")
      .getByText(/none that this server has: words/)
      .waitFor();
  });

  test("of each value come at most so many documents", async () => {
    const page = await openQuery(fixture, {
      rank_by: ["year", "desc"],
      top_k: 4,
      include_attributes: ["title"],
    });
    await page.getByLabel("At most so many of each value").check();
    await page.getByText("choose an attribute").first().waitFor();
    const values = page.getByRole("group", { name: "Values of" });
    await values.getByLabel("note", { exact: true }).check();
    await page.getByText("note must come back: choose it under Attributes").first().waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Attributes", { exact: true }).selectOption("all");
    await values.getByLabel("note", { exact: true }).uncheck();
    await values.getByLabel("year", { exact: true }).check();
    await page.getByLabel("Documents of each").fill("5");
    await page.getByText("type a whole number from 1 to 4").first().waitFor();
    await page.getByLabel("Documents of each").fill("1");
    expect(await shownRequest(page)).toEqual({
      rank_by: ["year", "desc"],
      limit: { total: 4, per: { attributes: ["year"], limit: 1 } },
      include_attributes: true,
    });
    await run(page);
    await results(page).getByText("4 documents").waitFor();
    await screenshot(page, "query-limit-per");
    await fixture.expectAccessible(page);
    // A fusion of several has no such limit.
    await page.getByRole("button", { name: "Hybrid", exact: true }).click();
    expect(await page.getByLabel("At most so many of each value").count()).toBe(0);
  });

  test.each(WIDTHS)("all of its controls fit a window of %i pixels", async (width) => {
    const query = {
      rank_by: ["title", "BM25", "walrus"],
      limit: { total: 4, per: { attributes: ["year"], limit: 1 } },
      include_attributes: true,
      rerank_by: { model: "words", attribute: "note", query: "cold sea" },
    };
    const path = `/console/namespaces/books/query?q=${encodeURIComponent(JSON.stringify(query))}`;
    const page = await fixture.open(path, { width });
    await page.getByLabel("Reranking model").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await fixture.expectAccessible(page);
    await screenshot(page, `query-rerank-${width}`);
  });

  test("filters are chips with the operators of their type, in groups too", async () => {
    const page = await openQuery(fixture, { rank_by: ["id", "asc"], top_k: 10 });
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.getByLabel("Attribute", { exact: true }).selectOption("year");
    const operators = page.getByLabel("Operator", { exact: true });
    expect(await operators.locator("option").allTextContents()).not.toContain(
      "contains · Contains",
    );
    await operators.selectOption("Lt");
    await page.getByLabel("Value", { exact: true }).fill("soon");
    await page.getByText('"soon" is no integer').first().waitFor();
    await page.getByLabel("Value", { exact: true }).fill("2000");
    await page.getByRole("button", { name: "year < 2000", exact: true }).click();
    await page.getByRole("button", { name: "+ Group" }).click();
    await page.getByLabel("Attribute", { exact: true }).selectOption("tags");
    await page.getByLabel("Operator", { exact: true }).selectOption("ContainsAny");
    await page.getByLabel("Values", { exact: true }).fill("sea, land");
    await page.getByLabel("Documents match").first().selectOption("Or");
    expect(await shownRequest(page)).toMatchObject({
      filters: [
        "Or",
        [
          ["year", "Lt", 2000],
          ["tags", "ContainsAny", ["sea", "land"]],
        ],
      ],
    });
    await fixture.expectAccessible(page);
    await run(page);
    // The one without a year sorts below every number.
    await results(page).getByText("3 documents").waitFor();
    await page.getByRole("button", { name: "Remove the filter year < 2000" }).click();
    await run(page);
    await results(page).getByText("2 documents").waitFor();
  });

  test("ids beyond 2^53 survive the way there and back; a document leads to others", async () => {
    const page = await openQuery(fixture, `{"filters": ["id", "Eq", ${LARGE}], "top_k": 5}`);
    await run(page);
    await results(page).getByText(LARGE).first().waitFor();
    expect(await page.getByRole("button", { name: `id is ${LARGE}`, exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: `More like this: ${LARGE}` }).click();
    await page.getByRole("button", { name: `id is not ${LARGE}`, exact: true }).waitFor();
    await run(page);
    await results(page).getByText("3 documents").waitFor();
    await page.getByLabel("Near in").selectOption("vector");
    await page.getByLabel("More like the document").fill("1");
    await page.getByRole("button", { name: "Take its vector" }).click();
    await page.getByText("[0.1, 0.9]").first().waitFor();
    await page.getByLabel("More like the document").fill("77");
    await page.keyboard.press("Enter");
    await page.getByText("there is no document 77").waitFor();
  });

  test("of two documents the one that was clicked last leads to others", async () => {
    const page = await openQuery(fixture, { rank_by: ["id", "asc"], top_k: 2 });
    await run(page);
    await results(page).getByText("2 documents").waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route("**/books/query", async (route) => {
      if (/"Eq",1\]/.test(route.request().postData() ?? "")) await answered.promise;
      await route.fallback();
    });
    const first = page.getByRole("button", { name: "More like this: 1", exact: true });
    await first.click();
    await page.getByRole("button", { name: "More like this: 2", exact: true }).click();
    await page.getByRole("button", { name: "id is not 2", exact: true }).waitFor();
    answered.resolve();
    await expect.poll(() => first.getAttribute("aria-busy")).toBe("false");
    expect(await page.getByRole("button", { name: "id is not 2", exact: true }).count()).toBe(1);
  });

  test("a vector that is waited for does not take back what is changed meanwhile", async () => {
    const vector = { rank_by: ["vector", "ANN", [0, 1]], top_k: 5 };
    const page = await openQuery(fixture, vector);
    const answered = Promise.withResolvers<void>();
    await page.route("**/books/query", async (route) => {
      await answered.promise;
      await route.fallback();
    });
    await page.getByLabel("More like the document").fill("1");
    await page.getByRole("button", { name: "Take its vector" }).click();
    await page.getByLabel("Method").selectOption("kNN");
    answered.resolve();
    await page.getByText("[0.1, 0.9]").first().waitFor();
    await expect
      .poll(() => shownRequest(page))
      .toMatchObject({ rank_by: ["vector", "kNN", [0.1, 0.9]] });
  });

  test("the programs are of the same request, and have no key", async () => {
    const page = await openQuery(fixture, { rank_by: ["title", "BM25", "fox"], top_k: 3 });
    for (const [name, part] of [
      ["curl", "curl -X POST"],
      ["TypeScript", "@turbopuffer/turbopuffer"],
      ["Python", "from turbopuffer import"],
      ["Go", "turbopuffer-go"],
    ]) {
      await page.getByRole("tab", { name, exact: true }).click();
      const code = page.getByRole("region", { name, exact: true });
      expect(await code.textContent()).toContain(part);
      expect(await code.textContent()).toContain("BM25");
    }
    await fixture.expectAccessible(page);
  });

  test("JSON is edited with completion, and comes back into the controls", async () => {
    const page = await openQuery(fixture, { rank_by: ["title", "BM25", "fox"], top_k: 3 });
    await page.getByRole("button", { name: "Edit the JSON" }).click();
    const editor = page.getByRole("textbox", { name: "Request as JSON" });
    // What is typed before the editor has come, or before a completion is in, goes elsewhere.
    await editor.click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type('{"rank_by": ["ti');
    await page.getByRole("option", { name: /title/ }).click();
    await editor.getByText('["title"').waitFor();
    await page.keyboard.type(', "BM25", "walrus"], "top_k": 2}');
    expect(await page.getByLabel("Words").inputValue()).toBe("walrus");
    await fixture.expectAccessible(page);
    await page.keyboard.press("Control+Enter");
    await results(page).getByText("2 documents").waitFor();

    await page.keyboard.press("Control+A");
    await page.keyboard.type('{"rank_by": ["Attribute", "year"], "top_k": 2}');
    await page.getByText("The builder has no control for what rank_by").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type('{"top_k": 2');
    await page.getByText("expected a comma or }").first().waitFor();
    const denied = page.getByRole("button", { name: /^Run \(the JSON has a fault/ });
    expect(await denied.getAttribute("aria-disabled")).toBe("true");
    await fixture.expectAccessible(page);
    await page.getByRole("button", { name: "Begin anew" }).click();
    expect(await page.getByLabel("Words").inputValue()).toBe("");
  });

  test("what the server refuses is marked where it stands", async () => {
    const page = await openQuery(fixture, {
      queries: [
        { rank_by: ["id", "asc"], top_k: 1 },
        { top_k: 1, filters: ["yeer", "Lt", 1] },
      ],
    });
    await run(page);
    await results(page)
      .getByRole("alert")
      .getByText(/the nearest is "year"/)
      .waitFor();
    const editor = page.getByRole("textbox", { name: "Request as JSON" });
    expect(await editor.locator(".cm-lintRange-error").textContent()).toBe('"yeer"');
    await page.getByText(/^Line \d+, column \d+: .*yeer/).waitFor();
    await fixture.expectAccessible(page);
  });

  test("what the server passes over is told", async () => {
    const page = await openQuery(fixture, { rank_by: ["id", "asc"], top_k: 1, filter: 1 });
    await run(page);
    await results(page).getByText('unknown field "filter" is ignored').waitFor();
  });

  test("queries that were run are kept, and those with names", async () => {
    const page = await openQuery(fixture, { rank_by: ["title", "BM25", "seal"], top_k: 3 });
    await run(page);
    await results(page).getByText("1 document ·").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByLabel("Name of the present query").fill("seals");
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByRole("button", { name: /^seals/ }).waitFor();
    await fixture.expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByLabel("Words").fill("other");
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: /^seals/ }).click();
    expect(await page.getByLabel("Words").inputValue()).toBe("seal");
    expect(await page.evaluate("JSON.stringify(localStorage)")).toContain("seal");
  });

  test("a query that takes long can be stopped", async () => {
    const page = await openQuery(fixture, { rank_by: ["id", "asc"], top_k: 1 });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/books/query", async (route) => {
      await held;
      await route.abort();
    });
    await run(page);
    await page.getByRole("button", { name: "Stop" }).click();
    await results(page).getByText("The server was told to end the query").waitFor();
    release();
  });

  test("a namespace that is not there is told", async () => {
    const page = await fixture.open("/console/namespaces/nothing/query");
    await page.getByText("'nothing' was not found").waitFor();
    await fixture.expectAccessible(page);
  });

  test.each(["dark", "contrast"])("is legible in %s", async (theme) => {
    const query = encodeURIComponent(JSON.stringify({ rank_by: RECENT, top_k: 3 }));
    const page = await fixture.open(`/console/namespaces/books/query?q=${query}&ran=1&view=cards`, {
      theme,
    });
    await results(page).getByText("3 documents").waitFor();
    await page.getByRole("textbox", { name: "Request as JSON" }).waitFor();
    await fixture.expectAccessible(page);
  });
});

describeConsole("the Query screen over 4,000 artworks", [], (fixture) => {
  beforeAll(() => writeArtworks(fixture.url));

  test.each(WIDTHS)("fits a window of %i pixels, and has its rows", async (width) => {
    const filters = [
      "And",
      [
        ["start_year", "Gte", 1900],
        ["subjects", "Contains", "sea"],
      ],
    ];
    const query = { rank_by: ["title", "BM25", "boat"], filters, top_k: 50, ...SHOWN };
    const q = encodeURIComponent(JSON.stringify(query));
    const path = `/console/namespaces/artworks/query?q=${q}&ran=1`;
    const page = await fixture.open(path, { width });
    await results(page)
      .getByText(/^\d+ documents ·/)
      .waitFor();
    await results(page).getByText(/Boat/).first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    await fixture.expectAccessible(page);
    await screenshot(page, `query-table-${width}`);
    await page.getByRole("tab", { name: "Cards" }).click();
    expect(await results(page).locator("mark").first().textContent()).toMatch(/boat/i);
    await fixture.expectAccessible(page);
    await screenshot(page, `query-cards-${width}`);
  });

  test("groups of real documents come by the thousand", async () => {
    const artists = { artists: ["ForEachUnique", "artists"] };
    const query = { aggregate_by: { n: ["Count"] }, group_by: [artists], top_k: 10_000 };
    const q = encodeURIComponent(JSON.stringify(query));
    const page = await fixture.open(`/console/namespaces/artworks/query?q=${q}&ran=1`);
    await results(page)
      .getByText(/^\d,\d{3} rows ·/)
      .waitFor();
    await fixture.expectAccessible(page);
  });
});

describeConsole("the Query screen of a server with keys", ["--api-key", "tpuf_root"], (fixture) => {
  test("a key that may not read this namespace is told why", async () => {
    await writeBooks(fixture.url, "tpuf_root").catch(() => undefined);
    const made = await fetch(`${fixture.url}/trawl/keys`, {
      method: "POST",
      headers: { authorization: "Bearer tpuf_root" },
      body: JSON.stringify({ name: "reader", actions: ["read"], namespaces: ["a-*"] }),
    });
    const { key } = (await made.json()) as { key: string };
    const page = await fixture.open("/console/namespaces/books/query", { key });
    await page.getByText("is for a-* and not for books").waitFor();
    await fixture.expectAccessible(page);
  });
});

describeConsole("the Query screen of a server that goes away", [], (fixture) => {
  test("says so where the results would be", async () => {
    await callJson(fixture.url, "POST", "/v2/namespaces/books", {
      upsert_rows: [{ id: 1, year: 1 }],
    });
    const page = await openQuery(fixture, { rank_by: ["id", "asc"], top_k: 1 });
    await run(page);
    await results(page).getByText("1 document ·").waitFor();
    await fixture.server.stop();
    await run(page);
    await results(page).getByRole("alert").getByText("the server cannot be reached").waitFor();
    await fixture.expectAccessible(page);
  });
});
