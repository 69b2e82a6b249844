/**
 * Sends spans to a collector, some at a time and behind everything else: nobody waits for it, and
 * what finds no room or no collector is dropped and counted.
 */

import type { Clock } from "../base/clock.ts";
import { MinuteBudget } from "../base/minute-budget.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import { waitAtMost } from "../base/within-time.ts";
import { encodeSpans, type Span, type SpanResource } from "./span.ts";

/** Spans that wait to be sent; some 4 MB. */
export const SPANS_WAITING_MAX = 8192;
/** Spans of one request; some 300 KB. */
const BATCH_SPANS_MAX = 512;
/** How often what waits is sent. */
const FLUSH_MS = 1000;
/** Time for a collector to take a batch. */
const SEND_MS_MAX = 10_000;
/** Tries of one batch, with a pause before each next one, the first so long, others twice as long. */
const ATTEMPTS_MAX = 3;
const RETRY_MS_MIN = 1000;
/** For so long a server that stops waits for its last spans. */
const CLOSE_MS_MAX = 2000;
/** Statuses after which the protocol allows a further try. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What a request to a collector came to: its status, or undefined where there was no answer. */
export type SendSpans = (body: string, signal: AbortSignal) => Promise<number | undefined>;

/** What the exporter is made of. */
export interface ExporterOptions {
  readonly send: SendSpans;
  readonly clock: Clock;
  readonly log: StructuredLog;
  readonly resource: SpanResource;
}

/** Since the start. */
export interface ExporterStats {
  readonly exported: number;
  /** Found no room, or were not taken. */
  readonly dropped: number;
  /** Requests that failed, tries of one batch one by one. */
  readonly failures: number;
}

/** See the file's head. */
export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #warnings: MinuteBudget;
  readonly #closing = new AbortController();
  readonly #stop: () => void;
  #waiting: Span[] = [];
  #sending: Promise<void> | undefined;
  readonly #stats = { exported: 0, dropped: 0, failures: 0 };

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#warnings = new MinuteBudget(options.clock, 1);
    this.#stop = options.clock.every(FLUSH_MS, () => this.#flush());
  }

  get stats(): ExporterStats {
    return this.#stats;
  }

  /** Takes the spans of one request, all of them or none. */
  add(spans: readonly Span[]): void {
    if (this.#closing.signal.aborted || this.#waiting.length + spans.length > SPANS_WAITING_MAX) {
      this.#stats.dropped += spans.length;
      return;
    }
    this.#waiting.push(...spans);
    if (this.#waiting.length >= BATCH_SPANS_MAX) this.#flush();
  }

  /** Sends what waits, for a while, and ends. */
  async close(): Promise<void> {
    this.#stop();
    this.#flush();
    await waitAtMost(this.#options.clock, this.#sending, CLOSE_MS_MAX);
    this.#closing.abort();
    await this.#sending;
  }

  #flush(): void {
    if (this.#waiting.length > 0) this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_SPANS_MAX);
      if (await this.#sendBatch(batch)) this.#stats.exported += batch.length;
      else this.#stats.dropped += batch.length;
    }
    this.#sending = undefined;
  }

  /** Tells whether it was taken. */
  async #sendBatch(batch: readonly Span[]): Promise<boolean> {
    const { clock, resource } = this.#options;
    const { signal } = this.#closing;
    const body = encodeSpans(batch, resource);
    for (let tried = 1; ; tried++) {
      const status = await this.#send(body);
      if (status !== undefined && status < 300) return true;
      this.#stats.failures++;
      const isFinal = status !== undefined && !RETRYABLE.has(status);
      if (isFinal || tried === ATTEMPTS_MAX || signal.aborted) {
        this.#warn(status);
        return false;
      }
      await clock.sleep(RETRY_MS_MIN * 2 ** (tried - 1), signal).catch(() => {});
    }
  }

  async #send(body: string): Promise<number | undefined> {
    const answered = new AbortController();
    const late = new AbortController();
    this.#options.clock.sleep(SEND_MS_MAX, answered.signal).then(
      () => late.abort(),
      () => {},
    );
    const signal = AbortSignal.any([late.signal, this.#closing.signal]);
    const status = await this.#options.send(body, signal);
    answered.abort();
    return status;
  }

  #warn(status: number | undefined): void {
    if (!this.#warnings.take()) return;
    const { dropped } = this.#stats;
    this.#options.log("warn", "spans of traces were dropped: the collector does not take them", {
      ...(status === undefined ? { answer: "none" } : { status }),
      droppedBefore: dropped,
    });
  }
}

/** Posts bodies to a collector's URL for traces. */
export function postSpans(url: string): SendSpans {
  return async (body, signal) => {
    try {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body, signal });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  };
}
