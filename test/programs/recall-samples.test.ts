/** `--recall-sample-rate`: recall of users' queries in `/metrics`. */

import { expect, test } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";
import { sdkClient } from "../support/servers/sdk-client.ts";

const server = fileServer(() => ({ arguments: ["--recall-sample-rate", "1"] }));

test("each query is measured, and a small namespace has recall 1", async () => {
  const ns = sdkClient({ baseURL: server.url }).namespace("a");
  await ns.write({
    upsert_rows: Array.from({ length: 50 }, (_, id) => ({ id, vector: [id, 50 - id] })),
    distance_metric: "cosine_distance",
  });
  for (let i = 1; i <= 5; i++) {
    const { rows } = await ns.query({ rank_by: ["vector", "ANN", [i, 1]], limit: 5 });
    expect(rows).toHaveLength(5);
  }
  const text = async () => (await fetch(`${server.url}/metrics`)).text();
  const measured = 'trawl_recall_samples_total{outcome="measured"} 5\n';
  await expect.poll(text, { timeout: 20_000 }).toContain(measured);
  const lines = await text();
  expect(lines).toContain("trawl_recall_sum_total 5\n");
  for (const outcome of ["dropped", "skipped", "failed"]) {
    expect(lines).toContain(`trawl_recall_samples_total{outcome="${outcome}"} 0\n`);
  }
});
