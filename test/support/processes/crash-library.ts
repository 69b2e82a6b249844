/**
 * Opens the library in the directory that the first argument names, has the thread of the second
 * one crash, and prints what its user sees as one line of JSON.
 */

import { syncBuiltinESMExports } from "node:module";
import workerThreads, { Worker } from "node:worker_threads";

const [, , dataDir, thread] = process.argv;
const workers = new Map<string, Worker>();

class ObservedWorker extends Worker {
  constructor(...parameters: ConstructorParameters<typeof Worker>) {
    super(...parameters);
    workers.set(String(parameters[0]), this);
  }
}
workerThreads.Worker = ObservedWorker;
syncBuiltinESMExports();

const { openTrawl, TrawlError } = await import("../../../src/library/open-trawl.ts");

const told: string[] = [];
const trawl = await openTrawl({
  dataDir,
  memoryLimit: "512MiB",
  queryThreads: 1,
  logLevel: "silent",
  onCrash: (error) => told.push(error.message),
});
const books = trawl.namespace("books");
const write = () =>
  books.write({
    upsert_rows: [{ id: 1, vector: [0.1, 0.9] }],
    distance_metric: "cosine_distance",
  });
const { rows_affected } = await write();
const find = () => books.query({ rank_by: ["vector", "ANN", [1, 0]], limit: 1 });
await find();

const [, crashing] = [...workers].find(([url]) => url.includes(thread)) ?? [];
// No thread knows such a message.
crashing?.postMessage(thread === "query-thread" ? [null] : null);
// A query that comes alone may be answered by this thread.
const calls = Array.from({ length: 8 }, () => (thread === "write-thread" ? write() : find()));
const results = await Promise.allSettled<object>(calls);
const failed = results.find((result) => result.status === "rejected");
const later = await find().then(
  () => "answered",
  (error: Error) => error,
);
await trawl.close();
process.stdout.write(
  `${JSON.stringify({
    before: rows_affected,
    told,
    pending: shown(failed?.reason),
    later: shown(later),
    closed: await trawl.close().then(() => true),
  })}\n`,
);

function shown(error: unknown): unknown {
  return error instanceof TrawlError ? [error.status, error.message] : String(error);
}
