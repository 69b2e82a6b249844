/**
 * One write of 500 MB: from the first byte sent to the acknowledgement, and the server's peak
 * memory (VmHWM). Documents of 768 dimensions, as JSON numbers and as base64, each over a new
 * server. Run: `node bench/http-large-body.ts` (Node >= 24). Client and server share the machine.
 * Prints the median of 3 runs.
 */

import {
  benchServer,
  Connection,
  median,
  prepare,
  printTable,
  randomVectors,
  timed,
  vectorBase64,
  vectorJson,
} from "./http-harness.ts";

const BODY_BYTES = 500_000_000;
const CHUNK_ROWS = 500;
const RUNS = 3;

/** A body of `BODY_BYTES`, or just below, in parts. */
function largeBody(spell: (vector: Float32Array) => string): { parts: Buffer[]; rows: number } {
  const spelled = randomVectors(CHUNK_ROWS, 768).map(spell);
  const parts = [Buffer.from('{"distance_metric":"cosine_distance","upsert_rows":[')];
  let bytes = parts[0].length + 2;
  for (let rows = 0; ; rows += CHUNK_ROWS) {
    const chunk = spelled.map((vector, i) => `{"id":${rows + i},"vector":${vector}}`).join();
    const part = Buffer.from(rows === 0 ? chunk : `,${chunk}`);
    bytes += part.length;
    if (bytes > BODY_BYTES) {
      parts.push(Buffer.from("]}"));
      return { parts, rows };
    }
    parts.push(part);
  }
}

const lines: unknown[][] = [];
for (const [form, spell] of [
  ["JSON numbers", vectorJson],
  ["base64", vectorBase64],
] as const) {
  const seconds: number[] = [];
  const peaks: number[] = [];
  const { parts, rows } = largeBody(spell);
  for (let run = 0; run < RUNS; run++) {
    const server = await benchServer();
    const connection = await Connection.open(server.url);
    seconds.push(
      (await timed(() => connection.send(prepare("/v2/namespaces/large", ...parts)))) / 1000,
    );
    peaks.push(server.peakMemoryMib());
    connection.close();
    await server.remove();
  }
  const shown = seconds.map((value) => value.toFixed(2)).join(" ");
  lines.push([form, rows, median(seconds).toFixed(2), shown, Math.round(median(peaks))]);
}
printTable(["vectors", "documents", "seconds", "runs", "peak MiB"], lines);
