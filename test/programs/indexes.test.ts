/** A server and its indexer: the status `up-to-date`, which official clients wait for, is true. */

import { expect, test } from "vitest";
import { pause } from "../support/clocks/pause.ts";
import { fileServer } from "../support/servers/file-server.ts";
import { type Namespace, sdkClient } from "../support/servers/sdk-client.ts";

/** Enough to be indexed, and few enough for a schema update to wait for their indexes. */
const DOCUMENTS = 12_000;

const server = fileServer(() => ({ arguments: ["--query-threads", "1"] }));

/** Number of documents that a query of the namespace scans without an index. */
async function exhaustiveCount(namespace: Namespace): Promise<number> {
  const { performance } = await namespace.query({ rank_by: ["id", "asc"], limit: 1 });
  return performance.exhaustive_search_count;
}

async function waitUntilUpToDate(namespace: Namespace): Promise<void> {
  for (;;) {
    const { index } = await namespace.metadata();
    if (index.status === "up-to-date") return;
    expect(index).toMatchObject({ status: "updating", unindexed_rows: DOCUMENTS });
    await pause(50);
  }
}

test("a namespace that is up-to-date is indexed completely", async () => {
  const namespace = sdkClient({ baseURL: server.url }).namespace("folded");
  const rows = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, t: `word${id % 7} x` }));
  const schema = { t: { type: "string", filterable: false } } as const;
  await namespace.write({ upsert_rows: rows, schema });
  // The first `up-to-date` must be true, however soon after the write the indexer is done.
  await waitUntilUpToDate(namespace);
  expect(await exhaustiveCount(namespace)).toBe(0);
  // The response waits until the indexer has rewritten the stored documents.
  await namespace.updateSchema({ schema: { t: { type: "string", full_text_search: true } } });
  const found = await namespace.query({ rank_by: ["t", "BM25", "word3"], limit: DOCUMENTS / 2 });
  expect(found.rows).toHaveLength(Math.ceil((DOCUMENTS - 3) / 7));
  await waitUntilUpToDate(namespace);
  expect(await exhaustiveCount(namespace)).toBe(0);
});
