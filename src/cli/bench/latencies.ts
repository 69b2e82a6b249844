/** What some requests took, in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Percentiles by nearest rank: each is a time that some request took. Of nothing all are 0. */
export function summarize(latenciesMs: readonly number[]): LatencySummary {
  const sorted = Float64Array.from(latenciesMs).sort();
  const count = sorted.length;
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * count) - 1)] ?? 0;
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
