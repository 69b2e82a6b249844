/** Names the part of a request that an error of binding is about. */

import { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";

/** What messages about the content of requests begin with (wire contract). */
const MARK = "💔 ";

/** Runs steps; operating errors from them name `place` first. */
export function* atPlace<T>(place: string, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { code, message, attribute, retryAfterMs, path, facts } = error;
    if (path?.startsWith(place)) throw error;
    const isMarked = message.startsWith(MARK);
    const text = `${place}: ${isMarked ? message.slice(MARK.length) : message}`;
    throw new DatabaseError(code, isMarked ? MARK + text : text, {
      cause: error,
      ...(attribute !== undefined && { attribute }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      path,
      facts,
    });
  }
}
