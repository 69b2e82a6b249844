/** The screen Import in a real browser, over real files. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { type ConsoleFixture, describeConsole, WIDTHS } from "../support/console/open-console.ts";
import { whenInserted } from "../support/console/when-inserted.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { EVERY_TYPE_FILES } from "../support/transfer/every-type-files.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-console-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** All documents by id and all types, as the server writes them. */
async function contentOf({ url }: ConsoleFixture, namespace: string): Promise<string[]> {
  const query = { rank_by: ["id", "asc"], top_k: 1000, include_attributes: true };
  const path = `/v2/namespaces/${namespace}`;
  const rows = await rawCall("POST", `${path}/query`, query, { url });
  const schema = await rawCall("GET", `/v1/namespaces/${namespace}/schema`, undefined, { url });
  return [/"rows":(\[.*\]),"billing"/s.exec(rows.text)?.[1] ?? rows.text, schema.text];
}

async function choose(page: Page, ...paths: string[]): Promise<void> {
  await page.getByLabel("Choose files").setInputFiles(paths);
}

/** Starts the import once all is planned. */
async function runImport(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Import", exact: true, disabled: false }).click();
}

const lines = (count: number, text = "x") =>
  Array.from({ length: count }, (_, i) => `{"id":${i},"text":"${text}"}`).join("\n");

