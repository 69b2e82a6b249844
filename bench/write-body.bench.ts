/**
 * How fast bodies of writes are parsed while they arrive in chunks of 64 KiB, and how much memory
 * that takes at most. Run: `node bench/write-body.bench.ts [megabytes]` (Node >= 24).
 * Each kind of body runs once, in a process of its own. Rates are per second of the thread's
 * processor time; the peak is the resident memory beyond what there was before.
 */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { WriteBodyParser } from "../src/wire/write/parse-write.ts";

const CHUNK_BYTES = 64 * 1024;
const DIMENSIONS = 768;
const megabytes = Number(process.argv[2] ?? 100);
const random = seededRandom(1);

/** Documents as text; the bodies repeat these, so that making them takes neither time nor memory. */
const samples: Record<string, () => string> = {
  "768 numbers of 17 digits": () => vectorRow((value) => String(value)),
  "768 numbers of 8 digits": () => vectorRow((value) => value.toFixed(8)),
  "768 float32 as base64": () => base64Row(),
  "small documents": (count = random.below(1e9)) =>
    `{"id":${count},"name":"name ${count % 1000}","price":${count / 100},"ok":true,"n":${count}}`,
  "tiny documents": () => `{"id":${random.below(1e6)},"a":${random.below(100)}}`,
};

function vectorRow(spell: (value: number) => string): string {
  const vector = Array.from({ length: DIMENSIONS }, () => spell(random.next() * 2 - 1));
  return `{"id":${random.below(1e9)},"vector":[${vector.join(",")}],"title":"a title"}`;
}

function base64Row(): string {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => random.next() * 2 - 1);
  const text = Buffer.from(vector.buffer).toString("base64");
  return `{"id":${random.below(1e9)},"vector":"${text}","title":"a title"}`;
}

function* chunksOf(sample: () => string, bytesMax: number): Generator<Uint8Array> {
  const rows: string[] = [];
  for (let bytes = 0; bytes < 4e6; bytes += rows[rows.length - 1].length) rows.push(sample());
  const block = Buffer.from(`${rows.join(",")},`);
  yield Buffer.from('{"upsert_rows":[');
  for (let sent = 0; sent + block.length < bytesMax; sent += block.length) {
    for (let at = 0; at < block.length; at += CHUNK_BYTES) {
      yield block.subarray(at, at + CHUNK_BYTES);
    }
  }
  yield Buffer.from(`${rows[0]}]}`);
}

function measure(name: string, sample: () => string): void {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  let bytes = 0;
  const start = process.threadCpuUsage();
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  for (const chunk of chunksOf(sample, megabytes * 1e6)) {
    runSteps(parser.push(chunk));
    bytes += chunk.length;
    if (bytes % (64 * CHUNK_BYTES) < CHUNK_BYTES) {
      peak = Math.max(peak, process.memoryUsage.rss());
    }
  }
  const request = runSteps(parser.finish());
  const used = process.threadCpuUsage(start);
  const seconds = (used.user + used.system) / 1e6;
  peak = Math.max(peak, process.memoryUsage.rss());
  const rate = (bytes / 1e6 / seconds).toFixed(0).padStart(6);
  const documents = ((request.upserts?.count ?? 0) / seconds).toFixed(0).padStart(12);
  const memory = ((peak - before) / 1e6).toFixed(0).padStart(8);
  console.log(`${name.padEnd(26)} ${rate} ${documents} ${memory}`);
}

const kind = process.argv[3];
if (kind !== undefined) {
  measure(kind, samples[kind]);
} else {
  console.log("body                         MB/s  documents/s  peak MB");
  const script = fileURLToPath(import.meta.url);
  for (const name of Object.keys(samples)) {
    const parameters = ["--expose-gc", script, String(megabytes), name];
    execFileSync(process.execPath, parameters, { stdio: "inherit" });
  }
}
