import type { EngineMetric } from "../../api/engine.ts";
import { must } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";

/** Stands for all namespaces that are not told one by one; no namespace can have the name. */
export const OTHER_NAMESPACES = "(other)";
/** Other namespaces whose traffic is estimated, for each one that is told. */
const CANDIDATES_PER_PLACE = 3;
/** Half-life of the counted traffic. */
const HALF_LIFE_MS = 600_000;
/** A namespace replaces the reported one with the least traffic if it has this many times more. */
const TAKEOVER_FACTOR = 2;

/** A request of a namespace that is over. */
export interface NamespaceRequest {
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

type Operation = "query" | "write" | "further";

interface Totals {
  readonly requests: Record<Operation, number>;
  failures: number;
  seconds: number;
  bytesIn: number;
  bytesOut: number;
}

/** Traffic by estimate: no more than it was, and no less than that without `surplus`. */
interface Estimate {
  count: number;
  surplus: number;
}

/** A namespace that is told. */
interface Told extends Estimate {
  readonly totals: Totals;
}

/**
 * Requests by namespace, one by one for those with the most traffic, and summed for all others, in
 * bounded memory however many there are (space-saving counters, Metwally and others, 2005). A
 * namespace that gives its place away adds its totals to those of the others, so that these never
 * fall; what it had before it got one stays there.
 */
export class NamespaceTraffic {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #places: number;
  readonly #told = new Map<string, Told>();
  readonly #candidates = new Map<string, Estimate>();
  readonly #others = newTotals();
  /** No estimate of those that are told is less. */
  #leastTold = 0;
  #halvedMs: number;

  /** `places`: namespaces that are told one by one. */
  constructor(clock: Pick<Clock, "monotonicMs">, places: number) {
    this.#clock = clock;
    this.#places = places;
    this.#halvedMs = clock.monotonicMs();
  }

  /** Namespaces that it knows of. */
  get size(): number {
    return this.#told.size + this.#candidates.size;
  }

  /** Counts a request. What asks for a namespace that is not there is of no namespace. */
  note(namespace: string, request: NamespaceRequest): void {
    if (request.status !== 404 && this.#places > 0) this.#estimate(namespace);
    addRequest(this.#told.get(namespace)?.totals ?? this.#others, request);
  }

  /** All totals. */
  metrics(): EngineMetric[] {
    const told = [...this.#told].map(([namespace, { totals }]) => [namespace, totals] as const);
    return [...told, [OTHER_NAMESPACES, this.#others] as const].flatMap(([namespace, totals]) =>
      totalsMetrics(namespace, totals),
    );
  }

  #estimate(namespace: string): void {
    this.#halve();
    const told = this.#told.get(namespace);
    if (told !== undefined) {
      told.count++;
      return;
    }
    const candidate = this.#candidates.get(namespace) ?? this.#enter(namespace);
    candidate.count++;
    this.#perhapsTell(namespace, candidate);
  }

  /** A new one takes the place of the least, and may have had as much. */
  #enter(namespace: string): Estimate {
    let surplus = 0;
    if (this.#candidates.size >= CANDIDATES_PER_PLACE * this.#places) {
      const [name, { count }] = leastOf(this.#candidates);
      this.#candidates.delete(name);
      surplus = count;
    }
    const estimate = { count: surplus, surplus };
    this.#candidates.set(namespace, estimate);
    return estimate;
  }

  #perhapsTell(namespace: string, { count, surplus }: Estimate): void {
    if (this.#told.size >= this.#places) {
      if (count - surplus <= TAKEOVER_FACTOR * this.#leastTold) return;
      const [name, least] = leastOf(this.#told);
      this.#leastTold = least.count;
      if (count - surplus <= TAKEOVER_FACTOR * least.count) return;
      addTotals(this.#others, least.totals);
      this.#told.delete(name);
    }
    this.#candidates.delete(namespace);
    this.#told.set(namespace, { count, surplus, totals: newTotals() });
    this.#leastTold = Math.min(this.#leastTold, count);
  }

  #halve(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#halvedMs < HALF_LIFE_MS) return;
    this.#halvedMs = nowMs;
    this.#leastTold /= 2;
    for (const estimates of [this.#told, this.#candidates]) {
      for (const estimate of estimates.values()) {
        estimate.count /= 2;
        estimate.surplus /= 2;
      }
    }
  }
}

function leastOf<E extends Estimate>(estimates: ReadonlyMap<string, E>): [string, E] {
  let least: [string, E] | undefined;
  for (const entry of estimates) {
    if (least === undefined || entry[1].count < least[1].count) least = entry;
  }
  return must(least, "there is a place, and nobody has it");
}

function newTotals(): Totals {
  const requests = { query: 0, write: 0, further: 0 };
  return { requests, failures: 0, seconds: 0, bytesIn: 0, bytesOut: 0 };
}

function addRequest(totals: Totals, request: NamespaceRequest): void {
  const { operation } = request;
  totals.requests[operation === "query" || operation === "write" ? operation : "further"]++;
  if (request.status >= 400) totals.failures++;
  totals.seconds += request.seconds;
  totals.bytesIn += request.bytesIn;
  totals.bytesOut += request.bytesOut;
}

function addTotals(totals: Totals, more: Totals = newTotals()): void {
  const { requests } = more;
  totals.requests.query += requests.query;
  totals.requests.write += requests.write;
  totals.requests.further += requests.further;
  totals.failures += more.failures;
  totals.seconds += more.seconds;
  totals.bytesIn += more.bytesIn;
  totals.bytesOut += more.bytesOut;
}

function totalsMetrics(namespace: string, totals: Totals): EngineMetric[] {
  const counter = (name: string, help: string, value: number, labels = {}): EngineMetric => {
    const of = { name: `trawl_namespace_${name}_total`, help, kind: "counter" } as const;
    return { ...of, value, labels: { namespace, ...labels } };
  };
  return [
    ...Object.entries(totals.requests).map(([operation, value]) =>
      counter("requests", "Requests of the namespaces with the most traffic.", value, {
        operation,
      }),
    ),
    counter("failures", "Those of them with a status of 400 or more.", totals.failures),
    counter("request_seconds", "Time that these requests took.", totals.seconds),
    counter("received_bytes", "Decompressed bytes of their bodies.", totals.bytesIn),
    counter("sent_bytes", "Bytes of their answers.", totals.bytesOut),
  ];
}
