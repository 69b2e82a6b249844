/**
 * Trawl beside zvec, an engine in the process of its user, which `bench/zvec-server.ts` puts behind
 * Node's HTTP server: 100,000 vectors of 768 dimensions and 200,000 texts of 48 words, the same
 * client, the same requests, in turns. Without zvec, Trawl alone:
 *
 *     npm install --no-save @zvec/zvec@0.7.0      # left out: Trawl alone
 *     node bench/http-peers.ts [FOLDER]
 *
 * A folder that is given is kept, and what was built in it is used again. Recall is against Trawl's
 * exact search of the same vectors.
 */

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type BenchServer,
  benchServerIn,
  median,
  onConnections,
  percentile,
  postJson,
  prepare,
  prepareJson,
  printTable,
  vectorBase64,
} from "./http-harness.ts";
import { tagOf, textDocuments, textQueries, vectorDocuments, vectorQueries } from "./peer-data.ts";

const BATCH = 2_000;
const LIMIT = 10;
const ROUNDS = 3;
/** Rounds before those: a server is compiled while it answers. */
const WARM_UP_ROUNDS = 5;
const MANY_CLIENTS = 8;
/** Queries whose exact results are looked up. */
const EXACT_QUERIES = 100;
const POLL_MS = 500;

/** One that is measured. */
interface Peer {
  readonly name: string;
  readonly url: string;
}

/** One row of the table: requests of a kind, by so many clients. */
interface Work {
  readonly name: string;
  readonly requests: readonly (readonly Uint8Array[])[];
  readonly clients: number;
}

const given = process.argv[2];
const folder = given ?? (await mkdtemp(join(tmpdir(), "trawl-peers-")));
await mkdir(folder, { recursive: true });
const trawl = await openTrawl();
const zvec = await openZvec();
const peers: Peer[] = [{ name: "Trawl", url: trawl.url }, ...(zvec === undefined ? [] : [zvec])];
const vectors = vectorQueries();
const texts = textQueries();
await measure();
await trawl.stop();
zvec?.end();
if (given === undefined) await rm(folder, { recursive: true });

async function measure(): Promise<void> {
  const works = worksOf();
  const times = works.map(() => peers.map((): number[] => []));
  const rates = works.map(() => peers.map((): number[] => []));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [i, work] of works.entries()) {
      for (const [p, peer] of peers.entries()) {
        const { latencies, perSecond } = await run(peer, work);
        if (round < 0) continue;
        times[i][p].push(...latencies);
        rates[i][p].push(perSecond);
      }
    }
  }
  const lines = works.map(({ name, clients }, i) => [
    name,
    clients,
    ...peers.flatMap((_, p) => [
      `${percentile(times[i][p], 0.5).toFixed(2)} / ${percentile(times[i][p], 0.95).toFixed(2)}`,
      median(rates[i][p]).toFixed(0),
    ]),
  ]);
  printTable(
    ["work", "clients", ...peers.flatMap(({ name }) => [`${name}: p50 / p95, ms`, "per s"])],
    lines,
  );
  for (const peer of peers) {
    console.log(`${peer.name}: recall@10 of the vectors ${(await recallOf(peer)).toFixed(3)}`);
  }
  if (peers.length > 1) {
    console.log(`texts: ${(await commonShare()).toFixed(3)} of the ten best are of both`);
  }
}

function worksOf(): Work[] {
  const near = vectors.map((vector) => vectorQuery("ANN", vector));
  const filtered = (filters: readonly unknown[]) =>
    vectors.map((vector) => vectorQuery("ANN", vector, filters));
  const words = texts.map((text) => textQuery(text));
  return [
    { name: "vectors", requests: near, clients: 1 },
    { name: "vectors", requests: near, clients: MANY_CLIENTS },
    { name: "vectors, 10 % by a filter", requests: filtered(["tag", "Lt", 10]), clients: 1 },
    { name: "vectors, 1 % by a filter", requests: filtered(["tag", "Eq", 7]), clients: 1 },
    { name: "texts, 1 to 5 words", requests: words, clients: 1 },
    { name: "texts, 1 to 5 words", requests: words, clients: MANY_CLIENTS },
  ];
}

function vectorQuery(kind: string, vector: Float32Array, filters?: readonly unknown[]) {
  return prepareJson("/v2/namespaces/vectors/query", {
    rank_by: ["vector", kind, JSON.parse(vectorBase64(vector))],
    limit: LIMIT,
    ...(filters && { filters }),
  });
}

