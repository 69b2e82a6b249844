/** Entry of a query thread: connects its ports to the service of queries. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { must } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { LargeRequests } from "../large-requests.ts";
import { MessageBatch } from "../message-batch.ts";
import { movableBuffers } from "../movable-buffers.ts";
import { threadHeap } from "../thread-heap.ts";
import type { FromQueryThread } from "../thread-messages.ts";
import {
  type PackedFromQueryThread,
  type PackedToQueryThread,
  packFromQueryThread,
  unpackToQueryThread,
} from "./packed-bodies.ts";
import { cachePort, type QuerySettings, serveQueries } from "./serve-queries.ts";

/** What the main thread tells a query thread at its start. */
export interface QueryThreadData extends QuerySettings {
  /** Buffer of `LargeRequests`. */
  readonly largeRequests: SharedArrayBuffer;
  /** To the cache thread. */
  readonly cache: MessagePort;
}

const port = must(parentPort, "this module runs as a thread");
const data = workerData as QueryThreadData;
const batch = new MessageBatch<PackedFromQueryThread>(systemClock, (messages, transfer) =>
  port.postMessage(messages, transfer),
);
const post = (message: FromQueryThread) => {
  const packed = packFromQueryThread(message);
  batch.add(packed, packed === message ? movableBuffers(message) : []);
};
const service = serveQueries(data, {
  clock: systemClock,
  cache: cachePort(data.cache),
  name: String(data.thread),
  post,
  postNow: (message, transfer) => batch.addNow(message, transfer),
});
port.on("message", (messages: readonly PackedToQueryThread[]) => {
  for (const message of messages) service.onMessage(unpackToQueryThread(message));
});
collectWhenIdle(systemClock, threadHeap(), new LargeRequests(data.largeRequests));
