/** Spans of one recorder; ours: more than the rounds of a cold query make. */
const SPANS_MAX = 64;
/** Shorter ones say nothing, and come of changes that follow at once. */
const SPAN_MS_MIN = 0.01;

/** What one request was at for a time, in milliseconds since its first byte. */
export interface TimedSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Writes down what a request is at, one thing after the other. */
export class SpanRecorder {
  readonly #nowMs: () => number;
  readonly #spans: TimedSpan[] = [];
  #name: string | undefined;
  #startMs = 0;

  /** `nowMs`: milliseconds since the first byte of the request. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** From the first byte up to now. */
  begin(name: string): void {
    this.#add({ name, startMs: 0, endMs: this.#nowMs() });
  }

  /** What it is at from now on; undefined: nothing that has a name. */
  enter(name: string | undefined): void {
    if (name === this.#name) return;
    const nowMs = this.#nowMs();
    if (this.#name !== undefined) {
      this.#add({ name: this.#name, startMs: this.#startMs, endMs: nowMs });
    }
    this.#name = name;
    this.#startMs = nowMs;
  }

  /** All spans, in their order; it is at nothing any more. */
  end(): readonly TimedSpan[] {
    this.enter(undefined);
    return this.#spans;
  }

  #add(span: TimedSpan): void {
    if (span.endMs - span.startMs < SPAN_MS_MIN || this.#spans.length >= SPANS_MAX) return;
    this.#spans.push(span);
  }
}
