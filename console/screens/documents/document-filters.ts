/** Filters as the screen has them: conditions that must all hold, in addresses and in requests. */

import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import { parseExact, stringifyExact } from "../../api/exact-json.ts";

/** Conditions in one address; a longer list is somebody's mistake. */
const CONDITIONS_MAX = 32;

/** Operators that the screen offers, as the API names them. */
const OPERATORS = [
  "Eq",
  "NotEq",
  "Lt",
  "Lte",
  "Gt",
  "Gte",
  "In",
  "NotIn",
  "Glob",
  "IGlob",
  "Contains",
  "NotContains",
] as const;

/** One of them. */
export type Operator = (typeof OPERATORS)[number];

/** One condition in the API's own form. */
export type Condition = readonly [attribute: string, operator: Operator, value: unknown];

const SIGNS: Readonly<Record<Operator, string>> = {
  Eq: "=",
  NotEq: "≠",
  Lt: "<",
  Lte: "≤",
  Gt: ">",
  Gte: "≥",
  In: "in",
  NotIn: "not in",
  Glob: "like",
  IGlob: "like (any case)",
  Contains: "contains",
  NotContains: "does not contain",
};

/** How an operator is shown. */
export function operatorText(operator: Operator): string {
  return SIGNS[operator];
}

/** Operators that make sense of a type; none of one that cannot be filtered by. */
export function operatorsOf(type: string): readonly Operator[] {
  const parsed = parseAttributeType(type);
  if (parsed === undefined) return [];
  if (parsed.kind === "array") return ["Contains", "NotContains", "Eq", "NotEq"];
  if (parsed.kind !== "scalar") return [];
  const ordered = ["Eq", "NotEq", "Lt", "Lte", "Gt", "Gte", "In", "NotIn"] as const;
  if (parsed.of === "bool") return ["Eq", "NotEq"];
  return parsed.of === "string" ? [...ordered, "Glob", "IGlob"] : ordered;
}

/**
 * The operand that a text means for an attribute of a type: `null`, a number where the type has
 * numbers, several separated by commas for `In`. Returns a fault where the text is none.
 */
export function parseOperand(
  type: string,
  operator: Operator,
  text: string,
): { readonly value: unknown } | { readonly fault: string } {
  if (operator === "In" || operator === "NotIn") {
    const values = text.split(",").map((part) => parseOperand(type, "Eq", part.trim()));
    const fault = values.find((each) => "fault" in each);
    return fault ?? { value: values.map((each) => "value" in each && each.value) };
  }
  if (text === "null") return { value: null };
  const element = type.replace(/^\[\]/, "");
  if (element === "bool") {
    if (text === "true" || text === "false") return { value: text === "true" };
    return { fault: "Write true or false" };
  }
  if (!["int", "uint", "float"].includes(element)) return { value: text };
  if (/^-?\d+$/.test(text)) return { value: parseExact(text) };
  if (element === "float" && text.trim() !== "" && Number.isFinite(Number(text))) {
    return { value: Number(text) };
  }
  return { fault: element === "float" ? "Write a number" : "Write a whole number" };
}

/** A condition as a chip shows it. */
export function conditionText([attribute, operator, value]: Condition): string {
  const shown = typeof value === "string" ? value : stringifyExact(value);
  return `${attribute} ${SIGNS[operator]} ${shown === "" ? '""' : shown}`;
}

/** Reads the conditions of an address; what is none is left out. */
export function parseConditions(text: string | null): readonly Condition[] {
  if (text === null || text === "") return [];
  try {
    const parsed = parseExact(text);
    return Array.isArray(parsed) ? parsed.filter(isCondition).slice(0, CONDITIONS_MAX) : [];
  } catch {
    return [];
  }
}

/** The conditions as addresses have them; undefined: there are none. */
export function formatConditions(conditions: readonly Condition[]): string | undefined {
  return conditions.length === 0 ? undefined : stringifyExact(conditions);
}

/** Adds a condition, or takes it away where it is there. */
export function toggleCondition(
  conditions: readonly Condition[],
  condition: Condition,
): readonly Condition[] {
  const text = stringifyExact(condition);
  const rest = conditions.filter((each) => stringifyExact(each) !== text);
  return rest.length < conditions.length ? rest : [...conditions, condition];
}

/** What a request has in `filters`; undefined: everything matches. */
export function filtersOf(conditions: readonly unknown[]): unknown {
  if (conditions.length === 0) return undefined;
  return conditions.length === 1 ? conditions[0] : ["And", conditions];
}

function isCondition(value: unknown): value is Condition {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    typeof value[0] === "string" &&
    OPERATORS.includes(value[1] as Operator)
  );
}
