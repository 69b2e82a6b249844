/**
 * Small writes of one namespace while another one gets the largest bodies, good and bad: the
 * latency of the small ones, and how long the large one takes. Run: `node bench/http-body-turns.ts`
 * (Node >= 24), with words of the bodies' names to run those only. Client and server share the
 * machine, and each body gets a server of its own.
 */

import {
  benchServer,
  Connection,
  latenciesOf,
  percentile,
  prepare,
  prepareJson,
  printTable,
  randomVectors,
  vectorJson,
} from "./http-harness.ts";

const MB = 1_000_000;

/** A body in parts: `head`, then `row(i)` up to so many bytes, then `tail`. */
function rows(bytesMax: number, row: (i: number) => string, tail = "]}"): Buffer[] {
  const parts = [Buffer.from('{"upsert_rows":[')];
  let bytes = parts[0].length + tail.length;
  for (let i = 0; ; ) {
    let text = "";
    while (text.length < MB) {
      text += `${i === 0 ? "" : ","}${row(i)}`;
      i++;
    }
    bytes += text.length;
    if (bytes > bytesMax) break;
    parts.push(Buffer.from(text));
  }
  parts.push(Buffer.from(tail));
  return parts;
}

const words = "the quick brown fox jumps over lazy dogs and runs through green fields".split(" ");
const text = (i: number) =>
  Array.from({ length: 40 }, (_, k) => words[(i * 7 + k * k) % 13]).join(" ");
const vectors = randomVectors(64, 768).map(vectorJson);

/** What is there before a body whose name begins with "again". */
const FIRST = "rows of ids";

/** Largest bodies by name. */
const BODIES: Readonly<Record<string, () => Buffer[]>> = {
  "rows of ids": () => rows(60 * MB, (i) => `{"id":${i},"n":${i % 97}}`),
  strings: () => rows(60 * MB, (i) => `{"id":${i},"s":"value ${i}","t":"${i % 1000}"}`),
  vectors: () =>
    rows(
      500 * MB,
      (i) => `{"id":${i},"vector":${vectors[i % 64]}}`,
      '],"distance_metric":"cosine_distance"}',
    ),
  texts: () => rows(250 * MB, (i) => `{"id":${i},"text":"${text(i)}"}`),
  "full text": () =>
    rows(
      120 * MB,
      (i) => `{"id":${i},"text":"${text(i)} ${i % 50_000}"}`,
      '],"schema":{"text":{"type":"string","full_text_search":true}}}',
    ),
  sparse: () =>
    rows(
      60 * MB,
      (i) => `{"id":${i},"s":{"a${i % 9973}":0.5,"b${i % 997}":0.25,"c${i % 97}":1}}`,
      '],"schema":{"s":{"type":"{}f16","sparse_knn":{"distance_metric":"dot_product"}}}}',
    ),
  "again: the same rows": () => rows(60 * MB, (i) => `{"id":${i},"n":${i % 97}}`),
  "again: a filter deletes": () => [Buffer.from('{"delete_by_filter":["n","Gte",0]}')],
  "again: a filter patches": () => [
    Buffer.from(
      '{"patch_by_filter":{"filters":["n","Gte",0],"patch":{"n":1}},' +
        '"patch_by_filter_allow_partial":true}',
    ),
  ],
  "string ids": () => rows(60 * MB, (i) => `{"id":"id-${(i * 7919) % 10_000_019}","n":${i}}`),
  deletes: () => [Buffer.from(`{"deletes":[${list(6_000_000, String)}]}`)],
  "bad: last value": () => rows(38 * MB, (i) => `{"id":${i},"n":${i % 97}}`, ',{"id":1,"n":"x"}]}'),
  "bad: syntax at the end": () => rows(38 * MB, (i) => `{"id":${i},"n":${i % 97}}`, ",]}"),
  "bad: the same id": () => rows(38 * MB, (i) => `{"id":${i % 1_000_000},"n":1}`),
  "bad: documents of nothing": () => rows(38 * MB, () => "{}"),
  "bad: one object": () => [
    Buffer.from(`{"upsert_rows":[{"id":1,"a":{${list(2_500_000, (i) => `"${i}":${i}`)}}}]}`),
  ],
  "bad: a schema": () => [
    Buffer.from(`{"schema":{${list(2_000_000, (i) => `"a${i}":"int"`)}},"upsert_rows":[{"id":1}]}`),
  ],
  "bad: unknown": () => [Buffer.from(`{"unknown":[${"{},".repeat(12_000_000)}{}]}`)],
  "bad: unknown members": () => [Buffer.from(`{${list(2_500_000, (i) => `"${i}":${i}`)}}`)],
  "bad: array of strings": () => [
    Buffer.from(`{"upsert_rows":[{"id":1,"a":[${'"",'.repeat(12_000_000)}""]}]}`),
  ],
  "bad: arrays of arrays": () => [
    Buffer.from(`{"upsert_rows":[{"id":1,"a":[${"[],".repeat(12_000_000)}[]]}]}`),
  ],
};

function list(count: number, spell: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => spell(i)).join();
}

/** Small writes, over and over. */
const SMALL = Array.from({ length: 100 }, (_, id) =>
  prepareJson("/v2/namespaces/small", { upsert_rows: [{ id, n: 1 }] }),
);
/** How long they are measured alone, and after the large body's answer. */
const ALONE_SECONDS = 1;
const AFTER_SECONDS = 0.2;

async function post(url: string, path: string, parts: readonly Buffer[]): Promise<string> {
  const connection = await Connection.open(url);
  const answer = await connection
    .send(prepare(path, ...parts))
    .then((body) => `200 ${body.toString().slice(0, 60)}`)
    .catch((error: Error) => error.message);
  connection.close();
  return answer.slice(0, 150);
}

const asked = process.argv.slice(2);
const names = Object.keys(BODIES).filter(
  (name) => asked.length === 0 || asked.some((word) => name.includes(word)),
);
const lines: unknown[][] = [];
for (const name of names) {
  const parts = BODIES[name]();
  const server = await benchServer();
  const connection = await Connection.open(server.url);
  if (name.startsWith("again")) await post(server.url, "/v2/namespaces/large", BODIES[FIRST]());
  for (const request of SMALL) await connection.send(request);
  const passed = (s: number) => new Promise((resolve) => setTimeout(resolve, s * 1000));
  const smallWrites = { requests: SMALL, everyMs: 0 };
  const alone = await latenciesOf(server.url, smallWrites, passed(ALONE_SECONDS));
  const start = performance.now();
  let answer = "";
  let seconds = 0;
  const large = post(server.url, "/v2/namespaces/large", parts).then((text) => {
    seconds = (performance.now() - start) / 1000;
    answer = text;
    // What a large write leaves to be done in the background counts, too.
    return passed(AFTER_SECONDS);
  });
  const latencies = await latenciesOf(server.url, smallWrites, large);
  lines.push([
    name,
    seconds.toFixed(2),
    percentile(alone, 0.99).toFixed(1),
    latencies.length,
    ...[0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(1)),
    Math.round(server.peakMemoryMib()),
    answer,
  ]);
  console.log(lines.at(-1)?.join("  "));
  connection.close();
  await server.remove();
}
printTable(
  ["body", "s", "p99 ms alone", "small writes", "p50", "p99", "max", "peak MiB", "answer"],
  lines,
);
