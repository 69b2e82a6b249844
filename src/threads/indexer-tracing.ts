import type { Random } from "../base/random.ts";
import type { IndexerStep } from "../indexer/indexer-options.ts";
import type { SpanExporter } from "../trace/span-exporter.ts";

/** What indexers' steps are traced with. */
export interface IndexerTracing {
  readonly exporter: Pick<SpanExporter, "add">;
  readonly random: Random;
  /** Share of the steps that are. */
  readonly sampleRate: number;
}

/** Makes a trace of its own of each step: nobody's request has asked for it. */
export function traceSteps({ exporter, random, sampleRate }: IndexerTracing) {
  const newId = (bytes: number) => Buffer.from(random.bytes(bytes)).toString("hex");
  return ({ kind, namespace, startMs, endMs, counts }: IndexerStep): void => {
    if (random.next() >= sampleRate) return;
    const named = Object.entries(counts).map(([name, count]) => [`trawl.${name}`, count] as const);
    exporter.add([
      {
        traceId: newId(16),
        spanId: newId(8),
        name: kind,
        kind: "internal",
        startMs,
        endMs,
        attributes: { "trawl.namespace": namespace, ...Object.fromEntries(named) },
      },
    ]);
  };
}
