/** The list of namespaces where there are ten thousand of them, as a server with so many answers. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";

const COUNT = 10_000;
const NAMES = Array.from({ length: COUNT }, (_, i) => `tenant-${String(i).padStart(5, "0")}`);
const LAST = NAMES[COUNT - 1];
/** What a window of 800 pixels has room for, and what is kept ready above and below. */
const ROWS_MAX = 60;
/** Two for the page, and those of the table of at most so many rows for each place it was at. */
const PLACES_MAX = 12;

const METADATA = {
  schema: { id: { type: "uint" }, a: { type: "int", filterable: true } },
  approx_row_count: 20,
  approx_logical_bytes: 960,
  created_at: "2026-01-01T00:00:00.000000000Z",
  updated_at: "2026-01-01T00:00:00.000000000Z",
  index: { status: "up-to-date", unindexed_rows: 0 },
  encryption: { mode: "sse" },
};

/** What was asked of the server for the list. */
interface Asked {
  listings: number;
  readonly metadata: string[];
}

/** Answers for a server whose namespaces are `NAMES`. */
async function answerForMany(page: Page): Promise<Asked> {
  const asked: Asked = { listings: 0, metadata: [] };
  await page.route(/\/v2\/namespaces\?/, async (route) => {
    asked.listings++;
    const { searchParams } = new URL(route.request().url());
    const size = Number(searchParams.get("page_size") ?? 100);
    const found = NAMES.filter((name) => name.startsWith(searchParams.get("prefix") ?? ""));
    const start = found.findIndex((name) => name > (searchParams.get("cursor") ?? ""));
    const names = start === -1 ? [] : found.slice(start, start + size);
    const isLast = start === -1 || start + size >= found.length;
    const namespaces = names.map((id) => ({ id }));
    await route.fulfill({ json: { namespaces, next_cursor: isLast ? null : names.at(-1) } });
  });
  await page.route(/\/v2\/namespaces\/[^/]+\/metadata$/, async (route) => {
    asked.metadata.push(route.request().url());
    await route.fulfill({ json: METADATA });
  });
  return asked;
}

const table = (page: Page) => page.getByRole("region", { name: "Namespaces" });
const rowCount = (page: Page) => page.locator(".table-body [role=row]").count();

