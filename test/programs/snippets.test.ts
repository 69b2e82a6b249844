/** The programs that the console shows of a query, run as they are, get what the query gets. */

import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { curlSnippet } from "../../console/query/curl-snippet.ts";
import type { JsonMembers } from "../../console/query/json-value.ts";
import { printJson } from "../../console/query/print-literal.ts";
import { typescriptSnippet } from "../../console/query/typescript-snippet.ts";
import { rawCall } from "../support/servers/sdk-client.ts";

const NAMESPACE = "snippets-it.is";
/** More than a float64 holds. */
const LARGE = 18446744073709551615n;
const run = promisify(execFile);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "trawl-snippets-"));
  const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
  await symlink(modules, join(directory, "node_modules"));
  const documents = printJson({
    upsert_rows: [
      { id: 1, vector: [0.1, 0.9], title: 'it\'s a "walrus" at `sea`', year: 1999 },
      { id: 2, vector: [0.8, 0.2], title: "the quick fox \\ $HOME", year: 2011 },
      { id: LARGE, vector: [0.7, 0.3], title: "last", year: 2011 },
    ],
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  });
  const written = await rawCall("POST", `/v2/namespaces/${NAMESPACE}`, documents);
  expect(written.status, written.text).toBe(200);
});
afterAll(() => rm(directory, { recursive: true }));

const BODIES: readonly JsonMembers[] = [
  { rank_by: ["title", "BM25", 'it\'s "walrus" `sea` \\ $HOME $x'], top_k: 10 },
  { rank_by: ["vector", "ANN", [0.1, 0.9]], top_k: 2, exclude_attributes: ["vector"] },
  { rank_by: ["id", "asc"], filters: ["id", "Eq", LARGE], top_k: 1, include_attributes: ["year"] },
  { rank_by: ["id", "asc"], top_k: 1, offset: 1 },
  {
    queries: [
      { rank_by: ["title", "BM25", "fox"], top_k: 5, include_attributes: true },
      { rank_by: ["vector", "ANN", [0.1, 0.9]], top_k: 5, include_attributes: true },
    ],
    rerank_by: ["RRF", { weights: [2, 1] }],
    limit: 2,
  },
  { aggregate_by: { n: ["Count"], "all years": ["Sum", "year"] } },
  { aggregate_by: { n: ["Count"] }, group_by: ["year"], top_k: 5 },
];

const place = () => ({ baseUrl: inject("serverUrl"), namespace: NAMESPACE });
const environment = { ...process.env, TURBOPUFFER_API_KEY: "any" };

/** What the server answers, without what differs from time to time. */
async function answerTo(body: JsonMembers): Promise<Record<string, unknown>> {
  const answer = await rawCall("POST", `/v2/namespaces/${NAMESPACE}/query`, printJson(body));
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Record<string, unknown>;
}

const CURL = await run("curl", ["--version"]).then(
  () => "",
  () => ": there is no curl",
);
test.skipIf(CURL !== "").each(BODIES)(`curl gets the answer to %o${CURL}`, async (body) => {
  const command = curlSnippet(body, place());
  const { stdout } = await run("sh", ["-c", command], { env: environment });
  const { performance, billing, ...found } = JSON.parse(stdout) as Record<string, unknown>;
  expect([performance, billing]).toEqual([expect.any(Object), expect.any(Object)]);
  expect(await answerTo(body)).toMatchObject(found);
  if (JSON.stringify(body, (_, value) => String(value)).includes(String(LARGE))) {
    expect(stdout).toContain(`"id":${LARGE}`);
  }
});

test.each(BODIES)("the TypeScript program gets the answer to %o", async (body) => {
  const member = "queries" in body ? "results" : undefined;
  const file = join(directory, "snippet.mts");
  // What it prints is for people; a program can compare JSON.
  const text = typescriptSnippet(body, place()).replace(
    /console\.dir\((.*), \{ depth: null \}\);/,
    "console.log(JSON.stringify($1));",
  );
  await writeFile(file, text);
  const { stdout } = await run(process.execPath, [file], { env: environment });
  const answer = await answerTo(body);
  const expected =
    answer[member ?? ""] ?? answer.rows ?? answer.aggregations ?? answer.aggregation_groups;
  expect(JSON.parse(stdout)).toEqual(expected);
});
