/** What is said of errors, by status. */

import { STATUS_BY_CODE } from "../api/error-answer.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { OperationDoc } from "./operations/operation-doc.ts";
import { integer, type JsonSchema, ref, text } from "./schemas/json-schema.ts";

/** By code, so that a new code is an error of the compiler here. */
const BY_CODE: Readonly<Record<ErrorCode, string>> = {
  invalid: "The request breaks a rule.",
  malformed: "The body is JSON of the wrong shape; says where.",
  unauthorized: "The key is missing, unknown, revoked or expired.",
  forbidden: "The key may not do this, or not there; without keys: the page or host may not.",
  not_found: "The namespace, operation or object is not there.",
  conflict: "The destination is there already, or is being made.",
  too_large: "The body, or something in it, is over its limit.",
  overloaded: "Too much at once: try again after `retry-after-ms`.",
  out_of_memory: "The server has no memory for it now: try again after `retry-after-ms`.",
  building: "An index is being built: try again after `retry-after-ms`.",
  timed_out: "The request took longer than it may.",
  unavailable: "The store or a model's service does not answer: try again.",
  corrupt: "Stored bytes cannot be read.",
  too_new: "Stored bytes are of a newer version.",
  too_old: "Stored bytes are of a version that is no longer read.",
  internal: "The server is at fault.",
};
const UNSUPPORTED_ENCODING = 415;
/** Statuses of every request that needs a key. */
const GUARDED = [400, 401, 403, 429, 500, 503];
/** Statuses of every request with a body. */
const WITH_BODY = [408, 413, UNSUPPORTED_ENCODING, 422];
/** Statuses after which a client is told when to try again. */
const RETRIED = new Set([429, 503]);

/** What the statuses of an operation's errors depend on. */
export interface ErrorScope {
  readonly doc: OperationDoc;
  /** Whether a key is needed. */
  readonly isGuarded: boolean;
  /** Names in its path. */
  readonly parameters: readonly string[];
}

/** The statuses of an operation's errors, in ascending order. */
export function errorStatuses({ doc, isGuarded, parameters }: ErrorScope): number[] {
  const statuses = [
    ...(doc.errors ?? []),
    ...(isGuarded ? GUARDED : []),
    ...(doc.body === undefined ? [] : WITH_BODY),
    ...(parameters.length > 0 ? [404] : []),
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** A response of the document for a status; those below a namespace may refuse its name as text. */
export function errorResponse(status: number, namesNamespace: boolean): JsonSchema {
  const isText = status === 400 && namesNamespace;
  return {
    description: errorText(status),
    headers: {
      ...(RETRIED.has(status) && {
        "retry-after-ms": {
          description: "When to try again, in milliseconds.",
          schema: integer("", { minimum: 1 }),
        },
      }),
      ...(status === 401 && {
        "www-authenticate": { description: "How to show a key.", schema: { const: "Bearer" } },
      }),
    },
    content: {
      "application/json": { schema: ref("Error") },
      ...(isText && { "text/plain": { schema: text("Why the namespace's name is none.") } }),
    },
  };
}

/** What a status means, over all codes that have it. */
export function errorText(status: number): string {
  if (status === UNSUPPORTED_ENCODING) return "The body's content encoding is not gzip.";
  const codes = Object.entries(STATUS_BY_CODE).filter(([, code]) => code === status);
  return codes.map(([code]) => BY_CODE[code as ErrorCode]).join(" ");
}
