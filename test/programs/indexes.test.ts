/** A server and its indexer: who waits for `up-to-date`, as official clients do, is not misled. */

import { expect, test } from "vitest";
import { pause } from "../support/clocks/pause.ts";
import { fileServer } from "../support/servers/file-server.ts";
import { type Namespace, sdkClient } from "../support/servers/sdk-client.ts";

/** Enough to be folded, and few enough for a write to wait for their indexes. */
const DOCUMENTS = 12_000;

const server = fileServer(() => ({ arguments: ["--query-threads", "1"] }));

async function upToDate(namespace: Namespace): Promise<void> {
  while ((await namespace.metadata()).index.status !== "up-to-date") await pause(50);
}

test("writes that pause are folded, and nothing is searched exhaustively then", async () => {
  const namespace = sdkClient({ baseURL: server.url }).namespace("folded");
  const rows = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, t: `word${id % 7} x` }));
  const schema = { t: { type: "string", filterable: false } } as const;
  await namespace.write({ upsert_rows: rows, schema });
  const { index } = await namespace.metadata();
  expect(index).toMatchObject({ status: "updating", unindexed_rows: DOCUMENTS });
  await upToDate(namespace);
  const exhaustiveCount = async () => {
    const { performance } = await namespace.query({ rank_by: ["id", "asc"], limit: 1 });
    return performance.exhaustive_search_count;
  };
  expect(await exhaustiveCount()).toBe(0);
  // The indexer writes the stored documents anew before this is answered.
  await namespace.updateSchema({ schema: { t: { type: "string", full_text_search: true } } });
  const found = await namespace.query({ rank_by: ["t", "BM25", "word3"], limit: DOCUMENTS / 2 });
  expect(found.rows).toHaveLength(Math.ceil((DOCUMENTS - 3) / 7));
  await upToDate(namespace);
  expect(await exhaustiveCount()).toBe(0);
});
