/** A slow query is found, and understood, from the log alone, as docs/observability.md says. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { must } from "../../src/base/assert.ts";
import { QUERY_PHASES } from "../../src/model/request-stats.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const DOCUMENTS = 1000;
/** Of queries, of documents: what no line may have. */
const LITERAL = "nowhere to be found";
const STORED = "a long text";
const DOCS_PATH = fileURLToPath(new URL("../../docs/observability.md", import.meta.url));
const DOCS = readFileSync(DOCS_PATH, "utf8");

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess;

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await startServer({
    dataDir: directory.path,
    arguments: [
      ...["--indexer", "off", "--query-threads", "1", "--log-format", "json"],
      ...["--slow-query-ms", "50"],
    ],
    replaced: { http: { slowRequestsLoggedMax: 3 } },
  });
  const id = Array.from({ length: DOCUMENTS }, (_, i) => i);
  const title = id.map((i) => `document ${i} ${`of ${STORED} `.repeat(60)}`);
  const schema = { title: { type: "string", fuzzy: true, filterable: true } };
  await call("/v2/namespaces/books", { schema, upsert_columns: { id, title } }, "write");
});

afterAll(async () => {
  await server?.stop();
  await directory.remove();
});

async function call(path: string, body: unknown, requestId: string): Promise<void> {
  const headers = { "x-request-id": requestId };
  const answer = await rawCall("POST", path, body, { url: server.url, headers });
  expect(answer.status, answer.text).toBe(200);
}

const byId = { rank_by: ["id", "asc"], limit: 10 };
const OPTIONS = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };
/** Tries twelve fuzzy texts on each title. */
const SLOW = {
  ...byId,
  filters: [
    "Or",
    Array.from({ length: 12 }, (_, i) => [
      "title",
      "Fuzzy",
      `of ${STORED}, ${LITERAL} ${i}`,
      OPTIONS,
    ]),
  ],
};

interface Line {
  readonly [name: string]: unknown;
  readonly message: string;
  readonly phases: Record<string, number>;
  readonly work: Record<string, number>;
}

/** The lines of a request so far, which is what somebody has who was not there. */
function linesOf(request: string): Line[] {
  return server
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.request === request);
}

test("a line names the query, its shape, what took the time, and its work", async () => {
  await call("/v2/namespaces/books/query", byId, "quick");
  await call("/v2/namespaces/books/query", SLOW, "sluggish");
  const line = await vi.waitFor(() => must(linesOf("sluggish").at(0), "there is no line yet"));
  expect(line.message).toBe("slow query");
  const [[, example]] = DOCS.matchAll(/```json\n(\{"level":"warn"[^`]*)```/g);
  const shown = JSON.parse(example) as Line;
  expect(Object.keys(line).sort()).toEqual(Object.keys(shown).sort());
  for (const name of ["namespace", "operation", "kind", "shape", "plan", "segments", "documents"]) {
    expect(line[name], name).toEqual(shown[name]);
  }
  expect(line).toMatchObject({ level: "warn", request: "sluggish", status: 200 });
  const [[longest]] = Object.entries(line.phases).sort(([, a], [, b]) => b - a);
  expect(longest).toBe("search");
  expect(QUERY_PHASES).toEqual(expect.arrayContaining(Object.keys(line.phases)));
  expect(line.work).toEqual(shown.work);
  const text = JSON.stringify(line);
  expect(text).not.toContain(LITERAL);
  expect(text).not.toContain(STORED);
});

test("the server tells of it as well, without a log at hand", async () => {
  const answer = await rawCall("GET", "/trawl/slow-queries", undefined, { url: server.url });
  expect(answer.status, answer.text).toBe(200);
  const { slow_queries: all, ...rules } = JSON.parse(answer.text) as {
    readonly slow_queries: readonly Line[];
  };
  expect(rules).toEqual({ slow_query_ms: 50, slow_query_sample: 3 });
  const told = must(
    all.find(({ request }) => request === "sluggish"),
    "it is not told of",
  );
  const { level: _, time, ...line } = must(linesOf("sluggish").at(0), "there is no line");
  expect({ ...told, time }).toEqual({ ...line, time });
  expect(answer.text).not.toContain(LITERAL);
  expect(answer.text).not.toContain(STORED);
});

test("above so many lines a minute slow queries are counted", async () => {
  for (const id of ["second", "third", "fourth", "fifth"]) {
    await call("/v2/namespaces/books/query", SLOW, id);
  }
  const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
  await vi.waitFor(async () => {
    const text = await metrics();
    const slow = /^trawl_http_slow_requests_total\{operation="query"\} (\d+)$/m.exec(text);
    const unlogged = /^trawl_http_slow_requests_unlogged_total (\d+)$/m.exec(text);
    // The write and the first query may have been slow, too.
    expect(Number(slow?.[1])).toBeGreaterThanOrEqual(5);
    expect(Number(unlogged?.[1])).toBeGreaterThanOrEqual(Number(slow?.[1]) - 3);
  });
  const slowLines = server.output().match(/"message":"slow query"/g) ?? [];
  expect(slowLines.length).toBeLessThanOrEqual(3);
  expect(linesOf("fifth")).toMatchObject([{ message: "request" }]);
});
