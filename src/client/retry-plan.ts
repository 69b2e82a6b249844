/** When a request is sent again: a pure decision from what has happened to it so far. */

import type { Random } from "../base/random.ts";
import type { ClientError } from "./client-error.ts";

/** First wait where the server names no time; each next is twice as long. */
const WAIT_MS_MIN = 200;
/** Longest such wait. */
const WAIT_MS_MAX = 5_000;
/** Of a wait, the share that is drawn, so that clients that were refused together come back apart. */
const JITTER_SHARE = 0.25;

/** Statuses that say that nothing has happened and a later try may do. */
const REFUSED_FOR_NOW = new Set([202, 429, 503]);
/** Statuses of proxies, behind which a request may have taken effect. */
const PERHAPS_DONE = new Set([502, 504]);

/** What is known when a try has failed. */
export interface FailedTry {
  readonly fault: ClientError;
  /** From 1. */
  readonly tries: number;
  /** What was waited before earlier tries of this request. */
  readonly waitedMs: number;
  /** Nothing changes if the request takes effect twice. */
  readonly repeatable: boolean;
  /** Nothing of the request has reached the server. */
  readonly unsent: boolean;
  /** The server has answered this client before, so it is there, or will be again. */
  readonly knownServer: boolean;
}

/**
 * How long to wait before the request is sent again, in milliseconds; undefined if it is not.
 * `waitMsMax` bounds what is waited for one request in all.
 */
export function planRetry(
  failed: FailedTry,
  waitMsMax: number,
  random: Random,
): number | undefined {
  if (!mayRepeat(failed)) return undefined;
  const grown = Math.min(WAIT_MS_MIN * 2 ** (failed.tries - 1), WAIT_MS_MAX);
  const wait = (failed.fault.retryAfterMs ?? grown) * (1 + JITTER_SHARE * random.next());
  return failed.waitedMs + wait > waitMsMax ? undefined : Math.ceil(wait);
}

function mayRepeat({ fault, repeatable, unsent, knownServer }: FailedTry): boolean {
  const status = fault.status ?? 0;
  if (REFUSED_FOR_NOW.has(status)) return true;
  if (PERHAPS_DONE.has(status)) return repeatable;
  // To wait for a server that was never seen hides a mistyped URL.
  return fault.kind === "unreachable" && knownServer && (unsent || repeatable);
}
