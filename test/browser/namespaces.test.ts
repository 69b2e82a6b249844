/** The screen of namespaces in a real browser. */

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { books, seedNamespace } from "../support/console/seed-namespace.ts";
import { whenInserted } from "../support/console/when-inserted.ts";

/** A machine that is busy with other tests may take long. */
const PATIENCE = { timeout: 30_000 };
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

describeConsole("the namespaces", [], (fixture) => {
  beforeAll(async () => {
    await seedNamespace(fixture.url, "books", books(30));
    // More than one page of the listing.
    for (let i = 0; i < 230; i++) {
      const name = `many-${String(i).padStart(3, "0")}`;
      await seedNamespace(fixture.url, name, { upsert_rows: [{ id: 1, a: i }] });
    }
  });

  test.each(WIDTHS)("are listed with what is in them, %i pixels wide", async (width) => {
    const page = await fixture.open("/console/namespaces", { width });
    await rowOf(page, "books").getByText("30", { exact: true }).waitFor();
    await rowOf(page, "books").getByText("up to date").waitFor();
    await fixture.expectAccessible(page);
  });

  test("are found by how their names begin, and the address says so", async () => {
    const page = await fixture.open("/console/namespaces");
    await page.getByLabel("Search namespaces").fill("many-22");
    await page.getByText("many-229").waitFor();
    await page.getByText("books", { exact: true }).waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("?prefix=many-22");
    await page.getByLabel("Search namespaces").fill("nothing");
    await page.getByText("No namespace begins with nothing").waitFor();
    await fixture.expectAccessible(page);
  });

  test("come page by page, and only those in sight are asked about", async () => {
    const page = await fixture.open("/console/namespaces");
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/metadata")) asked.push(request.url());
    });
    await page.getByText("200 and more").waitFor();
    const table = page.getByRole("region", { name: "Namespaces" });
    await table.focus();
    // The last ones are there when the next page is.
    await expect
      .poll(async () => {
        await table.press("End");
        return page.getByText("many-229").count();
      }, PATIENCE)
      .toBeGreaterThan(0);
    await page.getByText("231", { exact: true }).waitFor();
    expect(asked.length).toBeLessThan(150);
  });

  test("are created by an example, whose types are shown", async () => {
    const page = await fixture.open("/console/namespaces");
    await page.getByRole("button", { name: "Create a namespace" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a namespace" });
    await dialog.getByLabel("One document as an example").fill('{"id": 1, "title": ');
    await dialog.getByText("This is no JSON").waitFor();
    await dialog
      .getByLabel("One document as an example")
      .fill('{"id": 18446744073709551615, "title": "A walrus at sea", "vector": [0.1, 0.9]}');
    await dialog.getByText("[2]f32").waitFor();
    await fixture.expectAccessible(page);
    await dialog.getByLabel("Name").fill("created");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Documents" }).waitFor();
    await page.getByRole("button", { name: "Open document 18446744073709551615" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/namespaces/created/documents");
  });

  test("are created in a dialog that takes keys as soon as it is there", async () => {
    const script = whenInserted(
      "dialog",
      "window.focused_ = document.activeElement.labels?.[0].textContent;",
    );
    const page = await fixture.open("/console/namespaces", { script });
    await page.getByRole("button", { name: "Create a namespace" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await page.evaluate("window.focused_")).toBe("Name");
  });

  test("are branched, kept, and deleted when their name is typed", async () => {
    await seedNamespace(fixture.url, "doomed", books(3));
    const page = await fixture.open("/console/namespaces?prefix=doomed");
    await page.getByRole("button", { name: "Actions on doomed" }).click();
    await fixture.expectAccessible(page);
    await page.getByLabel("Name of the branch").fill("doomed-branch");
    await page.getByRole("button", { name: "Branch", exact: true }).click();
    await rowOf(page, "doomed-branch").getByText("branch", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions on doomed", exact: true }).click();
    await page.getByRole("tab", { name: "Branch" }).press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByLabel("Name of the checkpoint").fill("before");
    await page.keyboard.press("Enter");
    await page.getByText("doomed kept in a checkpoint").waitFor();
    await page.getByRole("button", { name: "Actions on doomed", exact: true }).click();
    await page.getByRole("tab", { name: "Delete" }).click();
    await page.getByLabel("Type the namespace's name").fill("doome");
    await page.keyboard.press("Enter");
    await page.getByText("Type doomed, letter for letter").waitFor();
    await page.getByLabel("Type the namespace's name").fill("doomed");
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("doomed deleted").waitFor();
    await page.getByRole("link", { name: "doomed", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "doomed-branch" }).waitFor();
  });

  test("what the server refuses is said where it was asked for", async () => {
    const page = await fixture.open("/console/namespaces?open=branch&of=books");
    await page.getByLabel("Name of the branch").fill("many-001");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.locator(".field-error").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
  });
});

describeConsole("a server without namespaces", [], (fixture) => {
  test("says what to do next", async () => {
    const page = await fixture.open("/console/");
    await page.getByText("There are no namespaces yet").waitFor();
    await fixture.expectAccessible(page);
  });

  test("an answer that is no JSON is told of, and asked for again", async () => {
    const page = await fixture.open("/console/");
    await page.getByText("There are no namespaces yet").waitFor();
    let isBroken = true;
    await page.route("**/v2/namespaces?*", (route) =>
      isBroken
        ? route.fulfill({ body: '{"namespaces": [', contentType: "application/json" })
        : route.continue(),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("the server's answer cannot be read").waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("There are no namespaces yet").waitFor();
  });
});

describeConsole("namespaces of a key that only reads", ["--api-key", "tpuf_root"], (fixture) => {
  test("show what it may, and say why it may do no more", async () => {
    const headers = { authorization: "Bearer tpuf_root" };
    const write = { upsert_rows: [{ id: 1, title: "a" }] };
    const send = (path: string, body: unknown) =>
      fetch(fixture.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    await send("/v2/namespaces/a-1", write);
    const made = await send("/trawl/keys", {
      name: "reader",
      actions: ["read", "list"],
      namespaces: ["a-*"],
    });
    const { key } = (await made.json()) as { readonly key: string };
    const page = await fixture.open("/console/", { key });
    await page.getByRole("link", { name: "a-1" }).waitFor();
    const create = page.getByRole("button", { name: /Create a namespace/ });
    expect(await create.getAttribute("aria-disabled")).toBe("true");
    expect(await create.getAttribute("title")).toContain("lacks the action write");
    await page.getByRole("button", { name: "Actions on a-1" }).click();
    await page.getByRole("tab", { name: "Delete" }).click();
    const remove = page.getByRole("button", { name: /Delete for good/ });
    expect(await remove.getAttribute("aria-disabled")).toBe("true");
    await fixture.expectAccessible(page);
  });
});
