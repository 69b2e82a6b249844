/**
 * Measures the recall of sampled queries again and again, behind everything else: one sample at a
 * time, with rests, from a short queue. What the queue has no room for is dropped and counted.
 */

import type { EngineMetric } from "../../api/engine.ts";
import type { Clock } from "../../base/clock.ts";
import type { RecallOutcome, RecallSample } from "../thread-messages.ts";

/** A sample has up to the 64 KiB of its query's body; more of them would only be older. */
export const SAMPLES_WAITING_MAX = 16;
/**
 * After a measurement so many times as long nothing is measured: exact searches read all vectors of
 * a namespace, so their reads take a tenth of the time at most.
 */
const REST_PER_WORK = 9;

/** What a sampler is made of. */
export interface RecallSamplerOptions {
  readonly clock: Clock;
  /** Never rejects; ends soon when the signal is aborted. */
  measure(sample: RecallSample, signal: AbortSignal): Promise<RecallOutcome>;
}

/** See the file's head. */
export class RecallSampler {
  readonly #options: RecallSamplerOptions;
  readonly #waiting: RecallSample[] = [];
  readonly #stopping = new AbortController();
  readonly #counts = { measured: 0, dropped: 0, skipped: 0, failed: 0 };
  #recallSum = 0;
  #isRunning = false;

  constructor(options: RecallSamplerOptions) {
    this.#options = options;
  }

  /** Takes a sample, to be measured when it is its turn. */
  add(sample: RecallSample): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#waiting.length >= SAMPLES_WAITING_MAX) {
      this.#counts.dropped++;
      return;
    }
    this.#waiting.push(sample);
    if (!this.#isRunning) void this.#run();
  }

  /** Ends what is being measured and measures nothing more. */
  stop(): void {
    this.#waiting.length = 0;
    this.#stopping.abort();
  }

  /** What became of all samples so far. */
  metrics(): readonly EngineMetric[] {
    const kind = "counter";
    const outcomes = Object.entries(this.#counts).map(([outcome, value]): EngineMetric => {
      const help = "ANN rankings whose recall was to be measured, by what became of that";
      return { name: "trawl_recall_samples_total", help, kind, value, labels: { outcome } };
    });
    const help = "recall of those that were measured, added up";
    const sum = { name: "trawl_recall_sum_total", help, kind, value: this.#recallSum } as const;
    return [...outcomes, sum];
  }

  async #run(): Promise<void> {
    const { clock, measure } = this.#options;
    const { signal } = this.#stopping;
    this.#isRunning = true;
    for (let sample = this.#waiting.shift(); sample; sample = this.#waiting.shift()) {
      const startMs = clock.monotonicMs();
      this.#count(await measure(sample, signal));
      const restMs = REST_PER_WORK * (clock.monotonicMs() - startMs);
      // Where it is stopped, nothing waits any more.
      if (!signal.aborted) await clock.sleep(restMs, signal).catch(() => {});
    }
    this.#isRunning = false;
  }

  #count(outcome: RecallOutcome): void {
    this.#counts[outcome.kind]++;
    if (outcome.kind === "measured") this.#recallSum += outcome.recall;
  }
}
