/**
 * Sends requests again and again from a thread of its own and tells how long each answer took, so
 * that what is measured does not wait behind the megabytes that the measuring program itself sends
 * and receives. Started by `latenciesOf` in `http-harness.ts`.
 */

import { parentPort, workerData } from "node:worker_threads";
import { Connection, type TimedRequests, timed } from "./http-harness.ts";

const { url, requests, everyMs } = workerData as TimedRequests & { readonly url: string };
const connection = await Connection.open(url);
const latencies: number[] = [];
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});
for (let i = 0; !isOver; i++) {
  latencies.push(await timed(() => connection.send(requests[i % requests.length])));
  await new Promise((resolve) => setTimeout(resolve, everyMs));
}
connection.close();
parentPort?.postMessage(latencies);
