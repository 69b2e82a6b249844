/**
 * This checkout against another one, such as the same before a change: both servers stand side by
 * side and take short turns, so that a machine whose speed drifts is as fast for the one as for the
 * other. Run: `node bench/http-compare.ts <other checkout> [turns]` (Node >= 24, Linux; the other
 * one is built). Prints how much time this checkout takes for what the other does in 1: median over
 * the turns with their quartiles, and the processor time of the server over all turns.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type BenchServer,
  benchServer,
  benchServerOf,
  onConnections,
  percentile,
  postJson,
  prepare,
  prepareJson,
  printTable,
  randomVectors,
  timed,
  vectorBase64,
  vectorJson,
} from "./http-harness.ts";

const TURNS = 40;
const WARM_UP_TURNS = 4;
const DOCUMENTS = 10_000;
const BATCH = 500;
const BATCHES = 4;
const DIMENSIONS = 768;
/** A namespace takes so many turns of ingest, so that it does not grow without end. */
const INGEST_TURNS = 10;

/** One kind of work, done by one server for a turn. */
interface Work {
  readonly name: string;
  run(server: BenchServer, turn: number): Promise<void>;
}

/** Sends requests over some connections, each of which waits for its answers. */
function sendAll(
  server: BenchServer,
  connections: number,
  requests: readonly (readonly Uint8Array[])[],
): Promise<void> {
  return onConnections(server.url, connections, async (connection, index) => {
    for (let i = index; i < requests.length; i += connections) await connection.send(requests[i]);
  });
}

function lookups(connections: number, count: number): Work {
  const requests = Array.from({ length: count }, (_, i) =>
    prepareJson("/v2/namespaces/floor/query", {
      filters: ["id", "Eq", (i * 7919) % DOCUMENTS],
      limit: 1,
      include_attributes: ["name"],
    }),
  );
  const name = `lookups by id, ${connections} connections`;
  return { name, run: (server) => sendAll(server, connections, requests) };
}

function writes(connections: number, count: number): Work {
  const requests = Array.from({ length: count }, (_, i) =>
    prepareJson("/v2/namespaces/latency", {
      upsert_rows: [{ id: i, name: `document ${i}`, n: i }],
    }),
  );
  const name = `writes of a document, ${connections} clients`;
  return { name, run: (server) => sendAll(server, connections, requests) };
}

const vectors = randomVectors(BATCH, DIMENSIONS);

function ingest(form: string, spell: (vector: Float32Array) => string): Work {
  const spelled = vectors.map(spell);
  const bodies = Array.from({ length: BATCHES }, (_, batch) => {
    const rows = spelled.map((vector, i) => `{"id":${batch * BATCH + i},"vector":${vector}}`);
    return Buffer.from(`{"distance_metric":"cosine_distance","upsert_rows":[${rows.join()}]}`);
  });
  return {
    name: `ingest of ${DIMENSIONS} dimensions, ${form}`,
    run: (server, turn) => {
      const path = `/v2/namespaces/${form}-${Math.floor(turn / INGEST_TURNS)}`;
      return sendAll(
        server,
        2,
        bodies.map((body) => prepare(path, body)),
      );
    },
  };
}

const WORKS = [
  lookups(1, 300),
  lookups(8, 1000),
  lookups(32, 2000),
  writes(1, 60),
  writes(8, 250),
  ingest("json", vectorJson),
  ingest("base64", vectorBase64),
];

/** Clock ticks of user and system time that a process has taken, all of its threads. */
function processorTicks({ process: { pid } }: BenchServer): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Milliseconds and processor ticks of one turn. */
async function turnOf(work: Work, server: BenchServer, turn: number) {
  const before = processorTicks(server);
  const ms = await timed(() => work.run(server, turn));
  return { ms, ticks: processorTicks(server) - before };
}

/** The line of one kind of work. */
async function compare(work: Work, here: BenchServer, other: BenchServer, turns: number) {
  const ratios: number[] = [];
  const ticks = { here: 0, other: 0 };
  for (let turn = 0; turn < turns + WARM_UP_TURNS; turn++) {
    const isFirst = turn % 2 === 0;
    const first = await turnOf(work, isFirst ? here : other, turn);
    const second = await turnOf(work, isFirst ? other : here, turn);
    if (turn < WARM_UP_TURNS) continue;
    const [ours, theirs] = isFirst ? [first, second] : [second, first];
    ratios.push(ours.ms / theirs.ms);
    ticks.here += ours.ticks;
    ticks.other += theirs.ticks;
  }
  const at = (share: number) => percentile(ratios, share).toFixed(2);
  return [work.name, at(0.5), `${at(0.25)} to ${at(0.75)}`, (ticks.here / ticks.other).toFixed(2)];
}

const [checkout, turnsText] = process.argv.slice(2);
if (checkout === undefined) {
  throw new Error("usage: node bench/http-compare.ts <other checkout> [turns]");
}
const turns = Number(turnsText ?? TURNS);
const here = await benchServer();
const other = await benchServerOf(resolve(checkout));
const ids = Array.from({ length: DOCUMENTS }, (_, id) => id);
for (const { url } of [here, other]) {
  await postJson(url, "/v2/namespaces/floor", {
    upsert_columns: { id: ids, name: ids.map((id) => `document ${id}`) },
  });
}
const lines: unknown[][] = [];
for (const work of WORKS) {
  lines.push(await compare(work, here, other, turns));
  console.error(lines.at(-1)?.join("  "));
}
printTable(["work", "time, median", "quartiles", "processor time"], lines);
await here.remove();
await other.remove();
