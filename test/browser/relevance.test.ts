/** The screen Relevance in a real browser, over documents whose order is known. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { compareIds } from "../../console/screens/relevance/fuse-ranks.ts";
import {
  FUSION_DEPTH,
  fuseSides,
  hybridSides,
  rankingBody,
} from "../../console/screens/relevance/ranking-form.ts";
import { describeConsole } from "../support/console/open-console.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";

const TITLES = ["red fox", "red red fox", "a fox", "the red barn", "blue sea", "fox hunt in red"];
const HEADERS = { "content-type": "application/json", authorization: "Bearer tpuf_root" };

async function post(url: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.ok ? "" : text).toBe("");
  return JSON.parse(text);
}

async function writeFilms(url: string): Promise<void> {
  const upsert_rows = Array.from({ length: 24 }, (_, i) => ({
    id: i + 1,
    title: `${TITLES[i % TITLES.length]} ${i < TITLES.length ? "" : `part ${i}`}`.trim(),
    body: i % 2 === 0 ? "a tale of a fox" : "nothing of the kind",
    year: 1980 + i,
  }));
  await post(`${url}/v2/namespaces/films`, {
    upsert_rows,
    distance_metric: "cosine_distance",
    schema: {
      title: { type: "string", full_text_search: true, embed: "openai/text-embedding-3-small" },
      body: { type: "string", full_text_search: true },
    },
  });
  await post(`${url}/v2/namespaces/bare`, { upsert_rows: [{ id: 1, year: 1 }] });
}

const ADDRESS = "/console/namespaces/films/relevance";

function items(page: Page, name: "A" | "B") {
  return page.getByRole("list", { name: `Ranking ${name}` }).getByRole("listitem");
}

describeConsole("Relevance", OFFLINE_MODELS, (fixture) => {
  beforeAll(() => writeFilms(fixture.url));

  test("compares two rankings, with moves drawn and in words", async () => {
    const page = await fixture.open(ADDRESS);
    await page.getByText("Ask a query to compare both rankings").waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Query", { exact: true }).fill("red fox");
    await page.getByRole("button", { name: "Run" }).click();
    await items(page, "A").nth(9).waitFor();
    await items(page, "B").nth(9).waitFor();
    const texts = await items(page, "B").allInnerTexts();
    for (const text of texts) expect(text).toMatch(/(up|down) \d+, from|same place|only in B/);
    const inBoth = texts.filter((text) => !text.includes("only in B")).length;
    expect(await page.locator("svg.moves path").count()).toBe(inBoth);
    expect(new URL(page.url()).searchParams.get("q")).toBe("red fox");
    await fixture.expectAccessible(page);
  });

  test("keeps what is typed right after a query was run, until the address changes", async () => {
    const page = await fixture.open(`${ADDRESS}?q=fox`);
    const field = page.getByLabel("Query", { exact: true });
    await items(page, "A").first().waitFor();
    // In one task, so before the browser paints, and effects of components run.
    await page.evaluate(`(async () => {
      const input = document.querySelector(".query-bar input[type=search]");
      const rendered = () => new Promise((resolve) => queueMicrotask(resolve));
      const type = (text) => {
        input.value = text;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      };
      type("barn");
      await rendered();
      input.form.requestSubmit();
      await rendered();
      type("barn at sea");
    })()`);
    await items(page, "A").filter({ hasText: "the red barn" }).first().waitFor();
    expect(await field.inputValue()).toBe("barn at sea");
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe("fox");
  });

  test("keeps grades by key and click, and measures both rankings by them", async () => {
    const page = await fixture.open(`${ADDRESS}?q=red+fox`);
    await items(page, "A").first().focus();
    await page.keyboard.press("3");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("0");
    await items(page, "A").nth(2).getByRole("button", { name: "1: related" }).click();
    await page.getByText("1 query, 3 grades").waitFor();
    await page.reload();
    const first = items(page, "A").first().getByRole("button", { name: "3: perfect" });
    await first.waitFor();
    expect(await first.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Measure both" }).click();
    const row = page.getByRole("row", { name: /^A: BM25 of title/ });
    await row.waitFor();
    // Grades 3, 0, 1 against 3, 1: (3 + 1/2) / (3 + 1/log2(3)).
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(["0.964", "1.000", "0.833", "1"]);
    await page.getByRole("row", { name: /^B: hybrid/ }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export qrels" }).click(),
    ]);
    const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^1 0 \d+ /, "")).sort()).toEqual(["0", "1", "3"]);
    await page.getByRole("button", { name: "Measure grid" }).click();
    await page.getByRole("table", { name: "Grid over hybrid weights" }).waitFor();
    await page.getByRole("button", { name: "Use as B: 0.3 and 0.7" }).click();
    await page.getByText("hybrid: 0.30 BM25 of title, 0.70 vector embed_title").first().waitFor();
    await fixture.expectAccessible(page);
  });

  test("keeps grades with the query that found the document, while another is asked", async () => {
    const page = await fixture.open(`${ADDRESS}?q=fox`);
    await items(page, "A").first().waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route("**/films/query", async (route) => {
      await answered.promise;
      await route.fallback();
    });
    await page.getByLabel("Query", { exact: true }).fill("barn");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("Asking both rankings").waitFor();
    await items(page, "A").first().press("3");
    await page.getByText("1 query, 1 grades").waitFor();
    answered.resolve();
    await page.getByRole("button", { name: "fox", exact: true }).waitFor();
    await items(page, "A").filter({ hasText: "the red barn" }).first().waitFor();
    expect(await page.getByRole("button", { name: "barn", exact: true }).count()).toBe(0);
  });

  test("fuses as the server does", async () => {
    const vectors = [{ attribute: "embed_title", embeds: "title" }];
    const url = `${fixture.url}/v2/namespaces/films/query`;
    for (const text of ["red fox", "sea", "fox hunt part"]) {
      for (const vectorWeight of [0, 0.2, 0.5, 0.9, 1]) {
        const form = {
          kind: "hybrid",
          clauses: [{ attribute: "title", weight: 1 }],
          attribute: "embed_title",
          vectorWeight,
          rankConstant: 10,
        } as const;
        const query = { text, vector: undefined };
        const options = { limit: FUSION_DEPTH, attributes: [], vectors };
        const whole = idsOf(await post(url, rankingBody(form, query, options)))[0];
        const sides = idsOf(await post(url, { queries: hybridSides(form, query, options) }));
        const fusion = { vectorWeight, rankConstant: 10, compareIds };
        expect(fuseSides(sides, fusion, FUSION_DEPTH)).toEqual(whole);
      }
    }
  });

  test("imports judgments, and says where a file is none", async () => {
    const page = await fixture.open(ADDRESS);
    const input = page.getByLabel("Files of judgments");
    const file = (name: string, text: string) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    });
    await input.setInputFiles(file("bad.qrels", "1 0 2 3\n1 0\n"));
    await page.getByText("line 1: neither").waitFor();
    await input.setInputFiles(file("good.qrels", "1 0 2 3\n"));
    await page.getByText("its text is not known").waitFor();
    await input.setInputFiles(file("queries.tsv", "1\tred fox\n"));
    await page.getByRole("button", { name: "red fox", exact: true }).click();
    await items(page, "A").first().waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("red fox");
  });

  test("imports all judgments of files that are chosen while others are read", async () => {
    // Files with "slow" in their names are read when the test says so.
    const script = `{
      const { text } = Blob.prototype;
      const waiting = [];
      window.readNext_ = () => waiting.shift()();
      Blob.prototype.text = async function () {
        if (/slow/.test(this.name)) await new Promise((resolve) => waiting.push(resolve));
        return text.call(this);
      };
    }`;
    const page = await fixture.open(ADDRESS, { script });
    const files = (...names: string[]) =>
      names.map((name) => ({
        name,
        mimeType: "text/plain",
        buffer: Buffer.from(`${name} 0 2 3\n`),
      }));
    const input = page.getByLabel("Files of judgments");
    await input.setInputFiles(files("a-slow", "b"));
    await input.setInputFiles(files("c-slow", "d"));
    await page.evaluate("window.readNext_()");
    await page.getByText("b is read: 2 queries now").waitFor();
    await page.evaluate("window.readNext_()");
    await page.getByText("d is read: 4 queries now").waitFor();
    await page.getByText("4 queries, 4 grades").waitFor();
  });

  test("measures recall without a filter and at each selectivity", async () => {
    const page = await fixture.open(ADDRESS);
    await page.getByRole("button", { name: "Measure recall" }).click();
    const table = page.getByRole("table", { name: "Recall by selectivity" });
    await table.getByRole("row").nth(3).waitFor();
    await page.getByRole("img", { name: /^Recall by selectivity: 1\.000 at 100 %/ }).waitFor();
    await page.locator(".task-note").waitFor({ state: "detached" });
    const cells = await table.getByRole("row").nth(2).getByRole("cell").allInnerTexts();
    expect(cells.slice(0, 3)).toEqual(["50 %", "12", "1.000"]);
    await fixture.expectAccessible(page);
  });

  test("says what the server says of a ranking that is wrong, beside that ranking", async () => {
    const form = JSON.stringify({ kind: "json", text: '["nope", "BM25", "$query"]' });
    const page = await fixture.open(`${ADDRESS}?q=fox&b=${encodeURIComponent(form)}`);
    await items(page, "A").first().waitFor();
    await page.getByRole("alert").getByText(/nope/).waitFor();
    await page.getByLabel("rank_by or query").fill("[");
    await page.locator(".field-error").getByText(/JSON/).waitFor();
    await fixture.expectAccessible(page);
  });

  test("says what is missing where there is nothing to rank by, or no namespace", async () => {
    const page = await fixture.open("/console/namespaces/bare/relevance");
    await page.getByText("There is nothing to rank by").waitFor();
    await fixture.expectAccessible(page);
    const other = await fixture.open("/console/namespaces/nowhere/relevance");
    await other.getByText(/namespace 'nowhere' was not found/).waitFor();
  });
});

describeConsole("Relevance with keys", ["--api-key", "tpuf_root"], (fixture) => {
  test("is not for a key of other namespaces", async () => {
    const asked = { name: "reader", actions: ["read"], namespaces: ["other"] };
    const { key } = (await post(`${fixture.url}/trawl/keys`, asked)) as { key: string };
    const page = await fixture.open(ADDRESS, { key });
    await page.getByText("Relevance is not for this key").waitFor();
  });
});

describeConsole("Relevance while the server goes away", OFFLINE_MODELS, (fixture) => {
  test("says so in both lists", async () => {
    await writeFilms(fixture.url);
    const page = await fixture.open(`${ADDRESS}?q=fox`);
    await items(page, "B").first().waitFor();
    await fixture.server.stop();
    await page.getByLabel("Query", { exact: true }).fill("barn");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("the server cannot be reached").first().waitFor();
  });
});

function idsOf(answer: unknown): string[][] {
  const { rows, results } = answer as {
    readonly rows?: readonly { readonly id: number }[];
    readonly results?: readonly { readonly rows: readonly { readonly id: number }[] }[];
  };
  const all = results?.map((result) => result.rows) ?? [rows ?? []];
  return all.map((each) => each.map(({ id }) => String(id)));
}
