/**
 * Queries over as many documents as one asks for, over HTTP, with the server's defaults: vectors,
 * 250 around each centre, or texts of some 44 words; one client and eight, with filters and
 * without. Recall is against Trawl's exact search of the same vectors. Run (Node >= 24):
 *
 *     node bench/http-scale.ts KIND DOCUMENTS DIMENSIONS FOLDER [SERVER'S FLAGS…]
 *     node bench/http-scale.ts bodies/KIND DOCUMENTS DIMENSIONS FOLDER
 *     node bench/http-scale.ts build/KIND DOCUMENTS DIMENSIONS FOLDER [SERVER'S FLAGS…]
 *     node bench/http-scale.ts upserts/KIND DOCUMENTS DIMENSIONS FOLDER [SERVER'S FLAGS…]
 *     node bench/http-scale.ts growth FOLDER…
 *
 * KIND is one of vectors, f16, uniform, two-vectors, texts, hybrid (a text and a vector), sparse
 * (some 120 of as many names as there are dimensions; queries have 20 to 40) and late (1 to 63
 * vectors for each document, 32 for a query). What is built in the folder is used again; `bodies/`
 * only makes what is to be sent, and `build/` sends it. `upserts/` asks while documents are written
 * again, as they are, so that answers stay the same, and the indexer folds them in. `growth` draws
 * what was measured in folders as `growth.svg` beside this file. Client and server share the
 * machine.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BenchServer, percentile, printTable } from "./http-harness.ts";
import { askBesideUpserts } from "./scale/ask-beside-upserts.ts";
import { type Answered, askAll, askedTimes, meansOf, recallOf } from "./scale/ask-queries.ts";
import {
  type BuildStats,
  buildStatsOf,
  cpuSeconds,
  memoryMib,
  openSet,
} from "./scale/build-set.ts";
import { drawGrowth, type GrowthPoint } from "./scale/growth-plot.ts";
import { type QuerySet, querySetsOf } from "./scale/query-sets.ts";
import { bodiesOf, KINDS, type Kind, type ScaleSet } from "./scale/scale-set.ts";

const MANY_CLIENTS = 8;
/** How many of the first sets are asked by many clients, too; of sparse and late ones all. */
const SETS_OF_MANY = 1;
/** A server is compiled while it answers, and reads what queries look at. */
const WARM_UP_MS = 10_000;
/** What the first query leads to is read behind it, on the same machine. */
const SETTLE_MS = 5_000;
/** Of documents a second, by what they have. */
const UPSERTS = { vectors: 1_000, texts: 2_000 };

const [what, ...rest] = process.argv.slice(2);
if (what === "growth") writeFileSync(new URL("./growth.svg", import.meta.url), growthOf(rest));
else await run(what, rest);

