/**
 * `trawl import` against what the server takes of prepared bodies: rows per second of documents
 * with a vector, an integer and a string, from JSON Lines and from Parquet. Run: `node
 * bench/http-import.ts [rows] [dimensions]` (Node >= 24), by default 200,000 and 128, after
 * `npm run build`. Client and server share the machine. The command's time includes its start.
 */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parquetWriteBuffer } from "hyparquet-writer";
import {
  benchServer,
  onConnections,
  prepare,
  printTable,
  randomVectors,
  timed,
  vectorBase64,
  vectorJson,
} from "./http-harness.ts";

const ROWS = Number(process.argv[2] ?? 200_000);
const DIMENSIONS = Number(process.argv[3] ?? 128);
const BATCH = 1000;
const CONNECTIONS = 3;
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const vectors = randomVectors(BATCH, DIMENSIONS);
const folder = mkdtempSync(join(tmpdir(), "trawl-bench-"));

function batchRows(first: number, spelled: readonly string[]): string[] {
  return spelled.map((vector, i) => {
    const id = first + i;
    return `{"id":${id},"vector":${vector},"n":${id},"title":"document ${id}"}`;
  });
}

async function writeJsonLines(path: string): Promise<void> {
  const spelled = vectors.map(vectorJson);
  const out = createWriteStream(path);
  for (let first = 0; first < ROWS; first += BATCH) {
    const isRoom = out.write(`${batchRows(first, spelled).join("\n")}\n`);
    if (!isRoom) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
}

function writeParquet(path: string): void {
  const ids = Array.from({ length: ROWS }, (_, i) => BigInt(i));
  const rows = vectors.map((vector) => Array.from(vector));
  const buffer = parquetWriteBuffer({
    schema: [
      { name: "root", num_children: 4 },
      { name: "id", type: "INT64", repetition_type: "REQUIRED" },
      { name: "vector", converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", type: "FLOAT", repetition_type: "OPTIONAL" },
      { name: "n", type: "INT64", repetition_type: "REQUIRED" },
      { name: "title", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
    ],
    columnData: [
      { name: "id", data: ids },
      { name: "vector", data: ids.map((_, i) => rows[i % BATCH]) },
      { name: "n", data: ids },
      { name: "title", data: ids.map((id) => `document ${id}`) },
    ],
    rowGroupSize: 20_000,
  });
  writeFileSync(path, new Uint8Array(buffer));
}

const server = await benchServer();

async function prepared(name: string, spell: (vector: Float32Array) => string): Promise<number> {
  const spelled = vectors.map(spell);
  let sentMs = 0;
  // Bodies are prepared some at a time, beside the clock.
  for (let first = 0; first < ROWS; first += 20 * BATCH) {
    const count = Math.min(20, Math.ceil((ROWS - first) / BATCH));
    const bodies = Array.from({ length: count }, (_, i) => {
      const rows = batchRows(first + i * BATCH, spelled).join();
      return Buffer.from(`{"distance_metric":"cosine_distance","upsert_rows":[${rows}]}`);
    });
    sentMs += await timed(() =>
      onConnections(server.url, CONNECTIONS, async (connection, index) => {
        for (let i = index; i < count; i += CONNECTIONS) {
          await connection.send(prepare(`/v2/namespaces/${name}`, bodies[i]));
        }
      }),
    );
  }
  return (ROWS * 1000) / sentMs;
}

async function imported(name: string, path: string): Promise<number> {
  const words = ["import", path, "--namespace", name, "--url", server.url, "--json", "--quiet"];
  let out = "";
  const ms = await timed(async () => {
    const run = spawnSync(process.execPath, [MAIN, ...words], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(run.stderr);
    out = run.stdout;
  });
  const { rows } = JSON.parse(out) as { readonly rows: number };
  if (rows !== ROWS) throw new Error(`${rows} rows were imported`);
  return (ROWS * 1000) / ms;
}

const jsonLines = join(folder, "rows.jsonl");
const parquet = join(folder, "rows.parquet");
await writeJsonLines(jsonLines);
writeParquet(parquet);
const lines: unknown[][] = [];
const asNumbers = await prepared("numbers", vectorJson);
const asBase64 = await prepared("base64", vectorBase64);
for (const [name, path, limit] of [
  ["JSON Lines", jsonLines, asNumbers],
  ["Parquet", parquet, asBase64],
] as const) {
  const rate = await imported(`of-${path.split(".").at(-1)}`, path);
  lines.push([name, Math.round(limit), Math.round(rate), (rate / limit).toFixed(2)]);
}
printTable(["file", "prepared bodies, rows/s", "trawl import, rows/s", "share"], lines);
await server.remove();
rmSync(folder, { recursive: true });
