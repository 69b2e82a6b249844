/** Writes a set to a server, once, and tells what that took. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIB } from "../../src/base/byte-sizes.ts";
import {
  type BenchServer,
  benchServerIn,
  childOf,
  onConnections,
  prepare,
  timed,
} from "../http-harness.ts";
import { indexBytesOf } from "./index-bytes.ts";
import { bodiesOf, NAMESPACE, type ScaleSet } from "./scale-set.ts";

const CONNECTIONS = 2;
const POLL_MS = 250;
const RETRY_MS = 250;

/** What writing and indexing a set took. */
export interface BuildStats {
  /** From the first byte to the last acknowledgement: then all documents are found. */
  readonly writtenMs: number;
  /** From then until all of them are in stored segments. */
  readonly indexedMs: number;
  /** Answers of 429, after which a write was sent again. */
  readonly refusals: number;
  readonly serverPeakMib: number;
  readonly indexerPeakMib: number;
  /** Of stored segments, without those that are no longer named. */
  readonly segmentMib: number;
  /** Of all in them but documents. */
  readonly indexMib: number;
}

/** A server over a set that is written and indexed. */
export async function openSet(set: ScaleSet, flags: readonly string[]): Promise<BenchServer> {
  const stats = join(set.folder, "built.json");
  const dataDir = join(set.folder, "data");
  if (!existsSync(stats)) {
    const bodies = bodiesOf(set);
    const server = await benchServerIn(dataDir, ...flags);
    const built = await build(server, bodies);
    await server.stop();
    const bytes = { segmentMib: bytesOf(dataDir) / MIB, indexMib: indexBytesOf(dataDir) / MIB };
    writeFileSync(stats, JSON.stringify({ ...built, ...bytes }));
  }
  return benchServerIn(dataDir, ...flags);
}

/** What it took when it was written. */
export function buildStatsOf({ folder }: ScaleSet): BuildStats {
  return JSON.parse(readFileSync(join(folder, "built.json"), "utf8"));
}

async function build(server: BenchServer, bodies: readonly string[]) {
  let refusals = 0;
  const path = `/v2/namespaces/${NAMESPACE}`;
  const writtenMs = await timed(() =>
    onConnections(server.url, CONNECTIONS, async (connection, index) => {
      for (let i = index; i < bodies.length; i += CONNECTIONS) {
        const request = prepare(path, readFileSync(bodies[i]));
        while (!(await isTaken(connection.send(request)))) {
          refusals++;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    }),
  );
  const indexedMs = await timed(() => untilIndexed(server.url));
  const serverPeakMib = server.peakMemoryMib();
  const indexer = childOf(server.process.pid ?? 0);
  const indexerPeakMib = indexer === undefined ? 0 : memoryMib(indexer, "VmHWM");
  return { writtenMs, indexedMs, refusals, serverPeakMib, indexerPeakMib };
}

/** False where the server asks to send it again later. */
async function isTaken(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("HTTP/1.1 429")) return false;
    throw error;
  }
}

/** Resolves when nothing is left to index. */
async function untilIndexed(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v1/namespaces/${NAMESPACE}/metadata`);
    const { index } = (await answer.json()) as { index: { status: string } };
    if (index.status === "up-to-date") return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A figure of a process's memory, in MiB, as the kernel counts it. */
export function memoryMib(pid: number, field: "VmHWM" | "VmRSS"): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) / 1024;
}

/** Seconds for which a process has run, at 100 ticks each; none of no process. */
export function cpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function bytesOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}
