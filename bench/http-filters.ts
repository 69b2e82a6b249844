/**
 * Counts, groups, orders and patterns over a million documents without vectors, over HTTP, in
 * milliseconds of one client: what is asked is another each time, the namespace is in stored
 * segments and in memory. The first runs of each kind, whose code V8 has yet to compile, are told
 * apart from those that follow after some seconds.
 * Run: `node bench/http-filters.ts [documents] [data directory]` (Node >= 24). A directory that has
 * the documents already is not written again. Client and server share the machine.
 */

import { seededRandom } from "../src/base/random.ts";
import {
  type BenchServer,
  benchServer,
  benchServerIn,
  Connection,
  onConnections,
  percentile,
  prepare,
  prepareJson,
  printTable,
  timed,
} from "./http-harness.ts";

const BATCH = 10_000;
const RUNS = 60;
/** For so long each kind is asked before it is timed again; V8 compiles what runs often. */
const WARM_UP_MS = 2000;
const SETTLE_MS = 5000;
const documentCount = Number(process.argv[2] ?? 1_000_000);
const directory: string | undefined = process.argv[3];
const PATH = "/v2/namespaces/filters";
/** Of the range of numbers. */
const TENTH = Math.floor(2 ** 31 / 10);
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-./";
const random = seededRandom(1);

const SCHEMA = {
  price: "float",
  line: { type: "string", filterable: true, regex: true, fuzzy: true },
};

function row(id: number): object {
  const letters = Array.from({ length: 60 }, () => LETTERS[random.below(LETTERS.length)]);
  return {
    id,
    tag: random.below(1000),
    city: `city ${random.below(1000)}`,
    ten: random.below(10),
    number: random.below(2 ** 31),
    price: random.below(100_000) / 100,
    tags: Array.from({ length: random.below(6) }, () => `tag ${random.below(1000)}`),
    line: letters.join(""),
  };
}

async function fill(url: string): Promise<void> {
  await onConnections(url, 2, async (connection, index) => {
    for (let batch = index; batch < documentCount / BATCH; batch += 2) {
      const rows = Array.from({ length: BATCH }, (_, i) => row(batch * BATCH + i));
      const body = JSON.stringify({ schema: SCHEMA, upsert_rows: rows });
      await connection.send(prepare(PATH, Buffer.from(body)));
    }
  });
  for (;;) {
    const answer = await fetch(`${url}/v1/namespaces/filters/metadata`);
    const { index } = (await answer.json()) as { index: { status: string } };
    if (index.status === "up-to-date") return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const tenth = (): unknown => ["ten", "Eq", random.below(10)];
const some = (): string => {
  return Array.from({ length: 4 }, () => LETTERS[random.below(36)]).join("");
};
const draws = (count: number, below: number): number[] => {
  return Array.from({ length: count }, () => random.below(below));
};
const counted = { aggregate_by: { n: ["Count"] } };
const first = { limit: 10 };
const fuzzy = { max_edit_distance: [{ min_query_chars: 6, distance: 1 }] };

const QUERIES: Readonly<Record<string, () => object>> = {
  "count of an equality": () => ({ ...counted, filters: ["tag", "Eq", random.below(1000)] }),
  "count of a range of 10 %": () => {
    const from = random.below(2 ** 30);
    const range = [
      ["number", "Gte", from],
      ["number", "Lt", from + TENTH],
    ];
    return { ...counted, filters: ["And", range] };
  },
  "count of an Or of three and a Not": () => {
    const not = ["Not", ["number", "Lt", random.below(2 ** 31)]];
    const or = ["Or", [tenth(), ["tag", "Lt", random.below(500)], ["city", "Eq", "city 7"]]];
    return { ...counted, filters: ["And", [or, not]] };
  },
  "count of an And of five": () => {
    const all = [
      tenth(),
      ["tag", "Gte", random.below(500)],
      ["city", "NotEq", "city 7"],
      ["number", "Lt", 2 ** 30 + random.below(2 ** 30)],
      ["price", "Gt", random.below(500)],
    ];
    return { ...counted, filters: ["And", all] };
  },
  "count of 100 of 1,000 values": () => ({ ...counted, filters: ["tag", "In", draws(100, 1000)] }),
  "count of 1,000 of all numbers": () => {
    return { ...counted, filters: ["number", "In", draws(1000, 2 ** 31)] };
  },
  "count of arrays with an element": () => {
    return { ...counted, filters: ["tags", "Contains", `tag ${random.below(1000)}`] };
  },
  "count of arrays with any of three": () => {
    const tags = draws(3, 1000).map((tag) => `tag ${tag}`);
    return { ...counted, filters: ["tags", "ContainsAny", tags] };
  },
  "count of what has a value": () => {
    const filters = ["And", [["tags", "NotEq", null], tenth()]];
    return { ...counted, filters };
  },
  "1,000 groups of int": () => ({ ...counted, group_by: ["tag"] }),
  "1,000 groups of string": () => ({ ...counted, group_by: ["city"] }),
  "1,000 groups of string under 10 %": () => {
    return { ...counted, group_by: ["city"], filters: tenth() };
  },
  "1,000 groups of string, Sum of float": () => {
    return { aggregate_by: { sum: ["Sum", "price"] }, group_by: ["city"] };
  },
  "ForEachUnique, 2.5 elements": () => {
    return { ...counted, group_by: [{ element: ["ForEachUnique", "tags"] }] };
  },
  "ten best by a number": () => ({ ...first, rank_by: ["number", "desc"] }),
  "ten best by a number under 10 %": () => {
    return { ...first, rank_by: ["number", "asc"], filters: tenth() };
  },
  "ten best by two keys": () => ({
    ...first,
    rank_by: [
      ["tag", "desc"],
      ["number", "asc"],
    ],
  }),
  "page after a number": () => {
    const filters = ["number", "Gt", random.below(2 ** 31)];
    return { ...first, rank_by: ["number", "asc"], filters };
  },
  "Glob *literal*, count": () => ({ ...counted, filters: ["line", "Glob", `*${some()}*`] }),
  "Regex literal, count": () => ({ ...counted, filters: ["line", "Regex", some()] }),
  "Fuzzy distance 1, count": () => {
    return { ...counted, filters: ["line", "Fuzzy", some() + some(), fuzzy] };
  },
};

async function measure(server: BenchServer): Promise<void> {
  const connection = await Connection.open(server.url);
  // What the first query leads to is read behind it, on the same machine.
  await connection.send(prepareJson(`${PATH}/query`, counted));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const lines: string[][] = [];
  for (const [shown, query] of Object.entries(QUERIES)) {
    const run = async (): Promise<number[]> => {
      const times: number[] = [];
      for (let i = 0; i < RUNS; i++) {
        const request = prepareJson(`${PATH}/query`, query());
        times.push(await timed(() => connection.send(request)));
      }
      return times;
    };
    const first = await run();
    for (const startMs = performance.now(); performance.now() - startMs < WARM_UP_MS; ) await run();
    const times = await run();
    const shares = [0.5, 0.95].map((share) => percentile(times, share).toFixed(2));
    lines.push([shown, percentile(first, 0.5).toFixed(2), ...shares]);
  }
  connection.close();
  printTable([`${documentCount} documents; ms`, "first, p50", "p50", "p95"], lines);
}

const server = await (directory === undefined ? benchServer() : benchServerIn(directory));
const listed = await fetch(`${server.url}/v1/namespaces`);
const { namespaces } = (await listed.json()) as { namespaces: { id: string }[] };
if (namespaces.length === 0) await fill(server.url);
await measure(server);
await (directory === undefined ? server.remove() : server.stop());
