/** Slow requests as `GET /trawl/slow-queries` tells of them, and in which order they are shown. */

/** One of them; the members are those of its log line. */
export interface SlowRequest {
  readonly time: string;
  readonly request: string;
  readonly message: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly namespace?: string;
  readonly status: number;
  readonly ms: number;
  readonly workedMs?: number;
  readonly waitedMs?: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly kind?: string;
  readonly phases?: Readonly<Record<string, number>>;
  readonly shape?: string;
  readonly plan?: string;
  readonly documents?: number;
  readonly segments?: number;
  readonly work?: Readonly<Record<string, number>>;
  readonly reads?: Readonly<Record<string, number>>;
}

/** The answer. */
export interface SlowRequests {
  /** 0: no request is slow. */
  readonly slow_query_ms: number;
  /** At most so many a minute are told of. */
  readonly slow_query_sample: number;
  /** The newest first. */
  readonly slow_queries: readonly SlowRequest[];
}

/** What they can be shown by. */
export type SlowOrder = "newest" | "slowest";

/** All of them in an order. */
export function inOrder(all: readonly SlowRequest[], order: SlowOrder): readonly SlowRequest[] {
  return order === "newest" ? all : all.toSorted((a, b) => b.ms - a.ms);
}

/** Names one, since clients may send the same request id many times. */
export function slowKey({ time, request }: SlowRequest): string {
  return `${time} ${request}`;
}

/** What took the most of its time; undefined where it does not say. */
export function longestPhase({ phases = {} }: SlowRequest): string | undefined {
  return Object.entries(phases).sort(([, a], [, b]) => b - a)[0]?.[0];
}
