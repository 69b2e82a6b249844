/** The console's list over a server that really has ten thousand namespaces. */

import { expect, test } from "vitest";
import { runBounded } from "../../console/base/run-bounded.ts";
import { describeConsole } from "../support/console/open-console.ts";
import { seedNamespace } from "../support/console/seed-namespace.ts";

const COUNT = 10_000;
const WRITERS = 8;
/** What a window of 800 pixels has room for, and what is kept ready above and below. */
const ROWS_MAX = 60;

const nameOf = (i: number) => `tenant-${String(i).padStart(5, "0")}`;
const LAST = nameOf(COUNT - 1);

describeConsole("ten thousand namespaces of a server", [], (fixture) => {
  test("are listed, gone through to the end, and found", async () => {
    const upsert_rows = [{ id: 1, n: 1 }];
    await runBounded(
      Array.from({ length: COUNT }, (_, i) => nameOf(i)),
      (name) => seedNamespace(fixture.url, name, { upsert_rows }),
      { atOnce: WRITERS, signal: new AbortController().signal },
    );
    const page = await fixture.open("/console/");
    const rowCount = () => page.locator(".table-body [role=row]").count();
    await page.getByRole("link", { name: nameOf(0) }).waitFor();
    await page.getByText("200 and more").waitFor();
    expect(await rowCount()).toBeLessThanOrEqual(ROWS_MAX);
    const table = page.getByRole("region", { name: "Namespaces" });
    await table.focus();
    const counts: number[] = [];
    await expect
      .poll(
        async () => {
          await table.press("End");
          counts.push(await rowCount());
          return page.getByRole("link", { name: LAST }).count();
        },
        { timeout: 120_000 },
      )
      .toBe(1);
    await page.getByText("10,000", { exact: true }).waitFor();
    expect(Math.max(...counts)).toBeLessThanOrEqual(ROWS_MAX);
    // What is in the last one was asked of the server: its document, and its one attribute.
    const row = page.getByRole("row", { name: LAST });
    await row.getByText(/up to date|behind/).waitFor();
    expect(await row.getByRole("cell").nth(1).innerText()).toBe("1");
    await page.getByLabel("Search namespaces").fill("tenant-0987");
    await page.getByText("10", { exact: true }).waitFor();
    await page.getByRole("link", { name: "tenant-09876" }).click();
    await page.getByRole("heading", { name: "Documents" }).waitFor();
  });
});
