/** What is said of bodies that are too large, or that find no room beside others. */

import { DatabaseError } from "../../base/errors.ts";
import type { BodyBudget, BodyCharge } from "./body-budget.ts";

/** Retry advice when other bodies fill the budget; they take about as long to arrive. */
const BUDGET_RETRY_MS = 1000;

/** The error for a body that is over a limit of the API. */
export function tooLarge(bytesMax: number): DatabaseError {
  return new DatabaseError(
    "too_large",
    `💔 the request body is larger than the limit of ${bytesMax} bytes ` +
      "(decompressed); split it into several requests",
  );
}

/** The error for so many bytes more than fit. */
export function noRoom(budget: BodyBudget, charge: BodyCharge, bytes: number): DatabaseError {
  if (charge.bytes + bytes <= budget.bodyBytesMax) return overloaded(budget);
  return new DatabaseError(
    "too_large",
    `💔 the request body is larger than the ${budget.bodyBytesMax} bytes that one may take of ` +
      `the ${budget.bytesMax} that this server keeps for bodies in memory; split the request, ` +
      "or raise the setting --body-memory",
  );
}

/** The error for a body that would fit where there are fewer others. */
export function overloaded(budget: BodyBudget): DatabaseError {
  return new DatabaseError(
    "overloaded",
    `too many request bodies at once: ${budget.bytesUsed} of ${budget.bytesMax} bytes are ` +
      "in use, and no more are left for this client and namespace; send fewer requests at a " +
      "time, or retry",
    { retryAfterMs: BUDGET_RETRY_MS },
  );
}
