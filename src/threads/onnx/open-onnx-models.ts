/** The thread that runs a server's ONNX models, seen from the main thread. */

import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { EngineConfig } from "../../api/config.ts";
import type { EngineMetric } from "../../api/engine.ts";
import { receivedError } from "../../base/errors.ts";
import { onnxFileSizes } from "../../embed/onnx/onnx-folder.ts";
import type { OnnxModelInfo } from "../../embed/onnx/onnx-messages.ts";
import { startThread, type ThreadPort } from "../thread-port.ts";
import { planOnnxMemory } from "./onnx-memory.ts";
import { onnxMemoryMetrics } from "./onnx-metrics.ts";
import type { FromOnnxThread, OnnxThreadData, ToOnnxThread } from "./onnx-thread.ts";

/** Models that were loaded and tried. */
export interface OnnxModels {
  readonly models: readonly OnnxModelInfo[];
  /** What is set aside for them. */
  readonly plannedBytes: number;
  /** The end of a new port, for a thread that embeds. */
  connect(): MessagePort;
  metrics(): readonly EngineMetric[];
  close(): Promise<void>;
}

/**
 * Starts the thread, which loads the models and tries each. Resolves with undefined where there are
 * none. Throws `invalid` for a folder that is not whole, for one without room, and where packages
 * that run models are not installed. `onCrash` hears of a crash from then on.
 */
export async function openOnnxModels(
  { onnxModels, memoryBytesMax, log }: Pick<EngineConfig, "onnxModels" | "memoryBytesMax" | "log">,
  onCrash: (error: Error) => void,
): Promise<OnnxModels | undefined> {
  if (onnxModels.length === 0) return undefined;
  const asked = await Promise.all(
    onnxModels.map(async (model) => ({ ...model, ...(await onnxFileSizes(model.path)) })),
  );
  const memory = planOnnxMemory(asked, memoryBytesMax);
  const started = Promise.withResolvers<readonly OnnxModelInfo[]>();
  let isOpen = false;
  const data: OnnxThreadData = { models: onnxModels };
  const thread: ThreadPort<ToOnnxThread, FromOnnxThread> = startThread(
    "threads/onnx/onnx-thread",
    { data, ports: [] },
    (error) => (isOpen ? onCrash(error) : started.reject(error)),
  );
  const steady = onnxMemoryMetrics(memory);
  let metrics: readonly EngineMetric[] = [];
  thread.listen((message) => {
    switch (message.kind) {
      case "log":
        return log(message.level, message.message, message.facts);
      case "metrics":
        metrics = message.metrics;
        return;
      case "ready":
        return started.resolve(message.models);
      case "failed":
        return started.reject(receivedError(message.error));
    }
  });
  const models = await started.promise.catch(async (error: unknown) => {
    await thread.terminate();
    throw error;
  });
  isOpen = true;
  return {
    models,
    plannedBytes: memory.plannedBytes,
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      thread.post({ kind: "connect", port: port2 }, [port2]);
      return port1;
    },
    metrics: () => [...steady, ...metrics],
    close: () => thread.terminate(),
  };
}
