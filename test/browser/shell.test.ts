/** The console's frame in a real browser: key, server gone, addresses, themes, size. */

import { expect, test } from "vitest";
import { describeConsole } from "../support/console/open-console.ts";
import { whenInserted } from "../support/console/when-inserted.ts";

describeConsole("the console", [], (fixture) => {
  test("opens at the root of the server, where a browser asks for it", async () => {
    const page = await fixture.open("/");
    expect(new URL(page.url()).pathname).toBe("/console/");
    await page.getByRole("heading", { name: "Namespaces", exact: true }).waitFor();
    expect(await page.title()).toBe("Namespaces · Trawl");
    await fixture.expectAccessible(page);
  });

  test("says of an address that means nothing that it does", async () => {
    const page = await fixture.open("/console/nothing/here");
    await page.getByText("There is no such page").waitFor();
    await fixture.expectAccessible(page);
  });

  test("follows a link that is clicked as soon as it is there, without a load", async () => {
    const click = whenInserted("a[href='/console/operation']", "element.click();");
    const script = `{
      const loads = Number(sessionStorage.getItem("loads_") ?? 0) + 1;
      sessionStorage.setItem("loads_", loads);
      if (loads === 1) ${click}
    }`;
    const page = await fixture.open("/console/", { script });
    await page.getByRole("heading", { name: "Operation" }).waitFor();
    expect(await page.evaluate("sessionStorage.getItem('loads_')")).toBe("1");
  });

  test.each(["light", "dark", "contrast"])("is legible in %s", async (theme) => {
    const page = await fixture.open("/console/", { theme });
    await page.getByRole("heading", { name: "Namespaces", exact: true }).waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Theme").selectOption("light");
    expect(await page.locator("html").getAttribute("data-theme")).toBe("light");
  });
});

describeConsole("the console of a server with keys", ["--api-key", "tpuf_root"], (fixture) => {
  test("asks for a key, keeps it for the session, and puts it in no address", async () => {
    const page = await fixture.open("/console/namespaces");
    await page.getByRole("heading", { name: "This server needs an API key" }).waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("API key or token").fill("tpuf_wrong");
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByText("unknown API key").waitFor();
    await page.getByLabel("API key or token").fill("tpuf_root");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Namespaces", exact: true }).waitFor();
    expect(page.url()).not.toContain("tpuf");
    await page.reload();
    await page.getByRole("heading", { name: "Namespaces", exact: true }).waitFor();
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("tpuf");
    await page.getByRole("button", { name: /API key: --api-key/ }).click();
    await fixture.expectAccessible(page);
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByRole("heading", { name: "This server needs an API key" }).waitFor();
  });

  test("says why a key may not see a screen", async () => {
    const asked = { name: "reader", actions: ["read"], namespaces: ["a-*", "books"] };
    const made = await fetch(`${fixture.url}/trawl/keys`, {
      method: "POST",
      headers: { authorization: "Bearer tpuf_root" },
      body: JSON.stringify(asked),
    });
    const { key } = (await made.json()) as { key: string };
    const page = await fixture.open("/console/", { key });
    await page.getByText("lacks the action list").waitFor();
    await page.getByRole("link", { name: "books" }).waitFor();
    await fixture.expectAccessible(page);
    // What it has is reached by its name.
    await page.getByLabel("Open a namespace by its name").fill("a-1");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Documents" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/namespaces/a-1/documents");
  });
});

describeConsole("the console of a server that goes away", [], (fixture) => {
  test("says so, and that it is asked again", async () => {
    const page = await fixture.open("/console/");
    await page.getByRole("heading", { name: "Namespaces", exact: true }).waitFor();
    await fixture.server.stop();
    await page.getByLabel("Search namespaces").fill("a");
    await page.getByText("it is asked again every two seconds").waitFor();
    await fixture.expectAccessible(page);
  });
});
