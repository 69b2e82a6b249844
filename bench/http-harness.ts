/** What the HTTP measurements share: a server process, a light client, vectors, figures. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { seededRandom } from "../src/base/random.ts";
import type { ReplacedConfig } from "../test/support/servers/replaced-config.ts";
import {
  type ServerOptions,
  type ServerProcess,
  startServer,
} from "../test/support/servers/server-process.ts";

/** A server in a temporary directory on the local disk. */
export interface BenchServer extends ServerProcess {
  /** Greatest resident memory so far, in MiB, as the kernel counts it. */
  peakMemoryMib(): number;
  /** Seconds for which the main thread has run so far, and waited for a core while it could run. */
  mainThreadSeconds(): { ran: number; waited: number };
  /** Where its data is. */
  readonly dataDir: string;
  /** Starts another one over the same data, once this one has ended. */
  restart(): Promise<BenchServer>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** Starts a server with these flags. */
export function benchServer(...flags: string[]): Promise<BenchServer> {
  return replacedServer(undefined, ...flags);
}

/** The same, with configuration that has no setting. */
export async function replacedServer(
  replaced: ReplacedConfig | undefined,
  ...flags: string[]
): Promise<BenchServer> {
  return serve(await mkdtemp(join(tmpdir(), "trawl-bench-")), flags, { replaced });
}

/** The same in a directory that stays. */
export function benchServerIn(dataDir: string, ...flags: string[]): Promise<BenchServer> {
  return serve(dataDir, flags);
}

/** The server of another checkout, in a temporary directory on the local disk. */
export async function benchServerOf(checkout: string): Promise<BenchServer> {
  return serve(await mkdtemp(join(tmpdir(), "trawl-bench-")), [], { checkout });
}

async function serve(
  dataDir: string,
  flags: readonly string[],
  other: Pick<ServerOptions, "checkout" | "replaced"> = {},
): Promise<BenchServer> {
  const server = await startServer({
    dataDir,
    arguments: ["--log-level", "error", ...flags],
    ...other,
  });
  // A measurement that fails leaves no server behind.
  process.on("exit", () => server.process.kill("SIGKILL"));
  return {
    ...server,
    dataDir,
    peakMemoryMib: () => {
      const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    mainThreadSeconds: () => {
      const [ran, waited] = readFileSync(`/proc/${server.process.pid}/schedstat`, "utf8").split(
        " ",
      );
      return { ran: Number(ran) / 1e9, waited: Number(waited) / 1e9 };
    },
    restart: () => serve(dataDir, flags, other),
    remove: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * One keep-alive connection that sends prepared requests and waits for each answer. It parses no
 * more than it must, because client and server share this machine's cores.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** What has come of an answer that is known to need more, and how much that still is. */
  #chunks: Buffer[] = [];
  #missing = 0;
  #resolve: ((answer: Buffer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data) => this.#onData(data));
    socket.on("error", (error) => this.#reject?.(error));
    socket.on("close", () => this.#reject?.(new Error("the server closed the connection")));
  }

  /** Connects to a server. */
  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Connection(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends one request of `prepare` and returns the answer's body; throws unless it is a 200. */
  send(request: readonly Uint8Array[]): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      for (const part of request) this.#socket.write(part);
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  #onData(data: Buffer): void {
    this.#chunks.push(data);
    this.#missing -= data.length;
    // Not joined chunk by chunk: for answers of megabytes that would be most of the work.
    if (this.#missing > 0) return;
    this.#received = Buffer.concat([this.#received, ...this.#chunks]);
    this.#chunks = [];
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const end = headEnd + 4 + length;
    this.#missing = Math.max(0, end - this.#received.length);
    if (this.#missing > 0) return;
    const body = this.#received.subarray(headEnd + 4, end);
    this.#received = this.#received.subarray(end);
    if (head.startsWith("HTTP/1.1 200")) this.#resolve?.(body);
    else this.#reject?.(new Error(`${head.slice(0, 40)}: ${body.toString().slice(0, 300)}`));
  }
}

/** A POST request, ready to be sent again and again. */
export function prepare(path: string, ...body: Uint8Array[]): Uint8Array[] {
  const length = body.reduce((sum, part) => sum + part.length, 0);
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  return [Buffer.from(`${head}content-length: ${length}\r\n\r\n`), ...body];
}

/** A POST request of a small JSON body, in one piece. */
export function prepareJson(path: string, body: unknown): Uint8Array[] {
  return [Buffer.concat(prepare(path, Buffer.from(JSON.stringify(body))))];
}

/** Sends one JSON body over a connection of its own and parses the answer. */
export async function postJson(url: string, path: string, body: unknown): Promise<unknown> {
  const connection = await Connection.open(url);
  const answer = await connection.send(prepareJson(path, body));
  connection.close();
  return JSON.parse(answer.toString());
}

/** Runs `work` on `count` connections at once; each call of it gets its own connection. */
export async function onConnections(
  url: string,
  count: number,
  work: (connection: Connection, index: number) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: count }, () => Connection.open(url)));
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
}

/** Prepared requests that are sent one after the other, again and again. */
export interface TimedRequests {
  readonly requests: readonly (readonly Uint8Array[])[];
  /** Between an answer and the next request. */
  readonly everyMs: number;
}

/** Milliseconds of each answer to requests that another thread sends until `end` has settled. */
export async function latenciesOf(
  url: string,
  requests: TimedRequests,
  end: Promise<unknown>,
): Promise<number[]> {
  const file = new URL("./latency-thread.ts", import.meta.url);
  const worker = new Worker(file, { workerData: { url, ...requests } });
  const latencies = new Promise<number[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  await Promise.race([end, latencies]);
  worker.postMessage("end");
  return latencies;
}

/** Random vectors with components in [-1, 1), the same in every run. */
export function randomVectors(count: number, dimensions: number): Float32Array[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, () =>
    Float32Array.from({ length: dimensions }, () => random.next() * 2 - 1),
  );
}

/** A vector's JSON as clients write it: shortest decimals of float32. */
export function vectorJson(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => Number(value.toPrecision(8))).join()}]`;
}

/** A vector as base64 of little-endian float32, in quotes. */
export function vectorBase64(vector: Float32Array): string {
  return `"${Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64")}"`;
}

/** The value at a share of the sorted values, such as 0.5 and 0.99. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Prints lines under heads, and how busy the machine was. */
export function printTable(heads: readonly string[], lines: readonly (readonly unknown[])[]): void {
  const cells = [heads, ...lines].map((line) => line.map(String));
  const widths = heads.map((_, i) => Math.max(...cells.map((line) => line[i].length)));
  for (const line of cells) console.log(line.map((cell, i) => cell.padEnd(widths[i])).join("  "));
  const load = readFileSync("/proc/loadavg", "utf8").split(" ")[0];
  console.log(`(load average of the last minute: ${load})`);
}

/** Milliseconds that `action` takes. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

/** The first child of a process: a server's indexer. */
export function childOf(pid: number): number | undefined {
  const out = execFileSync("ps", ["--ppid", String(pid), "-o", "pid="], { encoding: "utf8" });
  return Number(out.trim().split(/\s+/)[0]) || undefined;
}
