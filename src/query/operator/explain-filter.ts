import type { Operators } from "./operator.ts";
import type { Predicate } from "./plan.ts";

/** What a filter does, in one line. */
export function explainFilter(predicate: Predicate, operators: Operators): string {
  const lines = operators.predicate(predicate).explain(predicate, "Filter", operators);
  return lines.length === 0 ? "Filter: none" : lines.map((line) => line.trim()).join("; ");
}
