/** Why a request of the client failed. */
export type ClientErrorKind =
  /** What was asked for makes no request, such as a URL that is none. */
  | "usage"
  /** The server answered with an error; `status` and `message` are its own. */
  | "refused"
  /** Nothing at the URL takes connections, or a connection broke. */
  | "unreachable"
  /** The server sent nothing for longer than the client waits. */
  | "timed_out"
  /** What answered is no Trawl server, or its answer was cut off or too large. */
  | "misunderstood";

/** A failed request; `message` is for the user, and names the URL where that helps. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** Of `refused` and some of `misunderstood`. */
  readonly status: number | undefined;
  /** When the server says that to try again is worth while. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ClientErrorKind,
    message: string,
    detail: { readonly status?: number; readonly retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "ClientError";
    this.kind = kind;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

/** Tells whether `error` is one of the client's, with one of `statuses` if any are given. */
export function isClientError(error: unknown, ...statuses: number[]): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  return statuses.length === 0 || (error.status !== undefined && statuses.includes(error.status));
}