describeConsole("the screen Import", [], (fixture) => {
  test.each(Object.keys(EVERY_TYPE_FILES))("makes of %s what trawl import does", async (name) => {
    const path = file(name, EVERY_TYPE_FILES[name]());
    const namespace = name.replaceAll(".", "-");
    const rejects = join(folder, `${name}.rejects`);
    const words = ["import", path, "--namespace", `cli-${namespace}`, "--rejects", rejects];
    if (name.includes(".json")) words.push("--map", "nested=");
    const cli = await runCli([...words, "--url", fixture.url]);
    expect([0, 3], cli.err).toContain(cli.code);
    const page = await fixture.open(`/console/import?namespace=page-${namespace}`);
    await choose(page, path);
    await runImport(page);
    await page.getByRole("link", { name: /^Look at the documents/ }).waitFor();
    const [rows, types] = await contentOf(fixture, `cli-${namespace}`);
    expect(rows).toMatch(/^\[\{"id":1,.*\},\{"id":2,/);
    expect(await contentOf(fixture, `page-${namespace}`)).toEqual([rows, types]);
    const rejected = readFileSync(rejects, "utf8").replaceAll(path, name);
    if (rejected === "") return;
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download rejected rows" }).click();
    const saved = await (await downloading).path();
    expect(readFileSync(saved, "utf8")).toBe(rejected);
    await fixture.expectAccessible(page);
  });

  test("has a file searched by words and by meaning, without a word typed twice", async () => {
    const works = ["The Pilot Boat", "Ship in a Storm", "Portrait of a Lady", "Still Life"];
    const rows = Array.from({ length: 70 }, (_, i) => `N${i},"${works[i % 4]}, no. ${i}",${i}`);
    const path = file("our works.csv", ["code,title,width", ...rows].join("\n"));
    const page = await fixture.open("/console/");
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await choose(page, path);
    await page.getByLabel("Ids from").selectOption("code");
    await page.getByLabel("Full text of title").check();
    await page.getByLabel("Meaning of title").check();
    await page.getByLabel("Distance metric").waitFor();
    await fixture.expectAccessible(page);
    await runImport(page);
    await page.getByText("70 rows imported").first().waitFor();
    await page.getByRole("link", { name: "Search in our-works" }).click();
    await page.getByLabel("Words", { exact: true }).fill("storm");
    await page.keyboard.press("Enter");
    const found = page.getByRole("table", { name: "Documents found" });
    const first = found.getByRole("row").nth(1);
    await first.getByText(/Ship in a Storm/).waitFor();
    await page.getByRole("button", { name: "Vector", exact: true }).click();
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("storm");
    await page.getByLabel("Text", { exact: true }).fill("vessel");
    await page.keyboard.press("Enter");
    await first.getByText(/Boat|Ship/).waitFor();
    const titles = await found.getByRole("columnheader").allInnerTexts();
    expect(titles.slice(0, 3)).toEqual(["id", "$dist", "title"]);
  });

  test("takes corrections of the schema, by keys alone, and is legible at each width", async () => {
    const rows = [
      "key,title,code,emb,spare",
      '1,A walrus at sea,7,"[0.5,1]",x',
      '2,The quick fox,8,"[1,2]",y',
    ];
    const path = file("books.csv", rows.join("\n"));
    for (const width of WIDTHS) {
      const page = await fixture.open("/console/import", { width });
      await choose(page, path);
      await page.getByText("There is none of this name: it will be made.").waitFor();
      expect(await page.getByLabel("Namespace", { exact: true }).inputValue()).toBe("books");
      await page.getByLabel("Namespace", { exact: true }).fill("");
      await page.getByText("Name the namespace first.").first().waitFor();
      await page.getByLabel("Ids from").waitFor();
      await fixture.expectAccessible(page);
    }
    const page = await fixture.open("/console/import?namespace=books");
    await choose(page, path);
    await page.getByLabel("Ids from").selectOption("key");
    await page.getByLabel("Import spare").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Full text of title").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Type of code").selectOption("string");
    await page.getByLabel("Filters on code").uncheck();
    await page.getByLabel("Attribute of emb").fill("vector");
    await page.getByText("Distance metric").waitFor();
    await page.getByLabel("Distance metric").selectOption("euclidean_squared");
    await page.getByRole("button", { name: "Import", exact: true, disabled: false }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("2 rows imported in").first().waitFor();
    const [documents, types] = await contentOf(fixture, "books");
    expect(JSON.parse(documents)).toEqual([
      { id: 1, title: "A walrus at sea", code: "7", vector: [0.5, 1] },
      { id: 2, title: "The quick fox", code: "8", vector: [1, 2] },
    ]);
    expect(JSON.parse(types)).toMatchObject({
      title: { type: "string", full_text_search: expect.anything() },
      code: { type: "string", filterable: false },
      vector: { type: "[2]f32", ann: true },
    });
    const nearest = { rank_by: ["vector", "ANN", [0, 0]], top_k: 1 };
    const options = { url: fixture.url };
    const { json } = await rawCall("POST", "/v2/namespaces/books/query", nearest, options);
    expect(json.rows).toEqual([{ id: 1, $dist: 1.25 }]);
  });

  test("takes a file that is chosen as soon as the screen is there", async () => {
    const script = whenInserted(
      "input[type=file]",
      `const chosen = new DataTransfer();
      chosen.items.add(new File(['{"id":1,"v":1}'], "early.jsonl"));
      element.files = chosen.files;
      element.dispatchEvent(new Event("change", { bubbles: true }));`,
    );
    const page = await fixture.open("/console/import", { script });
    await runImport(page);
    await page.getByText("1 row imported in").first().waitFor();
    expect(await contentOf(fixture, "early")).toEqual(['[{"id":1,"v":1}]', expect.anything()]);
  });

  test("imports by the plan for the name that was typed last, with all corrections", async () => {
    const rows = [{ id: "a", v: "a text" }];
    await rawCall("POST", "/v2/namespaces/taken", { upsert_rows: rows }, { url: fixture.url });
    const page = await fixture.open("/console/import?namespace=fresh");
    await choose(page, file("typed.csv", "id,v,title\n1,1,A fox\n"));
    await page.getByText("There is none of this name: it will be made.").waitFor();
    await page.getByLabel("Full text of title").check();
    await page.getByLabel("Namespace", { exact: true }).fill("taken");
    await runImport(page);
    await page.getByRole("link", { name: "Search in taken" }).waitFor();
    const [documents, types] = await contentOf(fixture, "taken");
    expect(JSON.parse(documents)).toEqual([
      { id: "1", v: "1", title: "A fox" },
      { id: "a", v: "a text" },
    ]);
    expect(JSON.parse(types).title).toMatchObject({ full_text_search: expect.anything() });
  });

  test("plans again when the server could not be asked about the namespace", async () => {
    const page = await fixture.open("/console/import?namespace=asked");
    let failures = 1;
    await page.context().route("**/asked/metadata", (route) => {
      if (failures-- <= 0) return route.fallback();
      return route.fulfill({ status: 500, json: { status: "error", error: "the disk is full" } });
    });
    await choose(page, file("asked.jsonl", lines(3)));
    await page.getByRole("alert").getByText("the disk is full").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await runImport(page);
    await page.getByText("3 rows imported in").first().waitFor();
  });

  test("says what is wrong with a file, and takes the next one", async () => {
    const page = await fixture.open("/console/import?namespace=faults");
    await choose(page, file("broken.parquet", "PAR1 and no more"));
    await page.getByRole("alert").getByText("broken.parquet is damaged or cut off").waitFor();
    await choose(page, file("broken.csv.gz", EVERY_TYPE_FILES["types.csv.gz"]().slice(0, 60)));
    await page.getByText("broken.csv.gz is no whole gzip file").waitFor();
    await fixture.expectAccessible(page);
    await choose(page, file("half.jsonl", '{"id":1,"v":1}\n{"id":2,\n{"id":3,"v":"x"}\n'));
    await runImport(page);
    await page.getByRole("heading", { name: "2 rejected rows" }).waitFor();
    await page.getByRole("cell", { name: "half.jsonl:2" }).waitFor();
    expect(await contentOf(fixture, "faults")).toEqual(['[{"id":1,"v":1}]', expect.anything()]);
  });

  test("shows columns that cannot be imported, and what to do", async () => {
    const page = await fixture.open("/console/import?namespace=nested");
    await choose(page, file("nested.jsonl", '{"id":1,"by":{"name":"x"}}\n'));
    await page.getByText("has objects {name}, and documents are flat").waitFor();
    await page.getByLabel("Import by").check();
    await page.getByText("See what is said of 1 column above.").first().waitFor();
    await fixture.expectAccessible(page);
  });

  test("waits as long as the server asks it to, and goes on", async () => {
    const page = await fixture.open("/console/import?namespace=patient");
    let isRefused = true;
    await page.context().route("**/v2/namespaces/patient", (route) => {
      if (!isRefused) return route.fallback();
      const json = { status: "error", error: "too many writes at once" };
      return route.fulfill({ status: 429, json, headers: { "retry-after-ms": "500" } });
    });
    await choose(page, file("patient.jsonl", lines(10)));
    await runImport(page);
    await page.getByText(/^too many writes at once; tried again in/).waitFor();
    isRefused = false;
    await page.getByText("10 rows imported in").first().waitFor();
  });

  test("is stopped, and goes on where it was", async () => {
    const page = await fixture.open("/console/import?namespace=stopped");
    // The first batch is held until the button was pressed.
    let letGo = () => {};
    const pressed = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.context().route("**/v2/namespaces/stopped", async (route) => {
      await pressed;
      return route.fallback();
    });
    await choose(page, file("long.jsonl", lines(12_000, "word ".repeat(200))));
    await runImport(page);
    await page.getByRole("button", { name: "Stop" }).click();
    letGo();
    await page
      .getByText(/It can go on from there/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("12,000 rows imported in").first().waitFor();
    const { json } = await rawCall("GET", "/v1/namespaces/stopped/metadata", undefined, {
      url: fixture.url,
    });
    expect(json.approx_row_count).toBe(12_000);
  });
});

describeConsole("the screen Import with keys", ["--api-key", "tpuf_root"], (fixture) => {
  test("says which right a key lacks, before anything is sent", async () => {
    const headers = { authorization: "Bearer tpuf_root" };
    const body = { name: "writer", actions: ["write"], namespaces: ["a-*"] };
    const { json } = await rawCall("POST", "/trawl/keys", body, { url: fixture.url, headers });
    const key = json.key as string;
    const page = await fixture.open("/console/import?namespace=a-1", { key });
    await choose(page, file("some.jsonl", lines(3)));
    await page.getByText("lacks the action read").first().waitFor();
    await page.getByLabel("Namespace").fill("other");
    await page.getByText("is for a-* and not for other").first().waitFor();
    await fixture.expectAccessible(page);
  });
});

describeConsole("the screen Import of a server that goes away", [], (fixture) => {
  test("says so, keeps what is chosen, and names what to do", async () => {
    const page = await fixture.open("/console/import?namespace=gone");
    await choose(page, file("gone.jsonl", lines(3)));
    await page.getByRole("button", { name: "Import", exact: true, disabled: false }).waitFor();
    await fixture.server.stop();
    await runImport(page);
    await page.getByText(/^the server cannot be reached: .*; tried again in/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page
      .getByText(/^Failed: the server cannot be reached/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Go on" }).waitFor();
    await fixture.expectAccessible(page);
  });
});
