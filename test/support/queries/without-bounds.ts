import type { ScoreExpression } from "../../../src/model/query.ts";

/** An attribute of integers that a test's schema has, and no document. */
export const ABSENT_NUMBER = "none";

/** The same scores, by scoring all documents: nobody knows how far values are from others. */
export function withoutBounds(expression: ScoreExpression): ScoreExpression {
  const nothing: ScoreExpression = { kind: "dist", attribute: ABSENT_NUMBER, origin: 0n };
  return { kind: "sum", clauses: [expression, nothing] };
}