function textQuery(text: string) {
  const body = { rank_by: ["text", "BM25", text], limit: LIMIT };
  return prepareJson("/v2/namespaces/texts/query", body);
}

async function run({ url }: Peer, { requests, clients }: Work) {
  const latencies: number[] = [];
  const startMs = performance.now();
  await onConnections(url, clients, async (connection, index) => {
    for (let i = index; i < requests.length; i += clients) {
      const sentMs = performance.now();
      await connection.send(requests[i]);
      latencies.push(performance.now() - sentMs);
    }
  });
  return { latencies, perSecond: (1000 * requests.length) / (performance.now() - startMs) };
}

async function idsOf(url: string, requests: readonly (readonly Uint8Array[])[]) {
  const found: number[][] = [];
  await onConnections(url, 1, async (connection) => {
    for (const request of requests) {
      const { rows } = JSON.parse((await connection.send(request)).toString());
      found.push(rows.map(({ id }: { id: number }) => id));
    }
  });
  return found;
}

async function recallOf({ url }: Peer): Promise<number> {
  const asked = vectors.slice(0, EXACT_QUERIES);
  // An exact search needs a filter; this one is true of all.
  const exactly = asked.map((vector) => vectorQuery("kNN", vector, ["id", "Gte", 0]));
  const near = asked.map((vector) => vectorQuery("ANN", vector));
  return shareOf(await idsOf(trawl.url, exactly), await idsOf(url, near));
}

async function commonShare(): Promise<number> {
  const asked = texts.slice(0, EXACT_QUERIES).map(textQuery);
  const [ours, theirs] = [await idsOf(peers[0].url, asked), await idsOf(peers[1].url, asked)];
  return shareOf(ours, theirs);
}

/** Mean share of each list that the other one has. */
function shareOf(lists: readonly number[][], others: readonly number[][]): number {
  const shares = lists.map(
    (ids, i) => ids.filter((id) => others[i].includes(id)).length / Math.max(1, ids.length),
  );
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

async function openTrawl(): Promise<BenchServer> {
  const server = await benchServerIn(join(folder, "trawl"));
  const { namespaces } = (await (await fetch(`${server.url}/v1/namespaces`)).json()) as {
    readonly namespaces: readonly unknown[];
  };
  if (namespaces.length > 0) return server;
  await fill(server.url, "vectors", () => vectorDocuments().map(vectorRow), {
    distance_metric: "euclidean_squared",
  });
  await fill(server.url, "texts", () => textDocuments().map(textRow), {
    schema: { text: { type: "string", full_text_search: { remove_stopwords: false } } },
  });
  return server;
}

function vectorRow(vector: Float32Array, id: number): string {
  return `{"id":${id},"tag":${tagOf(id)},"vector":${vectorBase64(vector)}}`;
}

function textRow(text: string, id: number): string {
  return JSON.stringify({ id, text });
}

async function fill(url: string, namespace: string, rows: () => string[], head: object) {
  const all = rows();
  const path = `/v2/namespaces/${namespace}`;
  await onConnections(url, 1, async (connection) => {
    for (let i = 0; i < all.length; i += BATCH) {
      const fields = JSON.stringify(head).slice(1, -1);
      const body = `{${fields},"upsert_rows":[${all.slice(i, i + BATCH).join()}]}`;
      await connection.send(prepare(path, Buffer.from(body)));
    }
  });
  for (;;) {
    const answer = await fetch(`${url}/v1/namespaces/${namespace}/metadata`);
    const { index } = (await answer.json()) as { index: { status: string } };
    if (index.status === "up-to-date") return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Undefined, and a line that says so, where the package is not there. */
async function openZvec(): Promise<(Peer & { end(): void }) | undefined> {
  try {
    createRequire(import.meta.url).resolve("@zvec/zvec");
  } catch {
    console.error("zvec is left out; to have it: npm install --no-save @zvec/zvec@0.7.0");
    return undefined;
  }
  const file = fileURLToPath(new URL("zvec-server.ts", import.meta.url));
  const child = spawn(process.execPath, ["--max-old-space-size=6000", file, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => child.kill());
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (data: Buffer) => {
      const address = /http:\S+/.exec(data.toString());
      if (address !== null) resolve(address[0]);
    });
    child.once("exit", (code) => reject(new Error(`zvec's server ended with ${code}`)));
  });
  await postJson(url, "/", { rank_by: ["text", "BM25", "w1"], limit: 1 });
  return { name: "zvec", url, end: () => child.kill() };
}
