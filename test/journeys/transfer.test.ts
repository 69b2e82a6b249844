/** `trawl import` and `trawl export` as users run them: what goes in comes out. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runTrawl } from "../support/processes/run-trawl.ts";
import { sdkClient } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory.remove());

/** Runs the program against the shared server, in the temporary directory. */
const trawl = (...words: string[]) =>
  runTrawl([...words, "--url", inject("serverUrl")], { cwd: directory.path });

test("a CSV file is imported, found, and exported with the same documents", async () => {
  const csv =
    'id,title,year,vector\n1,"A walrus, at sea",1999,"[0.5,1]"\n2,The quick fox,,"[1,0]"\n';
  await writeFile(join(directory.path, "books.csv"), csv);
  const schema = '{"title":{"type":"string","full_text_search":true}}';
  const words = ["--namespace", "journey-books", "--schema", schema];
  const imported = await trawl("import", "books.csv", ...words);
  expect(imported).toMatchObject({ code: 0 });

  const books = sdkClient().namespace("journey-books");
  const found = await books.query({ rank_by: ["title", "BM25", "walrus"], top_k: 5 });
  expect(found.rows).toMatchObject([{ id: 1 }]);

  const exported = await trawl("export", "--namespace", "journey-books", "--out", "books.jsonl");
  expect(exported).toMatchObject({ code: 0 });
  const lines = (await readFile(join(directory.path, "books.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { id: 1, vector: [0.5, 1], title: "A walrus, at sea", year: 1999 },
    { id: 2, vector: [1, 0], title: "The quick fox" },
  ]);

  const listed = await trawl("ls", "journey-books", "--json");
  expect(listed).toMatchObject({ code: 0, out: expect.stringContaining("journey-books") });
});

test("a row that cannot be imported ends the command with its file and line", async () => {
  await writeFile(join(directory.path, "bad.jsonl"), '{"id":1,"n":1}\n{"id":2,"n":"two"\n');
  const { code, err } = await trawl("import", "bad.jsonl", "--namespace", "journey-bad");
  expect(code).not.toBe(0);
  expect(err).toContain("bad.jsonl:2");
});
