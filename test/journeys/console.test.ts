/** The console in a browser, from a file to what is found in it. */

import { expect, test } from "vitest";
import { describeConsole } from "../support/console/open-console.ts";

describeConsole("the console", [], (fixture) => {
  test("imports a file, searches it, and shows a document", async () => {
    const csv = ["id,title", ...["A walrus at sea", "The quick fox"].map((t, i) => `${i},${t}`)];
    const file = { name: "books.csv", mimeType: "text/csv", buffer: Buffer.from(csv.join("\n")) };
    const page = await fixture.open("/console/");
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await page.getByLabel("Choose files").setInputFiles(file);
    await page.getByLabel("Full text of title").check();
    await page.getByRole("button", { name: "Import", exact: true, disabled: false }).click();
    await page.getByText("2 rows imported").first().waitFor();

    await page.getByRole("link", { name: "Search in books" }).click();
    await page.getByLabel("Words", { exact: true }).fill("walrus");
    await page.keyboard.press("Enter");
    const found = page.getByRole("table", { name: "Documents found" });
    await found.getByText("A walrus at sea").waitFor();
    await fixture.expectAccessible(page);

    await page.goto(`${fixture.url}/console/namespaces/books/documents`);
    await page.getByRole("button", { name: "Open document 0" }).click();
    const document = page.getByLabel("The document as JSON");
    await expect.poll(() => document.inputValue()).toContain("A walrus at sea");
  });
});
