/** Queries while documents are written and folded into segments, against those at rest. */

import { readFileSync } from "node:fs";
import {
  type BenchServer,
  Connection,
  childOf,
  percentile,
  prepare,
  printTable,
} from "../http-harness.ts";
import { type Answered, askAll, idsOf, recallOf, shareFound } from "./ask-queries.ts";
import { cpuSeconds } from "./build-set.ts";
import { type QuerySet, SAMPLE } from "./query-sets.ts";
import { bodiesOf, NAMESPACE, type ScaleSet } from "./scale-set.ts";

const WRITES_PER_SECOND = 40;
/** Long enough for the log to be folded several times. */
const UPSERT_MS = 90_000;

/** What is asked, and how many documents are written in each second. */
export interface BesideUpserts {
  readonly set: ScaleSet;
  readonly asked: QuerySet;
  readonly upserts: number;
}

/** Prints latency and recall without writes and beside them. */
export async function askBesideUpserts(server: BenchServer, beside: BesideUpserts): Promise<void> {
  const { set, asked, upserts } = beside;
  const { url } = server;
  const exact = asked.exact && (await idsOf(url, asked.exact.slice(0, SAMPLE)));
  const idleRecall = await recallOf(url, asked);
  const idle = await askAll(url, asked, 1);
  const indexerCpu = () => cpuSeconds(childOf(server.process.pid ?? 0));
  const indexedBefore = indexerCpu();
  let isOver = false;
  const writing = upsertUntil(url, writesOf(set, upserts), () => isOver);
  const latenciesMs: number[] = [];
  const recalls: number[] = [];
  const startMs = performance.now();
  while (performance.now() - startMs < UPSERT_MS) {
    latenciesMs.push(...(await askAll(url, asked, 1)).latenciesMs);
    if (exact === undefined) continue;
    recalls.push(shareFound(exact, await idsOf(url, asked.queries.slice(0, SAMPLE))));
  }
  isOver = true;
  const rowsSent = ((await writing) * upserts) / WRITES_PER_SECOND;
  const written = (1_000 * rowsSent) / (performance.now() - startMs);
  const worked = indexerCpu() - indexedBefore;
  printTable(
    ["ms", "queries", "p50", "p95", "p99", "recall@10"],
    [
      lineOf("at rest", idle, idleRecall),
      lineOf(
        `${written.toFixed(0)} upserts/s`,
        { latenciesMs },
        exact && recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length,
      ),
    ],
  );
  console.log(`the indexer worked for ${worked.toFixed(1)} of ${UPSERT_MS / 1_000} s`);
}

function lineOf(
  name: string,
  { latenciesMs }: Pick<Answered, "latenciesMs">,
  recall: number | undefined,
): unknown[] {
  const shares = [0.5, 0.95, 0.99].map((share) => percentile(latenciesMs, share).toFixed(2));
  return [name, latenciesMs.length, ...shares, recall?.toFixed(3) ?? ""];
}

/** Writes of documents as they are already, as many as are sent. */
function writesOf(set: ScaleSet, perSecond: number): Uint8Array[][] {
  const rowsPerWrite = perSecond / WRITES_PER_SECOND;
  const wanted = (UPSERT_MS / 1_000) * WRITES_PER_SECOND;
  const writes: Uint8Array[][] = [];
  for (const body of bodiesOf(set)) {
    const { upsert_rows: rows, ...head } = JSON.parse(readFileSync(body, "utf8"));
    for (let i = 0; i + rowsPerWrite <= rows.length; i += rowsPerWrite) {
      const bytes = JSON.stringify({ ...head, upsert_rows: rows.slice(i, i + rowsPerWrite) });
      writes.push(prepare(`/v2/namespaces/${NAMESPACE}`, Buffer.from(bytes)));
      if (writes.length === wanted) return writes;
    }
  }
  return writes;
}

/** Sends writes at their pace, over and over; how many were sent. */
async function upsertUntil(
  url: string,
  writes: readonly (readonly Uint8Array[])[],
  isOver: () => boolean,
): Promise<number> {
  const connection = await Connection.open(url);
  const startMs = performance.now();
  let sent = 0;
  for (; !isOver(); sent++) {
    await connection.send(writes[sent % writes.length]);
    const waitMs = startMs + ((sent + 1) * 1_000) / WRITES_PER_SECOND - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  connection.close();
  return sent;
}
