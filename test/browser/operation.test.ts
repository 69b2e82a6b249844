/** The screen Operation in a real browser. */

import { expect, test } from "vitest";
import { describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { screenshot } from "../support/console/screenshot.ts";
import { whenInserted } from "../support/console/when-inserted.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = "tpuf_root";
const WORDS = "of many words ".repeat(40);
const SLOW = { http: { slowRequestMs: 1, slowRequestsLoggedMax: 100_000 } };

describeConsole("the screen Operation", SLOW, (fixture) => {
  const call = async (path: string, body?: unknown) => {
    const answer = await rawCall(body === undefined ? "GET" : "POST", path, body, {
      url: fixture.url,
    });
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  const fill = (namespace: string) =>
    call(`/v2/namespaces/${namespace}`, {
      schema: { title: { type: "string", fuzzy: true, filterable: true } },
      upsert_columns: {
        id: Array.from({ length: 500 }, (_, i) => i),
        title: Array.from({ length: 500 }, (_, i) => `document ${i} ${WORDS}`),
      },
    });

  test("draws what the server does, and stands still when asked to or unseen", async () => {
    await fill("live");
    const page = await fixture.open("/console/operation");
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/metrics")) asked++;
    });
    const throughput = page.getByRole("list", { name: "Throughput, now" });
    await throughput.getByText(/queries \d/).waitFor();
    // Requests of this moment are seen by the next ones.
    await expect
      .poll(async () => {
        await call("/v2/namespaces/live/query", { rank_by: ["id", "asc"], limit: 3 });
        return throughput.textContent();
      })
      .toMatch(/queries (?!0\.0)[\d.]+\/s/);
    await page
      .getByRole("list", { name: "Query latency, now" })
      .getByText(/p99 .* ms/)
      .waitFor();
    expect(await page.locator(".live-canvas canvas").count()).toBe(8);
    await fixture.expectAccessible(page);
    // From the next request on, the page waits by a clock that can be run ahead.
    await page.clock.install();
    await page.waitForRequest("**/metrics");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused: the server is not asked.").waitFor();
    const before = asked;
    await page.clock.runFor(60_000);
    expect(asked).toBe(before);
    await Promise.all([
      page.waitForRequest("**/metrics"),
      page.getByRole("button", { name: "Pause" }).click(),
    ]);
    // What a browser says of a page whose tab is left.
    await page.evaluate(`{
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }`);
    await page.getByText("Paused: the server is not asked.").waitFor();
  });

  test("asks as soon as its tab comes to the front", async () => {
    const come = whenInserted(
      ".live-chart",
      `isHidden = false;
      document.dispatchEvent(new Event("visibilitychange"));`,
    );
    const script = `{
      let isHidden = true;
      Object.defineProperty(document, "hidden", { get: () => isHidden });
      ${come}
    }`;
    const page = await fixture.open("/console/operation", { script });
    const memory = page.getByRole("list", { name: "Memory, now" });
    await memory.getByText(/server [\d.]+ MiB/).waitFor();
  });

  test.each(WIDTHS)("is legible at a width of %s", async (width) => {
    for (const tab of ["live", "slow", "keys", "backups"]) {
      const page = await fixture.open(`/console/operation?tab=${tab}`, { width });
      await page.getByRole("tab", { selected: true }).waitFor();
      await page.getByRole("status").getByText("Asking").waitFor({ state: "detached" });
      await fixture.expectAccessible(page);
      const wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      expect(await page.evaluate(wide), tab).toBe(false);
      await screenshot(page, `operation-${tab}-${width}`);
    }
  });

  test("goes from tab to tab by keys, each with an address", async () => {
    const page = await fixture.open("/console/operation");
    await page.getByRole("tab", { name: "Live" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tabpanel", { name: "Slow queries" }).waitFor();
    expect(page.url()).toMatch(/\/console\/operation\?tab=slow$/);
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("tabpanel", { name: "Live" }).waitFor();
    await page.goBack();
    await page.getByRole("tabpanel", { name: "Slow queries" }).waitFor();
  });

  test("tells why a query was slow, without a word of it", async () => {
    await fill("slow");
    const secret = "nowhere to be found";
    const fuzzy = [
      "title",
      "Fuzzy",
      secret,
      { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] },
    ];
    const filters = ["Or", Array.from({ length: 12 }, () => fuzzy)];
    await call("/v2/namespaces/slow/query", { rank_by: ["id", "asc"], limit: 3, filters });
    const page = await fixture.open("/console/operation?tab=slow");
    const row = page.getByRole("row").filter({ hasText: "Fuzzy" }).first();
    await row.getByText("query: order").waitFor();
    await row.getByRole("button", { name: /details of/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Where the time went").waitFor();
    await dialog.getByRole("row", { name: /^strings tested/ }).waitFor();
    await fixture.expectAccessible(page);
    expect(await page.content()).not.toContain(secret);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Took" }).click();
    expect(page.url()).toContain("order=slowest");
  });

  test("composes the command of a backup, which makes one", async () => {
    await fill("copied");
    const directory = await temporaryDirectory();
    const page = await fixture.open("/console/operation?tab=backups");
    const commands = page.getByRole("region", { name: "the backup commands" });
    await page.getByLabel("Keep the newest").fill("many");
    await page.getByText("type a whole number from 1 to 999999").waitFor();
    await fixture.expectAccessible(page);
    await page.getByLabel("Keep the newest").fill("3");
    await page.getByLabel("Into the directory or bucket").fill(directory.path);
    await page.getByLabel("Only the namespaces").fill("copied");
    const line = `npx trawl backup --to ${directory.path} --namespace=copied --keep 3`;
    await commands.getByText(line).waitFor();
    const text = (await commands.textContent()) ?? "";
    const [, words = ""] = /npx trawl (backup .*)/.exec(text) ?? [];
    const { code, err } = await runCli([...words.split(" "), "--url", fixture.url]);
    expect(code, err).toBe(0);
    // What is composed beside it verifies the backup, and brings it back by another name.
    for (const label of ["the command that verifies", "the restore commands"]) {
      const block = await page.getByRole("region", { name: label }).textContent();
      const [, composed = ""] = /npx trawl (.*)/.exec(block ?? "") ?? [];
      const address = composed.startsWith("verify") ? [] : ["--url", fixture.url];
      const done = await runCli([...composed.split(" "), ...address]);
      expect(done.code, done.err).toBe(0);
    }
    const { json } = await call("/v1/namespaces/copied-restored/metadata");
    expect(json.approx_row_count).toBe(500);
    await directory.remove();
    // The address has it, so that it can be sent to who runs it.
    const again = await fixture.open(page.url().slice(fixture.url.length));
    await again.getByText(line).waitFor();
  });

  test("keeps a state by a checkpoint, and brings it back", async () => {
    await fill("kept");
    const page = await fixture.open("/console/operation?tab=backups&namespace=kept");
    await page.getByText("No checkpoints of kept").waitFor();
    await page.getByRole("button", { name: "Create a checkpoint" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Expires in").fill("soon");
    await dialog.getByText("is no duration").waitFor();
    await dialog.getByLabel("Expires in").fill("1h");
    await dialog.getByLabel("Name", { exact: true }).fill("not a name!");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("alert").waitFor();
    await fixture.expectAccessible(page);
    await dialog.getByLabel("Name", { exact: true }).fill("before");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Restore before" }).click();
    await dialog.getByLabel("As namespace").fill("kept-2");
    await page.keyboard.press("Enter");
    await dialog.getByText("is what kept was").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    const { json } = await call("/v1/namespaces/kept-2/metadata");
    expect(json.approx_row_count).toBe(500);
    await page.getByRole("button", { name: "Delete before" }).click();
    await page.getByRole("button", { name: "Delete the checkpoint" }).click();
    await page.getByText("No checkpoints of kept").waitFor();
    await page.getByText(`export TURBOPUFFER_BASE_URL=${fixture.url}`).first().waitFor();
  });
});

describeConsole("the screen Operation with keys", ["--api-key", ROOT], (fixture) => {
  const made = async (actions: string[], namespaces = ["*"]) => {
    const headers = { authorization: `Bearer ${ROOT}` };
    const body = { name: actions.join("-"), actions, namespaces };
    const { json } = await rawCall("POST", "/trawl/keys", body, { url: fixture.url, headers });
    return json.key as string;
  };
  const statusOf = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await rawCall("GET", "/v1/namespaces", undefined, { url: fixture.url, headers }))
      .status;
  };

  test("makes a key, shows it once, and ends it", async () => {
    const page = await fixture.open("/console/operation?tab=keys", { key: ROOT });
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    // The server has a key: this one opens nothing that was closed, and may do the least.
    expect(await dialog.getByText("From the first key on").count()).toBe(0);
    expect(await dialog.getByLabel("read").isChecked()).toBe(true);
    expect(await dialog.getByLabel("admin").isChecked()).toBe(false);
    await dialog.getByLabel("Expires in").fill("soon");
    await dialog.getByLabel("Name", { exact: true }).fill("scripts");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/expires_in/)
      .waitFor();
    await fixture.expectAccessible(page);
    await dialog.getByLabel("Expires in").fill("90d");
    await dialog.getByLabel("read").uncheck();
    await dialog.getByLabel("list").check();
    await page.keyboard.press("Enter");
    await dialog.getByText("This is the only time").waitFor();
    const key = (await dialog.getByRole("region", { name: "the key" }).textContent()) ?? "";
    expect(key).toMatch(/^tpuf_/);
    expect(await statusOf(key)).toBe(200);
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("row", { name: /^scripts/ }).waitFor();
    await fixture.expectAccessible(page);
    expect(await page.content()).not.toContain(key);
    const create = page.getByRole("button", { name: "Create a key" });
    await create.and(page.locator(":focus")).waitFor();
    await page.getByRole("button", { name: "Revoke scripts" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByRole("row", { name: /^scripts.*revoked/ }).waitFor();
    expect(await statusOf(key)).toBe(401);
  });

  test("shows a key that was made while its form was closed", async () => {
    const page = await fixture.open("/console/operation?tab=keys", { key: ROOT });
    const answered = Promise.withResolvers<void>();
    await page.route("**/trawl/keys", async (route) => {
      if (route.request().method() === "POST") await answered.promise;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("closed");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Create", disabled: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    answered.resolve();
    await dialog.getByText("This is the only time").waitFor();
    await dialog.getByRole("button", { name: "I have kept it" }).click();
    await page.getByRole("row", { name: /^closed/ }).waitFor();
  });

  test("keeps the form that was opened while a key was made, and shows each key", async () => {
    const page = await fixture.open("/console/operation?tab=keys", { key: ROOT });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let requests = 0;
    await page.route("**/trawl/keys", async (route) => {
      if (route.request().method() === "POST") await gates[requests++].promise;
      await route.fallback();
    });
    const form = page.getByRole("dialog", { name: "Create a key" });
    const submit = async (name: string) => {
      await page.getByRole("button", { name: "Create a key" }).click();
      await form.getByLabel("Name", { exact: true }).fill(name);
      await page.keyboard.press("Enter");
      await form.getByRole("button", { name: "Create", disabled: true }).waitFor();
    };
    await submit("first");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await submit("second");
    const made = (name: string) => page.getByRole("dialog", { name: `Key ${name} is made` });
    gates[0].resolve();
    await made("first").getByText("This is the only time").waitFor();
    expect(await page.locator("dialog").count()).toBe(2);
    gates[1].resolve();
    await made("second").getByText("This is the only time").waitFor();
    for (const name of ["second", "first"]) {
      const text = await made(name).getByRole("region", { name: "the key" }).textContent();
      expect(await statusOf(text ?? "")).not.toBe(401);
      await made(name).getByRole("button", { name: "I have kept it" }).click();
      await made(name).waitFor({ state: "detached" });
    }
    expect(await page.locator("dialog").count()).toBe(0);
    await page.getByRole("row", { name: /^second/ }).waitFor();
  });

  test("says of each part which right the key lacks", async () => {
    const page = await fixture.open("/console/operation", { key: await made(["list"], ["a-*"]) });
    await page
      .getByRole("alert")
      .getByText(/for metrics of all namespaces/)
      .waitFor();
    for (const [tab, title] of [
      ["Slow queries", "Slow queries are not for this key"],
      ["Keys", "Keys are not for this key"],
      ["Backups", "Backups are not for this key"],
    ]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("heading", { name: title }).waitFor();
      await page.getByText("lacks the action admin").waitFor();
      await fixture.expectAccessible(page);
    }
  });
});

describeConsole("the screen Operation of a server that goes away", [], (fixture) => {
  test("says so, and keeps what was drawn", async () => {
    const page = await fixture.open("/console/operation");
    const memory = page.getByRole("list", { name: "Memory, now" });
    await memory.getByText(/server [\d.]+ MiB/).waitFor();
    await fixture.server.stop();
    await page.getByText("The server cannot be reached").first().waitFor();
    await memory.getByText(/server [\d.]+ MiB/).waitFor();
    await fixture.expectAccessible(page);
  });
});
