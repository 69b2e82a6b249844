/** The screen of documents in a real browser. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { books, seedNamespace } from "../support/console/seed-namespace.ts";

const BOOKS = "/console/namespaces/books/documents";
const cells = (page: Page, label: string) =>
  page.getByRole("table", { name: "Documents" }).getByRole("cell", { name: label, exact: true });
const firstId = async (page: Page) =>
  page
    .getByRole("button", { name: /^Open document/ })
    .first()
    .textContent();

describeConsole("the documents", [], (fixture) => {
  beforeAll(async () => {
    await seedNamespace(fixture.url, "books", books(350));
    await seedNamespace(fixture.url, "wide", {
      upsert_rows: Array.from({ length: 60 }, (_, i) => ({
        id: i,
        vector: Array.from({ length: 10_752 }, (_, at) => Math.fround(Math.sin(i + at / 50))),
      })),
      distance_metric: "cosine_distance",
    });
  });

  test.each(WIDTHS)("are a table by their schema, %i pixels wide", async (width) => {
    const page = await fixture.open(BOOKS, { width });
    await cells(page, "Book 1").waitFor();
    const image = page.getByRole("img", { name: /^4 dimensions: / }).first();
    await image.waitFor({ state: "attached" });
    await fixture.expectAccessible(page);
  });

  test("are ordered by a column, and paged in that order without gaps", async () => {
    const page = await fixture.open(BOOKS);
    await cells(page, "Book 1").waitFor();
    await page.getByRole("button", { name: "year" }).click();
    // Those without a year come first.
    await expect.poll(() => firstId(page)).toBe("10");
    expect(new URL(page.url()).searchParams.get("sort")).toBe("year");
    const table = page.getByRole("region", { name: "Documents" });
    const loaded = page.getByRole("status").filter({ hasText: "loaded" });
    await expect
      .poll(async () => {
        await table.press("End");
        return loaded.textContent();
      })
      .toBe("350 loaded, all of them");
    await page.getByRole("button", { name: "year" }).click();
    await expect.poll(() => firstId(page)).toBe("19");
  });

  test("are paged on where one scrolled to the end while they were read again", async () => {
    const page = await fixture.open(BOOKS);
    await page.getByText("100 loaded").waitFor();
    const answered = Promise.withResolvers<void>();
    await page.route("**/books/query", async (route) => {
      await answered.promise;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("status").getByText("Loading").waitFor();
    await page.getByRole("region", { name: "Documents" }).press("End");
    await cells(page, "Book 100").waitFor();
    answered.resolve();
    await page.getByText("200 loaded").waitFor();
  });

  test("have facets with counts, which filter by a click", async () => {
    const page = await fixture.open(BOOKS);
    await page.locator("summary", { hasText: "genre" }).click();
    const fable = page.getByRole("button", { name: "fable 117" });
    await fable.click();
    await page.getByText("genre is fable", { exact: true }).waitFor();
    await page.getByText("117 loaded, all of them").or(page.getByText("100 loaded")).waitFor();
    expect(JSON.parse(new URL(page.url()).searchParams.get("filter") ?? "")).toEqual([
      ["genre", "Eq", "fable"],
    ]);
    // What else there is of the attribute stays in sight.
    await page.getByRole("button", { name: "novel 117" }).waitFor();
    expect(await fable.getAttribute("aria-pressed")).toBe("true");
    await page.locator("summary", { hasText: "tags" }).click();
    await page.getByRole("button", { name: "ice 59" }).waitFor();
    await fixture.expectAccessible(page);
    await page.getByRole("button", { name: "Remove the filter genre is fable" }).click();
    await cells(page, "Book 2").waitFor();
  });

  test("are filtered by a condition that is typed", async () => {
    const page = await fixture.open(BOOKS);
    await page.getByRole("button", { name: "Add a filter" }).click();
    await page.getByLabel("Attribute").selectOption("year");
    await page.getByLabel("Operator").selectOption("Gte");
    await page.getByLabel("Value").fill("soon");
    await page.keyboard.press("Enter");
    await page.getByText('"soon" is no integer').waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Value").fill("2009");
    await page.keyboard.press("Enter");
    await page.getByText("year ≥ 2009", { exact: true }).waitFor();
    await page.getByText(/^\d+ loaded, all of them/).waitFor();
    const back = page.waitForURL((url) => url.search === "");
    await page.goBack();
    await back;
    await cells(page, "Book 1").waitFor();
  });

  test("are edited and deleted one by one", async () => {
    const page = await fixture.open(`${BOOKS}?document=5`);
    const text = page.getByLabel("The document as JSON");
    await expect.poll(() => text.inputValue()).toContain('"title": "Book 5"');
    await fixture.expectAccessible(page);
    const before = await text.inputValue();
    await text.fill("{");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This is no JSON").waitFor();
    await text.fill(before.replace('"id": 5', '"id": 6'));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The id must stay 5").waitFor();
    await text.fill(before.replace("Book 5", "A changed book"));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Document 5 written").waitFor();
    await cells(page, "A changed book").waitFor();
    await page.getByRole("button", { name: "Open document 5", exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("Document 5 deleted").waitFor();
    await cells(page, "A changed book").waitFor({ state: "detached" });
  });

  test("stay open in a dialog while one that was closed is written", async () => {
    const page = await fixture.open(`${BOOKS}?document=8`);
    const text = page.getByLabel("The document as JSON");
    await text.fill((await text.inputValue()).replace("Book 8", "A slow book"));
    const written = Promise.withResolvers<void>();
    await page.route("**/v2/namespaces/books", async (route) => {
      await written.promise;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Save" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open document 9", exact: true }).click();
    await page.getByRole("dialog", { name: "Document 9" }).waitFor();
    await text.fill('{"id": 9}');
    written.resolve();
    await page.getByText("Document 8 written").waitFor();
    // The table is read again behind the dialog.
    await cells(page, "A slow book").waitFor();
    expect(await text.inputValue()).toBe('{"id": 9}');
  });

  test("are downloaded as they are shown", async () => {
    const page = await fixture.open(`${BOOKS}?columns=["title"]&filter=[["id","Lte",2]]`);
    await page.getByText("2 loaded, all of them").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("books.csv");
    const text = await readFile(await download.path(), "utf8");
    expect(text).toBe("id,title\r\n1,Book 1\r\n2,Book 2\r\n");
    await page.getByRole("button", { name: "Show the request" }).click();
    await page.getByText('"rank_by": ["id", "asc"]').waitFor();
    await fixture.expectAccessible(page);
  });

  test("that a spreadsheet would run are named when they are downloaded as CSV", async () => {
    const rows = [
      { id: 1, a: "=1+1" },
      { id: 2, a: "-2" },
      { id: 3, a: "a" },
    ];
    await seedNamespace(fixture.url, "formulas", { upsert_rows: rows });
    const page = await fixture.open("/console/namespaces/formulas/documents", { width: 390 });
    const note = page.getByText(/^2 texts in the file begin with =, \+, -, @ or a tab/);
    await page.getByText("3 loaded, all of them").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(await readFile(await download.path(), "utf8")).toBe("id,a\r\n1,=1+1\r\n2,-2\r\n3,a\r\n");
    await note.waitFor();
    await fixture.expectAccessible(page);
    await page.getByRole("button", { name: "Download JSONL" }).click();
    await note.waitFor({ state: "detached" });
  });

  test("may have 10,752 dimensions", async () => {
    const page = await fixture.open("/console/namespaces/wide/documents");
    await page
      .getByRole("img", { name: /^10752 dimensions/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Open document 0" }).click();
    const text = page.getByLabel("The document as JSON");
    await expect.poll(async () => (await text.inputValue()).length).toBeGreaterThan(50_000);
  });

  test("what the server refuses is said, and a namespace that is not there, too", async () => {
    const page = await fixture.open(`${BOOKS}?filter=[["missing","Eq",1]]`);
    await page
      .getByText(/missing/)
      .first()
      .waitFor();
    await page.locator(".note-error").waitFor();
    await fixture.expectAccessible(page);
    const other = await fixture.open("/console/namespaces/nothing/documents");
    await other.locator(".note-error").waitFor();
  });
});
