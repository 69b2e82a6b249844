/** What ONNX models take and do, for `/metrics`. */

import type { EngineMetric } from "../../api/engine.ts";
import type { OnnxService } from "../../embed/onnx/onnx-service.ts";
import type { OnnxMemory } from "./onnx-memory.ts";

/** What was done, and what waits. */
export function onnxServiceMetrics(
  service: Pick<OnnxService, "stats" | "waitingCount" | "refusedCount">,
): EngineMetric[] {
  return [
    {
      name: "trawl_onnx_requests_waiting",
      help: "requests for texts that wait for ONNX models or are worked at",
      kind: "gauge",
      value: service.waitingCount,
    },
    {
      name: "trawl_onnx_requests_refused_total",
      help: "requests for texts that were refused since too many waited for ONNX models",
      kind: "counter",
      value: service.refusedCount,
    },
    ...[...service.stats].flatMap(([model, { texts, tokens, workMs }]) => [
      ofModel(model, "trawl_onnx_texts_total", "texts that an ONNX model has embedded", texts),
      ofModel(model, "trawl_onnx_tokens_total", "tokens of these texts", tokens),
      ofModel(model, "trawl_onnx_work_seconds_total", "time of this work", workMs / 1_000),
    ]),
  ];
}

/** What models were given of the memory limit; it stays as it is. */
export function onnxMemoryMetrics({
  bytes,
  bytesMax,
}: Pick<OnnxMemory, "bytes" | "bytesMax">): EngineMetric[] {
  const help = "memory that is set aside for an ONNX model, or for what all of them share";
  return [
    {
      name: "trawl_onnx_model_bytes_max",
      help: "memory that ONNX models may take",
      kind: "gauge",
      value: bytesMax,
    },
    ...[...bytes].map(
      ([model, value]): EngineMetric => ({
        name: "trawl_onnx_model_bytes",
        help,
        kind: "gauge",
        value,
        labels: { model },
      }),
    ),
  ];
}

function ofModel(model: string, name: string, help: string, value: number): EngineMetric {
  return { name, help, kind: "counter", value, labels: { model } };
}
