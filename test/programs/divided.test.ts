/** Threads that idle help with long queries, and no answer shows it. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const DOCUMENTS = 40_000;
const BATCH = 10_000;
/** Queries after which some thread has helped, at the latest. */
const ATTEMPTS_MAX = 500;

const directories: Awaited<ReturnType<typeof temporaryDirectory>>[] = [];
const servers: ServerProcess[] = [];
/** With one query thread, which nobody can help. */
let alone: ServerProcess;
/** With three, so that two idle while one runs a query. */
let helped: ServerProcess;

async function start(...flags: string[]): Promise<ServerProcess> {
  const directory = await temporaryDirectory();
  directories.push(directory);
  const server = await startServer({
    dataDir: directory.path,
    arguments: ["--indexer", "off", "--log-level", "warn", ...flags],
  });
  servers.push(server);
  return server;
}

async function post(server: ServerProcess, path: string, body: unknown): Promise<unknown> {
  const request = { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${server.url}/v2/namespaces/long${path}`, request);
  expect(answer.status).toBe(200);
  return answer.json();
}

async function load(server: ServerProcess): Promise<void> {
  const random = seededRandom(5);
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const id = Array.from({ length: BATCH }, (_, i) => from + i);
    await post(server, "", {
      distance_metric: "euclidean_squared",
      schema: { name: { type: "string", regex: true, filterable: true }, share: "float" },
      upsert_columns: {
        id,
        vector: id.map(() => Array.from({ length: 24 }, () => random.below(50))),
        n: id.map(() => random.below(1000)),
        share: id.map(() => random.next()),
        // Each value is tested by itself, which takes about a microsecond.
        name: id.map((i) => `name-${random.below(900)}-${i}`),
      },
    });
  }
  await post(server, "", { deletes: Array.from({ length: 500 }, (_, i) => i * 97) });
}

const QUERIES = [
  { rank_by: ["vector", "kNN", Array(24).fill(25)], filters: ["n", "Gt", 100], limit: 50 },
  { rank_by: ["vector", "ANN", Array(24).fill(7)], limit: 20, include_attributes: ["name"] },
  { rank_by: ["share", "desc"], filters: ["name", "Regex", "-1.*[35]-.*7"], limit: 100 },
  {
    rank_by: [
      ["name", "asc"],
      ["n", "desc"],
    ],
    limit: 30,
  },
  {
    aggregate_by: { count: ["Count"], sum: ["Sum", "share"], total: ["Sum", "n"] },
    filters: [
      "Or",
      [
        ["name", "Regex", "(12|77)"],
        ["n", "Lt", 500],
      ],
    ],
  },
  { aggregate_by: { count: ["Count"], sum: ["Sum", "share"] }, group_by: ["n"], limit: 40 },
];

async function metric(server: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

beforeAll(async () => {
  [alone, helped] = await Promise.all([
    start("--query-threads", "1"),
    start("--query-threads", "3"),
  ]);
  await Promise.all([load(alone), load(helped)]);
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const directory of directories) await directory.remove();
});

/** An answer without what differs from run to run. */
async function ask(server: ServerProcess, query: unknown): Promise<unknown> {
  const { performance: _, ...rest } = (await post(server, "/query", query)) as {
    performance: unknown;
  };
  return rest;
}

test("answers and bills are those of one thread, and other threads have helped", async () => {
  const expected: unknown[] = [];
  for (const query of QUERIES) expected.push(await ask(alone, query));
  for (let i = 0; i < ATTEMPTS_MAX; i++) {
    const query = i % QUERIES.length;
    expect(await ask(helped, QUERIES[query]), `query ${query}`).toEqual(expected[query]);
    if (i % 30 === 29 && (await metric(helped, "trawl_helped_parts_total")) > 0) break;
  }
  expect(await metric(helped, "trawl_divided_plans_total")).toBeGreaterThan(0);
  expect(await metric(helped, "trawl_helped_parts_total")).toBeGreaterThan(0);
  expect(await metric(alone, "trawl_divided_plans_total")).toBe(0);
});
