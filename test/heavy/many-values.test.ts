/**
 * Every value of many documents comes back as it was written, whatever segments it went through:
 * so many that each kind of copy, merge and index takes several steps and several segments.
 */

import { afterAll, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { pause } from "../support/clocks/pause.ts";
import { testRandom } from "../support/random/seed.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const IDS = 120_000;
const BATCH = 4000;
const PAGE = 5000;
const NAMESPACE = "/v2/namespaces/many-values";
const SCHEMA = {
  text: { type: "string", full_text_search: true },
  title: { type: "string", glob: true, filterable: true },
  tags: "[]string",
  sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
  key: "uuid",
  vector: { type: "[8]f32", ann: true },
  numbers: "[]int",
};
const WORDS = "river stone light winter garden letter window paper silver ocean".split(" ");

type Row = Readonly<Record<string, unknown>>;

/** What a version of a document is: of its id and version alone. */
function rowOf(id: number, version: number): Row {
  const random = seededRandom(id * 31 + version);
  const words = Array.from({ length: random.below(9) }, () => WORDS[random.below(WORDS.length)]);
  const center = id % 40;
  const row: Record<string, unknown> = {
    id,
    title: `document ${id} in version ${version}`,
    text: `${words.join(" ")} ${id} é${version}`,
    tags: words.slice(0, 3).map((word) => `${word} ${id % 1000}`),
    key: `00000000-0000-4000-8000-${String(id * 10 + version).padStart(12, "0")}`,
    vector: Array.from({ length: 8 }, (_, i) => (i === center % 8 ? 4 : 0) + random.below(8) / 8),
    numbers: Array.from({ length: random.below(5) }, () => random.below(1000)),
  };
  if (id % 3 > 0) row.sparse = { [`of ${id % 5000}`]: 0.5, [`w${id % 7}`]: 1 };
  if (id % 11 === 0) delete row.title;
  return row;
}

let server: ServerProcess | undefined;
const directory = await temporaryDirectory();
const dataDir = directory.path;

afterAll(async () => {
  await server?.stop();
  await directory.remove();
});

async function call(path: string, body?: unknown): Promise<Row> {
  for (;;) {
    const answer = await fetch(`${server?.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status === 200) return JSON.parse(text) as Row;
    if (answer.status !== 429) throw new Error(`${answer.status}: ${text}`);
    await pause(200);
  }
}

/** Waits until all is in segments that are indexed. */
async function indexed(): Promise<void> {
  for (;;) {
    const { index } = await call("/v1/namespaces/many-values/metadata");
    if ((index as Row).status === "up-to-date") return;
    await pause(500);
  }
}

/** Compares what is stored with the versions that documents have; absent ones are deleted. */
async function check(versions: ReadonlyMap<number, number>): Promise<void> {
  const ids = [...versions.keys()].sort((a, b) => a - b);
  let at = 0;
  let after: number | undefined;
  for (;;) {
    const { rows } = await call(`${NAMESPACE}/query`, {
      rank_by: ["id", "asc"],
      ...(after !== undefined && { filters: ["id", "Gt", after] }),
      limit: PAGE,
      include_attributes: true,
    });
    for (const row of rows as Row[]) {
      const id = ids[at++];
      const expected = rowOf(id, versions.get(id) as number);
      if (spelled(row) !== spelled(expected)) expect(row).toEqual(expected);
      after = id;
    }
    if ((rows as Row[]).length < PAGE) break;
  }
  expect(at).toBe(ids.length);
}

/** Asks the indexes, and compares with what is found by looking at every document. */
async function checkIndexes(versions: ReadonlyMap<number, number>, random: Random): Promise<void> {
  const rows = [...versions].map(([id, version]) => rowOf(id, version));
  for (let round = 0; round < 40; round++) {
    const row = rows[random.below(rows.length)];
    const { title = "none" } = row;
    const [tag = "none"] = row.tags as string[];
    const word = WORDS[random.below(WORDS.length)];
    const number = random.below(1000);
    const cases: [filter: unknown, matches: (row: Row) => boolean][] = [
      [["title", "Eq", title], (other) => other.title === title],
      [["title", "Glob", `document ${number}*`], hasStart("title", `document ${number}`)],
      [["tags", "Contains", tag], (other) => (other.tags as string[]).includes(tag)],
      [["numbers", "Contains", number], (other) => (other.numbers as number[]).includes(number)],
      [["key", "Eq", row.key], (other) => other.key === row.key],
      [["text", "ContainsAllTokens", `${word} ${row.id}`], hasWords(word, `${row.id}`)],
      [["text", "ContainsAllTokens", `${word} é1`], hasWords(word, "é1")],
      [["id", "In", [row.id, IDS + 1]], (other) => other.id === row.id],
    ];
    const queries = cases.map(([filters]) => ({ aggregate_by: { n: ["Count"] }, filters }));
    const { results } = await call(`${NAMESPACE}/query`, { queries });
    const counts = (results as Row[]).map(({ aggregations }) => (aggregations as Row).n);
    expect(counts, JSON.stringify(cases.map(([filter]) => filter))).toEqual(
      cases.map(([, matches]) => rows.filter(matches).length),
    );
    const name = `of ${number}`;
    const found = await call(`${NAMESPACE}/query`, {
      rank_by: ["sparse", "SparseKNN", { [name]: 2 }],
      limit: 1000,
    });
    const ids = (found.rows as Row[]).filter(({ $dist }) => ($dist as number) !== 0);
    const having = rows.filter(({ sparse }) => Object.hasOwn((sparse ?? {}) as Row, name));
    expect(ids.map(({ id }) => id).sort(), name).toEqual(having.map(({ id }) => id).sort());
  }
}

const hasStart = (attribute: string, start: string) => (row: Row) =>
  typeof row[attribute] === "string" && row[attribute].startsWith(start);
const hasWords =
  (...words: string[]) =>
  (row: Row) => {
    const having = (row.text as string).split(" ");
    return words.every((word) => having.includes(word));
  };

/** With members in one order; absent and null are the same. */
function spelled(row: Row): string {
  const members = Object.entries(row).filter(([, value]) => value !== null);
  return JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("every value of many documents comes back", async () => {
  const random = testRandom();
  server = await startServer({ dataDir });
  const versions = new Map<number, number>();
  const write = async (version: number, wanted: readonly number[]) => {
    for (let at = 0; at < wanted.length; at += BATCH) {
      const ids = wanted.slice(at, at + BATCH);
      await call(NAMESPACE, {
        upsert_rows: ids.map((id) => rowOf(id, version)),
        schema: SCHEMA,
        distance_metric: "cosine_distance",
      });
      for (const id of ids) versions.set(id, version);
    }
  };
  const all = Array.from({ length: IDS }, (_, id) => id);
  await write(1, all);
  await indexed();
  await check(versions);
  await write(
    2,
    all.filter(() => random.below(3) === 0),
  );
  const deletes = all.filter(() => random.below(10) === 0);
  await call(NAMESPACE, { deletes });
  for (const id of deletes) versions.delete(id);
  await check(versions);
  await indexed();
  await check(versions);
  await checkIndexes(versions, random);
  await server.stop();
  server = await startServer({ dataDir });
  await check(versions);
});