describeConsole("ten thousand namespaces", [], (fixture) => {
  async function openMany(width = 1024) {
    const page = await fixture.open("/console/operation?tab=keys", { width });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const asked = await answerForMany(page);
    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByRole("link", { name: "tenant-00000" }).waitFor();
    return { page, asked };
  }

  test.each(WIDTHS)("show their first ones by one request, %i pixels wide", async (width) => {
    const { page, asked } = await openMany(width);
    await page.getByText("200 and more").waitFor();
    expect(asked.listings).toBe(1);
    await page.getByText("up to date").first().waitFor();
    expect(await rowCount(page)).toBeLessThanOrEqual(ROWS_MAX);
    await fixture.expectAccessible(page);
    await screenshot(page, `many-namespaces-${width}`);
  });

  test("are gone through to the end, with few rows in the page and few requests", async () => {
    const { page, asked } = await openMany();
    await table(page).focus();
    const counts: number[] = [];
    await expect
      .poll(
        async () => {
          await table(page).press("End");
          counts.push(await rowCount(page));
          return page.getByRole("link", { name: LAST }).count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await page.getByText("10,000", { exact: true }).waitFor();
    await page.getByRole("row", { name: LAST }).getByText("up to date").waitFor();
    // One of 200 names, then as many as the API gives at once.
    expect(asked.listings).toBe(11);
    expect(Math.max(...counts)).toBeLessThanOrEqual(ROWS_MAX);
    expect(asked.metadata.length).toBeLessThanOrEqual(PLACES_MAX * ROWS_MAX);
    // None is asked about twice, wherever the table was.
    expect(new Set(asked.metadata).size).toBe(asked.metadata.length);
    await table(page).press("Home");
    await page.getByRole("link", { name: "tenant-00000" }).waitFor();
    expect(asked.listings).toBe(11);
    await fixture.expectAccessible(page);
  });

  test("are all listed after scrolling during a refresh", async () => {
    const { page } = await openMany();
    await page.getByText("200 and more").waitFor();
    await table(page).press("End");
    await page.getByText("1,200 and more").waitFor();
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let listings = 0;
    await page.route(/\/v2\/namespaces\?/, async (route) => {
      await answers[listings++]?.promise;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("status").getByText("Loading").waitFor();
    await table(page).press("End");
    await page.getByRole("link", { name: "tenant-01199" }).waitFor();
    answers[0].resolve();
    await page.getByText("200 and more", { exact: true }).waitFor();
    // As the end is near, the next page is asked for without another key.
    answers[1].resolve();
    await page.getByText("1,200 and more").waitFor();
    expect(listings).toBe(2);
    await table(page).press("End");
    const row = page.getByRole("row", { name: "tenant-01199" });
    expect(await row.getAttribute("aria-rowindex")).toBe("1201");
  });

  test("are found by their names while one types, and opened, and gone back to", async () => {
    const { page, asked } = await openMany();
    await page.getByText("200 and more").waitFor();
    // By the page's clock, however long it takes here.
    await page.clock.install();
    const now = (await page.evaluate("Date.now()")) as number;
    await page.clock.pauseAt(now + 1000);
    for (const letter of "tenant-098") {
      await page.getByLabel("Search namespaces").press(letter);
      await page.clock.runFor(100);
    }
    await page.clock.resume();
    await page.getByRole("link", { name: "tenant-09800" }).waitFor();
    await page.getByText("100", { exact: true }).waitFor();
    // Not one for each letter.
    expect(asked.listings).toBe(2);
    expect(await rowCount(page)).toBeLessThanOrEqual(ROWS_MAX);
    await page.getByLabel("Search namespaces").fill("tenant-09876");
    await page.getByRole("link", { name: "tenant-09876" }).click();
    await page.getByRole("heading", { name: "Documents" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "tenant-09876" }).waitFor();
    expect(await page.getByLabel("Search namespaces").inputValue()).toBe("tenant-09876");
  });
});

describeConsole("namespaces that no browser can ask for", [], (fixture) => {
  test("are shown with the reason, without a link, and can be branched", async () => {
    const page = await fixture.open("/console/operation?tab=keys");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(new URL(request.url()).pathname));
    const namespaces = [".", "..", "books"].map((id) => ({ id }));
    await page.route(/\/v2\/namespaces\?/, (route) =>
      route.fulfill({ json: { namespaces, next_cursor: null } }),
    );
    let branched: unknown;
    await page.route(/\/v2\/namespaces\/books-2$/, async (route) => {
      branched = route.request().postDataJSON();
      await route.fulfill({ json: { status: "OK" } });
    });
    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByRole("link", { name: "books" }).waitFor();
    expect(await page.getByRole("table").getByRole("link").count()).toBe(1);
    const row = page.getByRole("row").filter({ hasText: "“..” in an address for a folder" });
    await fixture.expectAccessible(page);
    await screenshot(page, "unreachable-namespaces");
    await row.getByRole("button", { name: "Actions on .." }).click();
    await page.getByRole("tab", { name: "Delete" }).click();
    const remove = page.getByRole("button", { name: /Delete for good/ });
    expect(await remove.getAttribute("aria-disabled")).toBe("true");
    expect(await remove.getAttribute("title")).toContain("a branch or copy of it can be opened");
    await page.getByRole("tab", { name: "Branch" }).click();
    await page.getByLabel("Name of the branch").fill(".");
    await page.keyboard.press("Enter");
    await page.getByText("Browsers take “.” in an address for a folder").first().waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Name of the branch").fill("books-2");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(branched).toEqual({ branch_from_namespace: ".." });
    // Nothing was asked by a path that a browser has shortened.
    expect(sent.filter((path) => /^\/v2\/(?:namespaces\/)?(?:metadata)?$/.test(path))).toEqual([]);
  });
});
