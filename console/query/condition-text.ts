import { operatorWords } from "./filter-operators.ts";
import type { ConditionModel } from "./query-model.ts";

/** A condition as a chip shows it: `year ≥ 1999`. */
export function conditionText({ attribute, operator, operand }: ConditionModel): string {
  return `${attribute} ${operatorWords(operator)} ${operand}`.trim();
}
