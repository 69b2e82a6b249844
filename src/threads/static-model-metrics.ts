/** What static embedding models take, for `/metrics`. */

import type { EngineMetric } from "../api/engine.ts";
import type { StaticEmbeddingProvider } from "../embed/static/static-embedding-provider.ts";
import { STATIC_ENGLISH } from "../embed/static/static-english.ts";
import type { StaticModels } from "./static-models.ts";

/** What all threads share, and what the models may take; it stays as it is. */
export function staticModelMetrics({
  folders,
  bytesMax,
}: Pick<StaticModels, "folders" | "bytesMax">): EngineMetric[] {
  const help = "memory that static embedding models may take";
  return [
    { name: "trawl_static_model_bytes_max", help, kind: "gauge", value: bytesMax },
    // Of this one threads share nothing, and its row is there before one has loaded it.
    modelBytes(STATIC_ENGLISH, "shared", 0),
    ...folders.map(({ name, sharedBytes }) => modelBytes(name, "shared", sharedBytes)),
  ];
}

/** What a thread has loaded beside that. */
export function loadedModelMetrics(
  provider: Pick<StaticEmbeddingProvider, "loadedBytes">,
  thread: string,
): EngineMetric[] {
  return [...provider.loadedBytes()].map(([model, bytes]) => modelBytes(model, thread, bytes));
}

function modelBytes(model: string, thread: string, value: number): EngineMetric {
  const help = "memory that a static embedding model takes in a thread, or in all of them";
  return {
    name: "trawl_static_model_bytes",
    help,
    kind: "gauge",
    value,
    labels: { model, thread },
  };
}
