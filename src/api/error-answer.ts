/** Operating errors as answers: the one table from error code to status, and the error shape. */

import { clientMessageOf, DatabaseError, type ErrorCode, MEMORY_RETRY_MS } from "../base/errors.ts";
import { type HttpAnswer, jsonAnswer } from "./engine.ts";

/** HTTP status of each error code (wire contract). */
export const STATUS_BY_CODE: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  malformed: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  overloaded: 429,
  out_of_memory: 429,
  building: 202,
  timed_out: 408,
  unavailable: 503,
  corrupt: 500,
  too_new: 500,
  too_old: 500,
  internal: 500,
};

/** What to do about stored bytes that cannot be read; their errors say which and why. */
const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  corrupt: "restore it from a backup, or delete the namespace; other namespaces are not affected",
  too_new: "start the newer version of the server that wrote it",
  too_old: "export it with the version that wrote it, and import it into a new store",
};

/** What a client reads when the program is wrong; the cause goes to the log only. */
const INTERNAL_MESSAGE =
  "🐡 Unknown error, if this persists, please contact support!! We'll be happy to help :)";

/** Codes whose cause may be over after a while. */
const RETRIED: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "out_of_memory",
  "building",
  "unavailable",
]);

/** Tells clients how long to wait when the error itself does not know. */
const RETRY_AFTER_MS_DEFAULT = 1000;

/** The system gives no more memory: what V8 throws where an array finds no room. */
function isAllocationFailure(error: unknown): error is RangeError {
  return error instanceof RangeError && /allocation failed/i.test(error.message);
}

/**
 * Returns the operating error for anything thrown. Any other error is a bug: clients do not read
 * its message, since it may contain what no client should see.
 */
export function operatingError(thrown: unknown): DatabaseError {
  if (thrown instanceof DatabaseError) return thrown;
  if (!isAllocationFailure(thrown)) return new DatabaseError("internal", INTERNAL_MESSAGE);
  return new DatabaseError(
    "out_of_memory",
    "💔 out of memory for this request: send its documents in several smaller writes, one after " +
      "another, or give the server more memory",
    { cause: thrown, retryAfterMs: MEMORY_RETRY_MS },
  );
}

/**
 * Builds the answer for anything thrown: the one place that decides what clients read of it. The
 * message of an error with a `clientMessage` is for operators alone: it is the answer's `reason`.
 */
export function errorAnswer(thrown: unknown): HttpAnswer {
  const error = operatingError(thrown);
  const status = STATUS_BY_CODE[error.code];
  const told = clientMessageOf(error);
  const advice = ADVICE[error.code];
  const said = told ?? error.message;
  const message = advice === undefined ? said : `${said}; ${advice}`;
  const answer = {
    ...errorBody(status, message, { attribute: error.attribute, ...error.facts }),
    ...(told !== undefined && { reason: error.message }),
  };
  const retryAfterMs = error.retryAfterMs ?? (RETRIED.has(error.code) ? RETRY_AFTER_MS_DEFAULT : 0);
  if (retryAfterMs === 0) return answer;
  const headers = { ...answer.headers, "retry-after-ms": String(Math.ceil(retryAfterMs)) };
  return { ...answer, headers };
}

/**
 * The answer as the client of a request reads it: without the reason, it gives the request id that
 * finds the reason in the server's log.
 */
export function answerWithId(answer: HttpAnswer, requestId: string): HttpAnswer {
  if (answer.reason === undefined) return answer;
  const { status, error, ...members } = JSON.parse(Buffer.from(answer.body).toString("utf8"));
  const where = `the server's log has the reason, by the request id ${requestId}`;
  const { body } = errorBody(answer.status, `${error}; ${where}`, members);
  return { ...answer, body };
}

/** Builds an answer in the error shape for a status that no error code has. */
export function errorBody(status: number, message: string, members: object = {}): HttpAnswer {
  return jsonAnswer(status, { status: "error", error: message, ...members });
}
