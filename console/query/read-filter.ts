/** Filters of requests to those of the builder, as far as these can say them. */

import { FILTER_OPERATORS } from "../../src/model/filter.ts";
import type { BuilderOperator } from "./filter-operators.ts";
import { isList, isMembers, type Json } from "./json-value.ts";
import { valuesText, valueText } from "./operand-text.ts";
import {
  type ConditionModel,
  type FilterModel,
  type GroupModel,
  NO_FILTER,
} from "./query-model.ts";
import type { RequestSchema } from "./request-schema.ts";

/** Reads the member `filters`. What is not understood is left out; a comparison finds that. */
export function readFilter(filters: Json | undefined, schema: RequestSchema): GroupModel {
  const part = filters === undefined ? undefined : readPart(filters, schema);
  if (part === undefined) return NO_FILTER;
  return part.kind === "group" ? part : { ...NO_FILTER, parts: [part] };
}

function readPart(filter: Json, schema: RequestSchema): FilterModel | undefined {
  if (!isList(filter)) return undefined;
  const [head, second] = filter;
  if (head === "And" || head === "Or") {
    const parts = isList(second) ? second.map((part) => readPart(part, schema)) : [];
    return {
      kind: "group",
      join: head,
      not: false,
      parts: parts.filter((part) => part !== undefined),
    };
  }
  if (head === "Not") {
    const part = second === undefined ? undefined : readPart(second, schema);
    if (part === undefined) return undefined;
    if (part.kind === "group" && !part.not) return { ...part, not: true };
    return { ...NO_FILTER, not: true, parts: [part] };
  }
  return readCondition(filter, schema);
}

function readCondition(filter: readonly Json[], schema: RequestSchema): ConditionModel | undefined {
  const [name, operator, operand, options] = filter;
  if (typeof name !== "string" || !schema.has(name) || !isOperator(operator)) return undefined;
  const condition: ConditionModel = {
    kind: "condition",
    attribute: name,
    operator: operatorOf(operator, operand),
    operand: operandText(operand),
    lastAsPrefix: isMembers(options) && options.last_as_prefix === true,
    distance: distanceOf(options),
  };
  return condition;
}

/** Absence has operators of its own in the builder. */
function operatorOf(operator: BuilderOperator, operand: Json | undefined): BuilderOperator {
  if (operand !== null) return operator;
  if (operator === "Eq") return "IsNull";
  return operator === "NotEq" ? "IsNotNull" : operator;
}

function operandText(operand: Json | undefined): string {
  if (operand === undefined || operand === null) return "";
  return isList(operand) ? valuesText(operand) : valueText(operand);
}

function distanceOf(options: Json | undefined): 0 | 1 | 2 {
  const distances = isMembers(options) ? options.max_edit_distance : undefined;
  const first = isList(distances) ? distances[0] : undefined;
  const distance = isMembers(first) ? first.distance : undefined;
  return distance === 1 || distance === 2 ? distance : 0;
}

function isOperator(value: Json | undefined): value is BuilderOperator {
  return (FILTER_OPERATORS as readonly (Json | undefined)[]).includes(value);
}
