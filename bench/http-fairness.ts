/**
 * What slow queries cost others: lookups in a namespace of 100 documents, one every 5 ms, alone and
 * while 8 clients run slow queries over 200,000 documents in 4 other namespaces: fuzzy and regular
 * expressions, phrases, groups by two attributes, exact vectors, 10,000 results with all
 * attributes, and `In` filters of 200,000 strings. Run: `node bench/http-fairness.ts [kind …]`
 * (Node >= 24); without kinds, all of them and each alone. Prints the lookups' percentiles, the
 * longest slice of work and its share of all.
 */

import {
  benchServer,
  type Connection,
  latenciesOf,
  onConnections,
  percentile,
  prepareJson,
  printTable,
  randomVectors,
} from "./http-harness.ts";

const SECONDS = 6;
const DOCUMENTS = 50_000;
const NAMESPACES = 4;
const CLIENTS = 8;
const BATCH = 2500;
const LOOKUP_EVERY_MS = 5;
const DIMENSIONS = 64;
const WORDS = "river stone light winter garden letter window paper silver ocean".split(" ");

const text = (i: number) =>
  Array.from({ length: 30 }, (_, k) => WORDS[(i * 7 + k * k + (i >> 5) * k) % 10]).join(" ");

const server = await benchServer();
await onConnections(server.url, 1, async (connection) => {
  for (let n = 0; n < NAMESPACES; n++) {
    for (let start = 0; start < DOCUMENTS; start += BATCH) {
      const vectors = randomVectors(BATCH, DIMENSIONS);
      await connection.send(
        prepareJson(`/v2/namespaces/slow-${n}`, {
          distance_metric: "cosine_distance",
          schema: {
            text: {
              type: "string",
              full_text_search: true,
              filterable: true,
              regex: true,
              fuzzy: true,
            },
          },
          upsert_rows: vectors.map((vector, i) => ({
            id: start + i,
            vector: [...vector],
            text: `${text(start + i)} ${start + i}`,
            tag: `tag ${((start + i) * 31) % 5000}`,
            n: (start + i) % 97,
          })),
        }),
      );
    }
  }
  await connection.send(
    prepareJson("/v2/namespaces/small", {
      upsert_rows: Array.from({ length: 100 }, (_, id) => ({ id, name: `name ${id}` })),
    }),
  );
});

const vector = [...randomVectors(1, DIMENSIONS)[0]];
const many = Array.from({ length: 200_000 }, (_, i) => `value ${i}`);
const multi = (query: object) => ({ queries: Array.from({ length: 16 }, () => query) });
const byId = { rank_by: ["id", "asc"], limit: 10 };
const EDITS = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };
const KINDS: Readonly<Record<string, object>> = {
  fuzzy: multi({
    ...byId,
    filters: ["text", "Fuzzy", "gardem windov papre", EDITS],
  }),
  regex: multi({ ...byId, filters: ["text", "Regex", "(river|stone) .*x$"] }),
  phrase: multi({ ...byId, filters: ["text", "ContainsTokenSequence", "ocean river garden"] }),
  groups: { aggregate_by: { count: ["Count"] }, group_by: ["tag", "n"], limit: 10_000 },
  exact: multi({ rank_by: ["vector", "kNN", vector], filters: ["n", "Gte", 0], limit: 100 }),
  text: multi({ rank_by: ["text", "BM25", WORDS.join(" ")], limit: 100 }),
  large: { rank_by: ["n", "desc"], limit: 10_000, include_attributes: true },
  lists: { ...byId, filters: ["tag", "In", many] },
};

const lookup = prepareJson("/v2/namespaces/small/query", {
  ...byId,
  filters: ["id", "Eq", 7],
});

async function metric(name: string): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const values = [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)`, "gm"))];
  return Math.max(0, ...values.map(([, value]) => Number(value)));
}

const errors = new Map<string, number>();

async function measure(kinds: readonly string[]): Promise<string[]> {
  const endMs = performance.now() + SECONDS * 1000;
  let slowCount = 0;
  const requests = kinds.map((kind) =>
    Array.from({ length: NAMESPACES }, (_, n) =>
      prepareJson(`/v2/namespaces/slow-${n}/query`, KINDS[kind]),
    ),
  );
  let next = 0;
  const load = async (connection: Connection) => {
    while (kinds.length > 0 && performance.now() < endMs) {
      const turn = next++;
      try {
        await connection.send(requests[turn % kinds.length][turn % NAMESPACES]);
        slowCount++;
      } catch (error) {
        const message = String(error).slice(0, 80);
        errors.set(message, (errors.get(message) ?? 0) + 1);
      }
    }
  };
  const over = Promise.all([
    onConnections(server.url, CLIENTS, load),
    new Promise((resolve) => setTimeout(resolve, SECONDS * 1000)),
  ]);
  const lookups = { requests: [lookup], everyMs: LOOKUP_EVERY_MS };
  const lookupMs = await latenciesOf(server.url, lookups, over);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const slice = await metric("trawl_query_longest_slice_seconds");
  return [
    kinds.length === 0 ? "nothing" : kinds.join(" "),
    percentile(lookupMs, 0.5).toFixed(1),
    percentile(lookupMs, 0.99).toFixed(1),
    Math.max(...lookupMs).toFixed(1),
    String(lookupMs.length),
    String(slowCount),
    (slice * 1000).toFixed(1),
  ];
}

const asked = process.argv.slice(2);
const kinds = asked.length > 0 ? asked : Object.keys(KINDS);
const rows = [await measure([])];
for (const kind of kinds) rows.push(await measure([kind]));
if (kinds.length > 1) rows.push(await measure(kinds));
printTable(
  [
    "beside",
    "lookup p50 ms",
    "p99 ms",
    "greatest ms",
    "lookups",
    "slow queries",
    "longest slice ms so far",
  ],
  rows,
);
for (const [message, count] of errors) process.stdout.write(`${count} × ${message}\n`);
await server.stop();
