/** `explain_query` with `analyze`, by the official client: counts are those of `/metrics`. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { QUERY_PHASES } from "../../src/model/request-stats.ts";
import { FsObjectStore } from "../../src/storage/directory/fs-object-store.ts";
import { claimFormat } from "../../src/storage/store-format.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { expectFault, type Namespace, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

/** More than ANN compares exactly. */
const ROWS = 4_500;
const DIMENSIONS = 8;
const QUERY = { rank_by: ["vector", "ANN", Array(DIMENSIONS).fill(0.5)], limit: 10 };
const COUNTED = {
  documents_scanned: "trawl_documents_scanned_total",
  postings_touched: "trawl_postings_touched_total",
  blocks_skipped: "trawl_blocks_skipped_total",
  vectors_scored: "trawl_vectors_scored_total",
  clusters_probed: "trawl_clusters_probed_total",
  codes_scanned: "trawl_codes_scanned_total",
  candidates_reranked: "trawl_candidates_reranked_total",
  candidates_skipped: "trawl_candidates_skipped_total",
};
type Counts = Record<keyof typeof COUNTED, number>;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess;
let ns: Namespace;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const random = seededRandom(6);
  const store = await FsObjectStore.open({ root: directory.path, random });
  await claimFormat(store, directory.path);
  const fixture = await EngineFixture.open({ store });
  const upsert_rows = Array.from({ length: ROWS }, (_, id) => {
    return { id, vector: Array.from({ length: DIMENSIONS }, () => random.next()) };
  });
  await fixture.write("a", { upsert_rows, distance_metric: "euclidean_squared" });
  await fixture.indexAll();
  await fixture.close();
  server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1", "--strict"],
  });
  ns = sdkClient({ baseURL: server.url }).namespace("a");
});
afterAll(async () => {
  await server?.stop();
  await directory.remove();
});

async function analyze(query: object) {
  const answer: unknown = await ns.explainQuery(untyped({ ...query, analyze: true }));
  return answer as {
    plan_text: string;
    analysis: {
      queries: Counts[];
      reads: { rounds: number };
      performance: object;
      phases: Record<string, number>;
      steps: { step: string; ms: number }[];
    };
  };
}

test("counts are those of /metrics, for one query and for several", async () => {
  const one = await analyze(QUERY);
  expect(one.analysis.queries).toHaveLength(1);
  const [counts] = one.analysis.queries;
  expect(counts.codes_scanned).toBeGreaterThan(0);
  expect(counts.vectors_scored).toBeLessThan(ROWS);
  expect(one.plan_text).toMatch(
    `Work: ${ROWS} documents scanned, ${counts.clusters_probed} clusters probed, ` +
      `${counts.codes_scanned} codes scanned, ${counts.candidates_reranked} candidates reranked`,
  );
  expect(one.plan_text).toMatch(/\nReads: [1-9]\d* rounds, [1-9]\d* bytes loaded, .*$/);
  expect(one.analysis.reads.rounds).toBeGreaterThan(0);
  expect(one.analysis.performance).toMatchObject({ approx_namespace_size: ROWS });
  const { phases, steps } = one.analysis;
  expect(Object.keys(phases)).toEqual(QUERY_PHASES.map((phase) => `${phase}_ms`));
  for (const phase of ["queue_ms", "parse_ms", "plan_ms", "read_ms", "search_ms"]) {
    expect(phases[phase], phase).toBeGreaterThan(0);
  }
  const longest = steps.map(({ ms }) => ms);
  expect(longest).toEqual(longest.toSorted((a, b) => b - a));
  expect(steps.map(({ step }) => step)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Rank: ANN on vector/), "planning"]),
  );

  const order = { rank_by: ["id", "asc"], limit: 10 };
  const several = await analyze({ queries: [QUERY, order] });
  expect(several.plan_text).toMatch(/^Subquery 0\n.*\nWork: .*\nSubquery 1\n.*\nWork: /s);
  expect(several.analysis.queries[0]).toEqual(counts);
  const all = [...one.analysis.queries, ...several.analysis.queries];
  const expected = Object.entries(COUNTED).map(([name, metric]) => {
    const sum = all.reduce((total, work) => total + work[name as keyof Counts], 0);
    return `${metric}{thread="0"} ${sum}\n`;
  });
  // Threads report their stats from time to time.
  const text = async () => (await fetch(`${server.url}/metrics`)).text();
  for (const line of expected) await expect.poll(text, { timeout: 20_000 }).toContain(line);
});

test("the client's own request is answered as before, and faults are named", async () => {
  const plan = await ns.explainQuery(untyped(QUERY));
  expect(Object.keys(plan)).toEqual(["plan_text"]);
  const bad = ns.explainQuery(untyped({ ...QUERY, analyze: "yes" }));
  await expectFault(bad, 422, 'analyze: invalid type: string "yes", expected a boolean');
  // Queries do not know it.
  await expectFault(ns.query(untyped({ ...QUERY, analyze: true })), 400, '"analyze"');
});
