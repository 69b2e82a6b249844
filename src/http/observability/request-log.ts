/** The log line of one request. */

import { type AnswerTimes, answerBytes } from "../../api/engine.ts";
import { clip } from "../../base/bounded-text.ts";
import { type ApiOutcome, CLIENT_GONE_STATUS } from "./api-outcome.ts";

/** Takes one structured log line; `facts` are extra members of the line. */
export type HttpLog = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** What the line names a request by. */
export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  /** As sent, without the query string: a prefix or a page token is the client's data. */
  readonly path: string;
}

/** A request that is over. */
export interface RequestEnd {
  readonly request: LoggedRequest;
  readonly outcome: ApiOutcome;
  /** From its headers to the end of its answer. */
  readonly ms: number;
  /** It took longer than `--slow-query-ms`, and is logged as one that did. Absent: it is not. */
  readonly slow?: SlowRequest | undefined;
}

/** What the line of a slow request says of others. */
export interface SlowRequest {
  /** Slow requests before it that had no such line, since there were too many. */
  readonly unloggedCount: number;
}

/** Paths that probes ask for every few seconds; they are logged at `debug` only. */
const PROBES = new Set(["root", "health", "readiness", "metrics"]);

/** How much of a message a line repeats, in UTF-16 units; most have a quarter of it. */
const TOLD_CHARS_MAX = 1000;
/** What could end a line, or begin a command of a terminal. */
const LINE_ENDS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Writes the line: a client's mistake with what was answered, bugs as errors with their stack, slow
 * requests as warnings. Why a request failed is there also where its client may not read it.
 */
export function logOutcome(log: HttpLog, end: RequestEnd): void {
  const { outcome, slow } = end;
  const { status, body, times, reason } = outcome.answer;
  const facts = {
    ...requestFacts(end),
    ...(reason !== undefined && { reason: clip(reason, TOLD_CHARS_MAX) }),
    ...(status >= 400 &&
      status < 500 &&
      status !== CLIENT_GONE_STATUS &&
      // Messages quote what was asked for, which the lines of slow queries never do.
      !(slow && times) && { error: told(outcome.answer) }),
    ...(slow && slowFacts(slow, times)),
  };
  if (outcome.bug !== undefined) {
    log("error", "request failed by a bug", { ...facts, error: describe(outcome.bug) });
  } else if (status >= 500 && !isExpected(outcome)) {
    log("error", "request failed", { ...facts, error: Buffer.from(body).toString() });
  } else if (slow || status === CLIENT_GONE_STATUS) {
    log(slow ? "warn" : "info", slowMessage(outcome), facts);
  } else {
    log(PROBES.has(outcome.operation) ? "debug" : "info", "request", facts);
  }
}

/**
 * What the line of a slow request says, without any message: those quote what was asked for, and
 * whoever reads this may not be who asked.
 */
export function slowRequestFacts(end: RequestEnd): { readonly message: string } {
  const { outcome, slow } = end;
  const details = slow && slowFacts(slow, outcome.answer.times);
  return { ...requestFacts(end), ...details, message: slowMessage(outcome) };
}

/** A starting or stopping server answers each readiness probe with 503. */
function isExpected({ operation, answer }: ApiOutcome): boolean {
  return operation === "readiness" && answer.status === 503;
}

function slowMessage({ answer }: ApiOutcome): string {
  if (answer.status === CLIENT_GONE_STATUS) return "client left before the answer";
  return answer.times ? "slow query" : "slow request";
}

function requestFacts({ request, outcome, ms }: RequestEnd): object {
  const { status, times } = outcome.answer;
  return {
    request: request.id,
    method: request.method,
    path: request.path,
    operation: outcome.operation,
    ...(outcome.namespace !== undefined && { namespace: outcome.namespace }),
    status,
    ms: tenths(ms),
    ...(times && { workedMs: tenths(times.workedMs), waitedMs: tenths(times.waitedMs) }),
    bytesIn: outcome.bytesReceived,
    bytesOut: answerBytes(outcome.answer),
  };
}

/** Where the time went: nothing here is the client's or a document's. */
function slowFacts({ unloggedCount }: SlowRequest, times: AnswerTimes | undefined): object {
  const { phases, ...details } = times?.details ?? {};
  return {
    kind: times?.kind,
    ...(phases && {
      phases: Object.fromEntries(
        Object.entries(phases)
          .map(([phase, ms]) => [phase, tenths(ms)] as const)
          .filter(([, ms]) => ms > 0),
      ),
    }),
    ...details,
    ...(unloggedCount > 0 && { unlogged: unloggedCount }),
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** The message that an answer has for the client, in one line. */
function told({ body, headers }: ApiOutcome["answer"]): string {
  const text = Buffer.from(body).toString();
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  const message = isJson ? String((JSON.parse(text) as { error?: unknown }).error) : text;
  return clip(message, TOLD_CHARS_MAX).replaceAll(LINE_ENDS, " ");
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
