/** Answers that are errors, as what calls reject with. */

import { answerPieces, type HttpAnswer } from "../api/engine.ts";
import { errorAnswer } from "../api/error-answer.ts";
import { DatabaseError } from "../base/errors.ts";
import { inOptionNames } from "./library-settings.ts";
import { TrawlError } from "./trawl-error.ts";

/** An error in the API's shape. */
interface ErrorBody {
  readonly status: "error";
  readonly error: string;
  readonly attribute?: string;
}

/** What an answer's body holds; undefined where it is empty. */
export function bodyOf(answer: HttpAnswer): unknown {
  const text = Buffer.concat(answerPieces(answer)).toString("utf8");
  return text === "" ? undefined : JSON.parse(text);
}

/** The error of an answer that is one. Settings that it names have their names as options. */
export function errorOf(answer: HttpAnswer, cause?: unknown): TrawlError {
  const body = bodyOf(answer);
  const retryAfterMs = answer.headers["retry-after-ms"];
  // The program that embeds the engine is its operator.
  const message = answer.reason ?? (isErrorBody(body) ? body.error : JSON.stringify(body));
  return new TrawlError(inOptionNames(message), {
    status: answer.status,
    error: body,
    attribute: isErrorBody(body) ? body.attribute : undefined,
    retryAfterMs: retryAfterMs === undefined ? undefined : Number(retryAfterMs),
    cause,
  });
}

/** Codes of Node for a file that is not there: of a module, and of `kernel.wasm`. */
const MISSING_FILE = ["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ENOENT"];

/**
 * The error of an opening that failed. Unlike the server's clients, a program reads the message of
 * an unexpected failure, and how to bundle Trawl if a file of the package is missing.
 */
export function openingError(error: unknown): TrawlError {
  const answer = errorAnswer(error);
  const isExpected = error instanceof DatabaseError || answer.status !== 500;
  if (isExpected || !(error instanceof Error)) return errorOf(answer, error);
  const isMissing = "code" in error && MISSING_FILE.includes(String(error.code));
  const fix = isMissing
    ? "install the package again, or mark trawl as external if this program is bundled"
    : "the cause of this error has its stack";
  const message = `Trawl cannot be opened: ${error.message}; ${fix}`;
  return new TrawlError(message, { status: 500, error: bodyOf(answer), cause: error });
}

/** Whether a body has the API's shape of errors. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "status" in body && body.status === "error";
}
