/** Answers that are errors, as what calls reject with. */

import { answerPieces, type HttpAnswer } from "../api/engine.ts";
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

/** Whether a body has the API's shape of errors. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "status" in body && body.status === "error";
}
