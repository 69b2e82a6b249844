/** What a thread asked of the object store, for `/metrics`, and a process without it for its log. */

import type { EngineMetric } from "../api/engine.ts";
import type { Clock } from "../base/clock.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import type { StoreCounts } from "../storage/counting-object-store.ts";

/** How often an indexer logs its requests; our choice: often enough for a bill, rare in a log. */
const INDEXER_REPORT_MS = 600_000;

/** Collects the stats. */
export function objectStoreMetrics(
  { requests, failures, bytesRead, bytesWritten }: StoreCounts,
  thread: "cache" | "main" | "write",
): EngineMetric[] {
  const counter = (
    [name, help]: readonly [name: string, help: string],
    value: number,
    labels: Readonly<Record<string, string>> = {},
  ): EngineMetric => {
    const of = { name: `trawl_object_store_${name}_total`, help, kind: "counter" } as const;
    return { ...of, value, labels: { thread, ...labels } };
  };
  return [
    ...Object.entries(requests).map(([request, value]) => {
      return counter(["requests", "requests to the object store"], value, { request });
    }),
    counter(["failures", "failed requests"], failures),
    counter(["read_bytes", "bytes read"], bytesRead),
    counter(["written_bytes", "bytes written"], bytesWritten),
  ];
}

/**
 * Logs the totals since the start, every `INDEXER_REPORT_MS`: an indexer is a process of its own,
 * which answers no requests for stats.
 */
export function reportRequests(
  counts: () => StoreCounts,
  { clock, log }: { readonly clock: Clock; readonly log: StructuredLog },
): void {
  clock.every(INDEXER_REPORT_MS, () => {
    const { requests, ...rest } = counts();
    log("info", "requests to the object store so far", { ...requests, ...rest });
  });
}