async function run(asked: string | undefined, [documents, dimensions, folder, ...flags]: string[]) {
  const [kind, stage] = asked?.split("/").reverse() ?? [];
  const isKind = KINDS.includes(kind as Kind);
  if (!isKind || folder === undefined) {
    throw new Error(`KIND DOCUMENTS DIMENSIONS FOLDER, with a kind of ${KINDS.join(", ")}`);
  }
  const set: ScaleSet = {
    kind: kind as Kind,
    documents: Number(documents),
    dimensions: Number(dimensions),
    folder,
  };
  if (stage === "bodies") {
    bodiesOf(set);
    return;
  }
  const server = await openSet(set, flags);
  printBuild(set, buildStatsOf(set));
  if (stage === "build") {
    await server.stop();
    return;
  }
  const sets = querySetsOf(set);
  for (const startMs = performance.now(); performance.now() - startMs < WARM_UP_MS; ) {
    await askAll(server.url, sets[0], MANY_CLIENTS);
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (stage === "upserts") {
    const upserts = kind === "texts" ? UPSERTS.texts : UPSERTS.vectors;
    await askBesideUpserts(server, { set, asked: sets[0], upserts });
  } else await measure(server, set, sets);
  printMemory(server);
  await server.stop();
}

function printBuild({ documents }: ScaleSet, built: BuildStats): void {
  const { writtenMs, indexedMs } = built;
  const rate = (ms: number) => ((1_000 * documents) / ms).toFixed(0);
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const { serverPeakMib, indexerPeakMib, segmentMib, indexMib } = built;
  const mib = [serverPeakMib, indexerPeakMib, segmentMib, indexMib];
  printTable(
    [
      "built: written s",
      "per s",
      "indexed after s",
      "all per s",
      "429s",
      "MiB of server",
      "indexer",
      "segments",
      "indexes",
    ],
    [
      [
        seconds(writtenMs),
        rate(writtenMs),
        seconds(indexedMs),
        rate(writtenMs + indexedMs),
        built.refusals,
        ...mib.map((value) => value.toFixed(0)),
      ],
    ],
  );
}

async function measure(server: BenchServer, set: ScaleSet, sets: readonly QuerySet[]) {
  const { url } = server;
  const lines: unknown[][] = [];
  for (const [i, asked] of sets.entries()) {
    const cpuBefore = cpuSeconds(server.process.pid);
    const alone = await askAll(url, asked, 1);
    const cpuMs = (1_000 * (cpuSeconds(server.process.pid) - cpuBefore)) / askedTimes(asked);
    const means = await meansOf(url, asked);
    const recall = (await recallOf(url, asked))?.toFixed(3) ?? "";
    const { entries, postings, codes, vectors, searchMs } = means;
    const looked = [entries, postings, codes, vectors].map((count) => count.toFixed(0));
    const costs = [searchMs, cpuMs].map((ms) => ms.toFixed(2));
    lines.push([...lineOf(asked.name, 1, alone), recall, ...costs, ...looked]);
    const { kind, documents } = set;
    if (i === 0) {
      const p50Ms = percentile(alone.latenciesMs, 0.5);
      const point: GrowthPoint = { kind, documents, p50Ms, looked: codes + postings };
      writeFileSync(join(set.folder, "growth.json"), JSON.stringify(point));
    }
    if (i >= SETS_OF_MANY && kind !== "sparse" && kind !== "late") continue;
    const together = await askAll(url, asked, MANY_CLIENTS);
    lines.push([...lineOf(asked.name, MANY_CLIENTS, together), ...Array(7).fill("")]);
  }
  const heads = ["ms", "clients", "p50", "p95", "p99", "per s", "recall@10", "search", "CPU"];
  printTable([...heads, "entries", "postings", "codes", "vectors"], lines);
  await printExact(server, sets[0]);
}

function lineOf(name: string, clients: number, { latenciesMs, perSecond }: Answered): unknown[] {
  const shares = [0.5, 0.95, 0.99].map((share) => percentile(latenciesMs, share).toFixed(2));
  return [name, clients, ...shares, perSecond.toFixed(0)];
}

/** What an exact search of all takes, where there is one. */
async function printExact(server: BenchServer, { exact }: QuerySet): Promise<void> {
  if (exact === undefined) return;
  const { latenciesMs } = await askAll(server.url, { name: "kNN", queries: exact.slice(0, 40) }, 1);
  console.log(
    `kNN, p50 / p95: ${[0.5, 0.95].map((s) => percentile(latenciesMs, s).toFixed(1))} ms`,
  );
}

function printMemory(server: BenchServer): void {
  const resident = memoryMib(server.process.pid ?? 0, "VmRSS");
  const peak = server.peakMemoryMib();
  console.log(`server, MiB: ${resident.toFixed(0)}, at most ${peak.toFixed(0)}`);
}

function growthOf(folders: readonly string[]): string {
  return drawGrowth(
    folders.map((folder) => ({
      ...(JSON.parse(readFileSync(join(folder, "growth.json"), "utf8")) as GrowthPoint),
      built: JSON.parse(readFileSync(join(folder, "built.json"), "utf8")) as BuildStats,
    })),
  );
}
