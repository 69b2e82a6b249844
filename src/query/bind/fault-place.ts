/** Names the part of a request that an error of binding is about. */

import { DatabaseError } from "../../base/errors.ts";

/** What messages about the content of requests begin with (wire contract). */
const MARK = "💔 ";

/** Runs `action`; operating errors from it name `place` first, if there is one. */
export function atPlace<T>(place: string | undefined, action: () => T): T {
  if (place === undefined) return action();
  try {
    return action();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { code, message, attribute, retryAfterMs } = error;
    const isMarked = message.startsWith(MARK);
    const text = `${place}: ${isMarked ? message.slice(MARK.length) : message}`;
    throw new DatabaseError(code, isMarked ? MARK + text : text, {
      cause: error,
      ...(attribute !== undefined && { attribute }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}
