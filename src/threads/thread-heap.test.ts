import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { MIB } from "../base/byte-sizes.ts";
import { exposeCollection } from "./thread-heap.ts";

/** Leaves garbage behind, and says what it retains before and after it is collected. */
const THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData).then(({ threadHeap }) => {
    const heap = threadHeap();
    let kept = Array.from({ length: 500_000 }, (_, index) => ({ index }));
    let buffer = new ArrayBuffer(64 << 20);
    kept = buffer = undefined;
    setImmediate(() => {
      const before = heap.retainedBytes();
      heap.collect();
      parentPort.postMessage({ before, after: heap.retainedBytes(), busy: heap.busyShare() });
    });
  });
`;

test("a thread gives back what nothing refers to any more", async () => {
  exposeCollection();
  const module = new URL("./thread-heap.ts", import.meta.url).href;
  const thread = new Worker(THREAD, { eval: true, workerData: module });
  const { before, after, busy } = await new Promise<Record<string, number>>((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
  await thread.terminate();
  expect(before).toBeGreaterThan(64 * MIB);
  expect(after).toBeLessThan(before - 64 * MIB);
  expect(busy).toBeGreaterThanOrEqual(0);
  expect(busy).toBeLessThanOrEqual(1);
});
