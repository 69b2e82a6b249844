/** The engine within a program: documents are written, found, and there after a reopening. */

import { expect, test } from "vitest";
import { openTrawl, type QueryParameters } from "../../src/library/open-trawl.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

test("documents are found in the program that wrote them, and in the next one", async () => {
  const directory = await temporaryDirectory();
  const options = { dataDir: directory.path, memoryLimit: "512MiB", queryThreads: 1 };
  const search: QueryParameters = {
    rank_by: ["title", "BM25", "walrus"],
    top_k: 1,
    include_attributes: ["title"],
  };
  const first = await openTrawl(options);
  await first.namespace("books").write({
    upsert_rows: [
      { id: 1, title: "A walrus at sea" },
      { id: 2, title: "The quick fox" },
    ],
    schema: { title: { type: "string", full_text_search: true } },
  });
  const found = await first.namespace("books").query(search);
  expect(found.rows).toMatchObject([{ id: 1, title: "A walrus at sea" }]);
  await expect(openTrawl(options)).rejects.toThrow(/directory/);
  await first.close();

  const second = await openTrawl(options);
  expect((await second.namespace("books").query(search)).rows).toEqual(found.rows);
  await second.close();
  await directory.remove();
});
