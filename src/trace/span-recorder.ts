/** Spans of one recorder; ours: more than the rounds of a cold query make. */
const SPANS_MAX = 64;
/** Parts of all of them: operators take turns in each segment. */
const PARTS_MAX = 64;
/** Shorter ones say nothing, and come of changes that follow at once. */
const SPAN_MS_MIN = 0.01;

/** What one request was at for a time, in milliseconds since its first byte. */
export interface TimedSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  /** What it was at in this time, in order; absent: nothing that is known. */
  readonly parts?: readonly TimedSpan[];
}

interface Begun {
  readonly name: string;
  readonly startMs: number;
}

/** Writes down what a request is at, one thing after the other, and parts of those. */
export class SpanRecorder {
  readonly #nowMs: () => number;
  readonly #spans: TimedSpan[] = [];
  #current: Begun | undefined;
  #parts: TimedSpan[] = [];
  #partCount = 0;
  #part: Begun | undefined;
  /** The part that goes on where a span of this name does. */
  #goingOn: { readonly span: string; readonly part: string } | undefined;

  /** `nowMs`: milliseconds since the first byte of the request. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** From the first byte up to now. */
  begin(name: string): void {
    const span = { name, startMs: 0, endMs: this.#nowMs() };
    if (this.#hasRoom(span)) this.#spans.push(span);
  }

  /** What it is at from now on; undefined: nothing that has a name. */
  enter(name: string | undefined): void {
    if (name === this.#current?.name) return;
    const nowMs = this.#nowMs();
    this.#endPart(nowMs);
    if (this.#current !== undefined) {
      const span = { ...this.#current, endMs: nowMs };
      const parts = this.#parts;
      if (this.#hasRoom(span)) this.#spans.push(parts.length === 0 ? span : { ...span, parts });
    }
    this.#parts = [];
    this.#current = undefined;
    if (name === undefined) return;
    this.#current = { name, startMs: nowMs };
    if (this.#goingOn?.span !== name) this.#goingOn = undefined;
    else this.#part = { name: this.#goingOn.part, startMs: nowMs };
  }

  /** The part of that which it is at from now on, also where that is left and entered again. */
  enterPart(name: string | undefined): void {
    if (name === this.#part?.name) return;
    const nowMs = this.#nowMs();
    this.#endPart(nowMs);
    const span = this.#current?.name;
    if (name === undefined || span === undefined) {
      this.#goingOn = undefined;
      return;
    }
    this.#part = { name, startMs: nowMs };
    this.#goingOn = { span, part: name };
  }

  /** All spans, in their order; it is at nothing any more. */
  end(): readonly TimedSpan[] {
    this.enter(undefined);
    return this.#spans;
  }

  #endPart(nowMs: number): void {
    const part = this.#part;
    this.#part = undefined;
    if (part === undefined || nowMs - part.startMs < SPAN_MS_MIN) return;
    if (this.#partCount >= PARTS_MAX) return;
    this.#partCount++;
    this.#parts.push({ ...part, endMs: nowMs });
  }

  #hasRoom({ startMs, endMs }: TimedSpan): boolean {
    return endMs - startMs >= SPAN_MS_MIN && this.#spans.length < SPANS_MAX;
  }
}
