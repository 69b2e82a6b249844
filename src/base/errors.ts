/**
 * Operating errors: what went wrong outside this program's logic, as one class with a closed set of
 * codes. `api/error-answer.ts` maps each code to a status. `message` is what the user reads, so it
 * says where, what, the rule, and the nearest fix. An error whose message is for operators alone
 * has a `clientMessage` as well.
 */
export type ErrorCode =
  /** The request's content breaks a rule (400). */
  | "invalid"
  /** The request's JSON has the wrong shape: type, unknown variant, missing key (422). */
  | "malformed"
  /** No valid API key (401). */
  | "unauthorized"
  /** A valid key without the permission (403). */
  | "forbidden"
  /** No such namespace, operation or route (404). */
  | "not_found"
  /** The destination exists already (409). */
  | "conflict"
  /** The body or a value is over its limit (413). */
  | "too_large"
  /** A queue, slot or rate is full, here or at a dependency; try later (429). */
  | "overloaded"
  /** The memory of this process has no room for the work; less of it, or later, may fit (429). */
  | "out_of_memory"
  /** An index that the query needs is still being built (202). */
  | "building"
  /** The request took longer than the server allows (408). */
  | "timed_out"
  /** A dependency (object store, embedding service) does not answer (503). */
  | "unavailable"
  /** Stored bytes are damaged (500). */
  | "corrupt"
  /** Stored bytes are of a newer format version than this server reads (500). */
  | "too_new"
  /** Stored bytes are of a format version that is no longer read (500). */
  | "too_old"
  /** A bug (500). */
  | "internal";

/** Extra facts that travel with an error. */
export interface ErrorDetail {
  readonly cause?: unknown;
  /** Name of the attribute at fault; becomes the member `attribute` of the answer. */
  readonly attribute?: string | undefined;
  /** When to try again, in milliseconds; becomes the header `retry-after-ms`. */
  readonly retryAfterMs?: number | undefined;
  /** The nearest fix, where the message's own words are the contract's: they come first. */
  readonly hint?: string | undefined;
  /**
   * The message for clients, if `message` is for operators alone because it has addresses, paths,
   * names of buckets or messages of other services. Logs have `message`.
   */
  readonly clientMessage?: string | undefined;
  /** Where the fault is in the request's JSON, as in `upsert_rows[3].id`; the message has it too. */
  readonly path?: string | undefined;
  /** Numbers that become members of the answer, for programs; the message says them in words. */
  readonly facts?: Readonly<Record<string, number>> | undefined;
}

/** An operating error; see `ErrorCode`. */
export class DatabaseError extends Error {
  readonly code: ErrorCode;
  readonly attribute: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly path: string | undefined;
  readonly facts: Readonly<Record<string, number>> | undefined;
  /** See `ErrorDetail`; the one of a cause counts as well: `clientMessageOf`. */
  readonly clientMessage: string | undefined;
  /** The message ends with it. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    const { hint } = detail;
    const whole = hint === undefined ? message : `${message}; ${hint}`;
    super(whole, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "DatabaseError";
    this.code = code;
    this.attribute = detail.attribute;
    this.retryAfterMs = detail.retryAfterMs;
    this.path = detail.path;
    this.facts = detail.facts;
    this.clientMessage = detail.clientMessage;
    this.hint = hint;
  }
}

/** Builds the error for a request whose content breaks a rule (400). */
export function invalid(message: string, detail?: ErrorDetail): DatabaseError {
  return new DatabaseError("invalid", message, detail);
}

/**
 * Builds the error for JSON of the wrong shape (422). `path` is where (`upsert_rows[3].id`),
 * `reason` what is wrong there, and `hint` what to do.
 */
export function malformed(path: string, reason: string, hint?: string): DatabaseError {
  const where = path === "" ? "" : `${path}: `;
  return new DatabaseError(
    "malformed",
    `Failed to deserialize the JSON body into the target type: ${where}${reason}`,
    { path, hint },
  );
}

/** Tells whether `error` is an operating error, with one of `codes` if any are given. */
export function isDatabaseError(error: unknown, ...codes: ErrorCode[]): error is DatabaseError {
  return error instanceof DatabaseError && (codes.length === 0 || codes.includes(error.code));
}

/** Causes of an error that are read; errors of this program have fewer. */
const CAUSES_MAX = 16;

/**
 * Returns the first `clientMessage` of an error and its causes, since a message may repeat that of
 * a cause. If undefined, clients read the error's own message.
 */
export function clientMessageOf(error: unknown): string | undefined {
  let cause = error;
  for (let looked = 0; looked < CAUSES_MAX && cause instanceof Error; looked++) {
    if (cause instanceof DatabaseError && cause.clientMessage !== undefined)
      return cause.clientMessage;
    cause = cause.cause;
  }
  return undefined;
}

/** An operating error in a message to another thread: a clone of an `Error` has its message only. */
export type SentError = Readonly<
  Pick<
    DatabaseError,
    "code" | "message" | "attribute" | "retryAfterMs" | "path" | "facts" | "clientMessage"
  >
>;

/** Takes out of an error what `receivedError` needs; a bug becomes `internal` with its message. */
export function sentError(thrown: unknown): SentError {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const error = thrown instanceof DatabaseError ? thrown : new DatabaseError("internal", text);
  const { code, message, attribute, retryAfterMs, path, facts } = error;
  const clientMessage = clientMessageOf(error);
  return { code, message, attribute, retryAfterMs, path, facts, clientMessage };
}

/** Builds the error that another thread has sent. */
export function receivedError({ code, message, ...detail }: SentError): DatabaseError {
  return new DatabaseError(code, message, detail);
}

/** When a write that found no memory may try again; our choice. */
export const MEMORY_RETRY_MS = 5_000;
