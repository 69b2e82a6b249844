/** What a refused or failed call answers, beside its message. */
export interface ErrorFacts {
  /** As HTTP would have it: 400 for a mistake, 404, 409, 413, 422, 429, 500, 503, … */
  readonly status: number;
  /** The body that HTTP would have. */
  readonly error?: unknown;
  /** The attribute at fault. */
  readonly attribute?: string | undefined;
  /** When to try again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call was refused or has failed; `message` says where, what, the rule, and the nearest fix. */
export class TrawlError extends Error {
  override readonly name = "TrawlError";
  /** See `ErrorFacts`, and so on. */
  readonly status: number;
  readonly error: unknown;
  readonly attribute: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { status, error, attribute, retryAfterMs, cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.error = error;
    this.attribute = attribute;
    this.retryAfterMs = retryAfterMs;
  }
}
