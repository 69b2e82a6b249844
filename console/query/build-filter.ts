/** Filters of the builder to the JSON of requests. */

import { operandShape } from "./filter-operators.ts";
import type { Json } from "./json-value.ts";
import { readValue, readValues, type Typed } from "./operand-text.ts";
import type { Problems } from "./problems.ts";
import type { ConditionModel, FilterModel, GroupModel } from "./query-model.ts";
import type { RequestAttribute, RequestSchema } from "./request-schema.ts";

/** The filter's JSON; undefined where everything matches. Faults go to `problems`, by place. */
export function buildFilter(
  filter: GroupModel,
  schema: RequestSchema,
  problems: Problems,
): Json | undefined {
  return groupJson(filter, { schema, problems, place: "filter" });
}

/** The place of a part, under which its fault is noted. */
export function partPlace(place: string, index: number): string {
  return `${place}.${index}`;
}

interface Scope {
  readonly schema: RequestSchema;
  readonly problems: Problems;
  readonly place: string;
}

function groupJson(group: GroupModel, scope: Scope): Json | undefined {
  const parts = group.parts.flatMap((part, i) => {
    const json = partJson(part, { ...scope, place: partPlace(scope.place, i) });
    return json === undefined ? [] : [json];
  });
  if (parts.length === 0) return undefined;
  const joined: Json = parts.length === 1 ? parts[0] : [group.join, parts];
  return group.not ? ["Not", joined] : joined;
}

function partJson(part: FilterModel, scope: Scope): Json | undefined {
  if (part.kind === "group") return groupJson(part, scope);
  const attribute = scope.schema.get(part.attribute);
  if (attribute === undefined) {
    scope.problems.note(scope.place, `there is no attribute "${part.attribute}"`);
    return undefined;
  }
  return conditionJson(part, attribute, scope);
}

function conditionJson(
  condition: ConditionModel,
  attribute: RequestAttribute,
  { problems, place }: Scope,
): Json | undefined {
  const { operator } = condition;
  if (operator === "IsNull") return [attribute.name, "Eq", null];
  if (operator === "IsNotNull") return [attribute.name, "NotEq", null];
  const typed = operandOf(condition, attribute);
  if ("problem" in typed) {
    problems.note(place, typed.problem);
    return undefined;
  }
  const options = optionsOf(condition, attribute);
  return [attribute.name, operator, typed.value, ...(options === undefined ? [] : [options])];
}

function operandOf({ operator, operand }: ConditionModel, attribute: RequestAttribute): Typed {
  switch (operandShape(attribute, operator)) {
    case "list":
      return readValues(operand, attribute);
    case "words":
      return operand.trim() === "" ? { problem: "type a word or more" } : { value: operand };
    case "fuzzy":
      return operand === "" ? { problem: "type a text" } : { value: operand };
    default:
      return readValue(operand, attribute);
  }
}

function optionsOf(condition: ConditionModel, attribute: RequestAttribute): Json | undefined {
  if (operandShape(attribute, condition.operator) === "fuzzy") {
    const { distance } = condition;
    return { max_edit_distance: [{ min_query_chars: 3 * (distance + 1), distance }] };
  }
  return condition.lastAsPrefix ? { last_as_prefix: true } : undefined;
}
