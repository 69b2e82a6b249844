/** The write thread's figures for `/metrics`. */

import type { EngineMetric } from "../api/engine.ts";
import type { NamespaceCatalog } from "../commit/namespace-catalog.ts";
import type { Arenas } from "../kernel/arena.ts";
import type { CountingObjectStore } from "../storage/counting-object-store.ts";

/** Where the figures come from. */
export interface MetricSources {
  readonly counts: ReturnType<CountingObjectStore["counts"]>;
  readonly catalog: NamespaceCatalog;
  readonly arenas: Arenas;
}

/** Collects the figures. */
export function writeThreadMetrics({ counts, catalog, arenas }: MetricSources): EngineMetric[] {
  return [
    ...Object.entries(counts.requests).map(([request, value]): EngineMetric => {
      return {
        name: "trawl_object_store_requests_total",
        help: "requests to the object store",
        kind: "counter",
        value,
        labels: { request },
      };
    }),
    counter("trawl_object_store_failures_total", "failed requests", counts.failures),
    counter("trawl_object_store_read_bytes_total", "bytes read", counts.bytesRead),
    counter("trawl_object_store_written_bytes_total", "bytes written", counts.bytesWritten),
    gauge("trawl_open_namespaces", "namespaces held open", catalog.openCount),
    gauge("trawl_segment_memory_bytes", "memory that segments take", arenas.usedBytes),
    gauge("trawl_segment_memory_free_bytes", "memory that segments may take", arenas.freeBytes),
  ];
}

function counter(name: string, help: string, value: number): EngineMetric {
  return { name, help, kind: "counter", value };
}

function gauge(name: string, help: string, value: number): EngineMetric {
  return { name, help, kind: "gauge", value };
}
