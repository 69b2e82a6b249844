/** Why a request has no answer that can be used, in the server's words where it had some. */

/** What is wrong, as far as the console does different things about it. */
export type ApiFaultKind =
  /** No connection: the server is gone, or the network. */
  | "gone"
  /** 401: there is no key, or it does not count. */
  | "unauthorized"
  /** 403: the key lacks something. */
  | "forbidden"
  | "not_found"
  /** 429: try again after `retryAfterMs`. */
  | "overloaded"
  /** Another 4xx: the request is wrong. */
  | "refused"
  /** 5xx. */
  | "failed"
  /** The answer is not what it says it is. */
  | "unreadable";

/** See the file's head. */
export class ApiFault extends Error {
  readonly kind: ApiFaultKind;
  /** 0 without an answer. */
  readonly status: number;
  /** By it the server's log has the request. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: ApiFaultKind,
    message: string,
    facts: {
      readonly status?: number;
      readonly requestId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message);
    this.name = "ApiFault";
    this.kind = kind;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The kind of an answer with this status, which is no success. */
export function faultKind(status: number): ApiFaultKind {
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 429) return "overloaded";
  return status >= 500 ? "failed" : "refused";
}

/** What was thrown, as a fault that can be shown; undefined for what was called off. */
export function faultOf(error: unknown): ApiFault | undefined {
  if (error instanceof ApiFault) return error;
  if (error instanceof DOMException && error.name === "AbortError") return undefined;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiFault("unreadable", message);
}
