/** The documentation in a browser. */

import { expect, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";

describeConsole("the documentation", ["--indexer", "off"], (fixture) => {
  test.each([
    "/docs/",
    "/docs/configuration",
    "/docs/reference/",
    "/docs/reference/query",
    "/docs/reference/types",
  ])("%s can be read by everybody, in each look", async (path) => {
    for (const theme of ["light", "dark", "contrast"]) {
      const page = await fixture.open(path, { theme });
      await page.getByRole("main").waitFor();
      await fixture.expectAccessible(page);
    }
  });

  test("search finds pages by words, by keys alone", async () => {
    const page = await fixture.open("/docs/");
    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Search the documentation" }).fill("checkpoint");
    await page.getByRole("option", { name: "Make a checkpoint" }).first().waitFor();
    await fixture.expectAccessible(page);
    await page.getByRole("combobox", { name: /Search/ }).fill("rerank_by");
    await page.getByRole("option", { name: /Query/ }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/.+/);
  });

  test("search stays open where one leaves it and comes back at once", async () => {
    const page = await fixture.open("/docs/");
    await page.getByRole("combobox", { name: /Search/ }).fill("checkpoint");
    const found = page.getByRole("option", { name: "Make a checkpoint" }).first();
    await found.waitFor();
    await page.clock.install();
    await page.evaluate(`{
      const input = document.activeElement;
      input.blur();
      input.focus();
    }`);
    await page.clock.runFor(1000);
    expect(await found.isVisible()).toBe(true);
    await page.evaluate("document.activeElement.blur()");
    await page.clock.runFor(1000);
    await found.waitFor({ state: "hidden" });
  });

  test("code can be copied, and what was chosen as look stays", async () => {
    const page = await fixture.open("/docs/reference/query");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");
    expect(copied).toContain("curl");
    await page.getByRole("combobox", { name: "Look" }).selectOption("dark");
    await page.reload();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  });

  test("pages can be read without scripts, and do not scroll sideways", async () => {
    for (const width of WIDTHS) {
      const page = await fixture.open("/docs/reference/write", { width });
      await page.getByRole("heading", { level: 1, name: "Write documents" }).waitFor();
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([width, overflow]).toEqual([width, 0]);
    }
    const html = await (await fetch(`${fixture.url}/docs/configuration`)).text();
    expect(html).toContain("<h1");
    expect(html).toContain("--no-console");
  });

  test("a page that is not there says where to begin", async () => {
    const answer = await fetch(`${fixture.url}/docs/nowhere`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("did you mean GET /docs/?");
  });
});
