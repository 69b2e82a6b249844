/** Filters as the screen has them: conditions that must all hold, in addresses and in requests. */

import { FILTER_OPERATORS, type FilterOperator } from "../../../src/model/filter.ts";
import { parseExact, stringifyExact } from "../../api/exact-json.ts";
import { buildFilter } from "../../query/build-filter.ts";
import { conditionText } from "../../query/condition-text.ts";
import { operandShape } from "../../query/filter-operators.ts";
import type { Json } from "../../query/json-value.ts";
import { Problems } from "../../query/problems.ts";
import { type ConditionModel, NO_FILTER } from "../../query/query-model.ts";
import { readFilter } from "../../query/read-filter.ts";
import type { RequestSchema } from "../../query/request-schema.ts";

/** Conditions in one address; a longer list is somebody's mistake. */
const CONDITIONS_MAX = 32;

/** One condition in the API's own form. */
export type Condition = readonly [
  attribute: string,
  operator: FilterOperator,
  operand: Json,
  options?: Json,
];

/** A condition, or what is wrong with what was typed, by its place as `buildFilter` notes it. */
export type TypedCondition =
  | { readonly condition: Condition }
  | { readonly problems: ReadonlyMap<string, string> };

/** What a condition's controls say. */
export function typedCondition(model: ConditionModel, schema: RequestSchema): TypedCondition {
  const problems = new Problems();
  const json = buildFilter({ ...NO_FILTER, parts: [model] }, schema, problems);
  if (problems.messages.size > 0) return { problems: problems.messages };
  return { condition: json as unknown as Condition };
}

/** A condition as a chip shows it; its JSON where the controls have no such condition. */
export function shownCondition(condition: Condition, schema: RequestSchema): string {
  const [model] = readFilter(condition as readonly Json[], schema).parts;
  const attribute = schema.get(condition[0]);
  if (model?.kind !== "condition" || attribute === undefined) return stringifyExact(condition);
  const isEmpty = model.operand === "" && operandShape(attribute, model.operator) !== "none";
  return conditionText(isEmpty ? { ...model, operand: '""' } : model);
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
    (value.length === 3 || value.length === 4) &&
    typeof value[0] === "string" &&
    (FILTER_OPERATORS as readonly unknown[]).includes(value[1])
  );
}
