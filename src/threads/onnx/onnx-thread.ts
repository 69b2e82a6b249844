/** Entry of the thread that runs ONNX models: loads and tries them, then serves those who embed. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { ModelPath } from "../../api/config.ts";
import type { EngineMetric } from "../../api/engine.ts";
import { must } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import { type SentError, sentError } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { readOnnxFolder, readOnnxModel } from "../../embed/onnx/onnx-folder.ts";
import type { OnnxModelInfo, ToOnnx } from "../../embed/onnx/onnx-messages.ts";
import { OnnxModel } from "../../embed/onnx/onnx-model.ts";
import { loadOnnxPackages } from "../../embed/onnx/onnx-packages.ts";
import { OnnxService } from "../../embed/onnx/onnx-service.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { threadHeap } from "../thread-heap.ts";
import { type LogMessage, METRICS_INTERVAL_MS } from "../thread-messages.ts";
import { onnxServiceMetrics } from "./onnx-metrics.ts";

/** What the main thread tells this thread at its start. */
export interface OnnxThreadData {
  readonly models: readonly ModelPath[];
}

/** Main thread → ONNX thread: one more thread that embeds has the other end of this port. */
export interface ToOnnxThread {
  readonly kind: "connect";
  readonly port: MessagePort;
}

/** ONNX thread → main thread. */
export type FromOnnxThread =
  | { readonly kind: "ready"; readonly models: readonly OnnxModelInfo[] }
  | { readonly kind: "failed"; readonly error: SentError }
  | LogMessage
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] };

const port = must(parentPort, "this module runs as a thread");
const data = workerData as OnnxThreadData;
const post = (message: FromOnnxThread) => port.postMessage(message);

start().catch((error: unknown) => post({ kind: "failed", error: sentError(error) }));

async function start(): Promise<void> {
  const models = await openModels();
  const service = new OnnxService({ models, clock: systemClock, nextTurn });
  port.on("message", (message: ToOnnxThread) => {
    const asking = message.port;
    const client = { post: (answer: unknown) => asking.postMessage(answer) };
    asking.on("message", (asked: ToOnnx) => service.onMessage(client, asked));
  });
  systemClock.every(METRICS_INTERVAL_MS, () =>
    post({ kind: "metrics", metrics: onnxServiceMetrics(service) }),
  );
  collectWhenIdle(systemClock, threadHeap());
  const infos = [...models].map(([name, { dimensions }]) => ({ name, dimensions }));
  post({ kind: "ready", models: infos });
}

async function openModels(): Promise<Map<string, OnnxModel>> {
  const packages = await loadOnnxPackages();
  const models = new Map<string, OnnxModel>();
  for (const { name, path } of data.models) {
    log(`ONNX model ${name} is being loaded`, { path });
    const startedMs = systemClock.monotonicMs();
    const folder = await readOnnxFolder(path);
    const model = await OnnxModel.open(folder, await readOnnxModel(folder), packages);
    models.set(name, model);
    const { pooling, tokensMax } = folder;
    const ms = Math.round(systemClock.monotonicMs() - startedMs);
    log(`ONNX model ${name} is ready`, { dimensions: model.dimensions, tokensMax, pooling, ms });
  }
  return models;
}

function log(message: string, facts: LogMessage["facts"]): void {
  post({ kind: "log", level: "info", message, facts });
}
