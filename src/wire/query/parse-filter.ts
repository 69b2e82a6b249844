/**
 * Filters: their shape, and of their operands what needs no schema. Types and indexes are checked
 * when a filter is bound.
 */

import { clip, clipName } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import { TEXT_QUERY_CHARS_MAX } from "../../model/contract-limits.ts";
import {
  FILTER_OPERATORS,
  type Filter,
  type FilterCondition,
  type FilterOperand,
  type FilterOperator,
  isPattern,
  isTokenOperator,
} from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { didYouMean, elementsOf, isNumber, objectAt, wrongType } from "../json/json-shape.ts";
import { ExpressionBudget } from "./expression-budget.ts";

/** Which operators take a fourth element. */
const OPTIONS_TAKEN: ReadonlySet<FilterOperator> = new Set([
  "Fuzzy",
  "ContainsAllTokens",
  "ContainsAnyToken",
] as const);
/** Which operators compare with one element of an array, which is never null. */
const ELEMENT_OPERATORS: ReadonlySet<FilterOperator> = new Set([
  "Contains",
  "NotContains",
  "AnyLt",
  "AnyLte",
  "AnyGt",
  "AnyGte",
] as const);

/** Which operators look for any element of a list. */
const LIST_OPERATORS: ReadonlySet<FilterOperator> = new Set([
  "In",
  "NotIn",
  "ContainsAny",
  "NotContainsAny",
] as const);

/** What other query languages call the operators. */
const USUAL_OPERATORS: ReadonlyMap<string, FilterOperator> = new Map([
  ["=", "Eq"],
  ["==", "Eq"],
  ["!=", "NotEq"],
  ["<>", "NotEq"],
  ["<", "Lt"],
  ["<=", "Lte"],
  [">", "Gt"],
  [">=", "Gte"],
  ["$eq", "Eq"],
  ["like", "Glob"],
  ["ilike", "IGlob"],
  ["match", "ContainsAllTokens"],
] as const);

const OPERATOR_NAMES: ReadonlySet<string> = new Set(FILTER_OPERATORS);
const EXPECTED = 'a filter such as ["attribute", "Eq", value] or ["And", [filter, …]]';
const REF_NEW = "$ref_new";

/** What parsers of filters share over one request. */
export interface ParseFilterOptions {
  readonly budget: ExpressionBudget;
  /** Whether operands may refer to the document being written. */
  readonly refNew: boolean;
}

/** Reads the filter of a query or of a by-filter write. */
export function parseFilter(
  path: string,
  value: JsonValue,
  budget = new ExpressionBudget(),
): Filter {
  return parseNode(path, value, { budget, refNew: false });
}

/** Reads the condition of a conditional write: a filter with `{"$ref_new": attribute}` operands. */
export function parseCondition(path: string, value: JsonValue): Filter {
  return parseNode(path, value, { budget: new ExpressionBudget(), refNew: true });
}

/** Whether the second element of an expression makes it an attribute filter. */
export function isFilterOperator(name: JsonValue | undefined): name is FilterOperator {
  return typeof name === "string" && OPERATOR_NAMES.has(name);
}

/** Whether the elements are those of `And`, `Or` or `Not`, not of an attribute of that name. */
export function isFilterCombinator(elements: readonly JsonValue[]): boolean {
  const [head, second] = elements;
  return (head === "And" || head === "Or" || head === "Not") && typeof second !== "string";
}

function parseNode(path: string, value: JsonValue, scope: ParseFilterOptions): Filter {
  const elements = elementsOf(value);
  if (elements === undefined) throw wrongType(path, value, EXPECTED);
  if (elements.length === 0) throw malformed(path, `invalid length 0, expected ${EXPECTED}`);
  scope.budget.enter(path);
  const filter = isFilterCombinator(elements)
    ? parseCombinator(path, elements, scope)
    : parseAttributeFilter(path, elements, scope);
  scope.budget.leave();
  return filter;
}

function parseCombinator(
  path: string,
  elements: readonly JsonValue[],
  scope: ParseFilterOptions,
): Filter {
  const name = elements[0] as "And" | "Or" | "Not";
  if (elements.length < 2) throw malformed(path, `invalid length 1, expected ["${name}", …]`);
  if (elements.length > 2) {
    const form = name === "Not" ? `["Not", filter]` : `["${name}", [filter, …]]`;
    throw invalid(`💔 ${path}: expected ${form}, but ${elements.length - 1} arguments were given`);
  }
  if (name === "Not") return { kind: "not", filter: parseNode(`${path}[1]`, elements[1], scope) };
  const parts = elementsOf(elements[1]);
  if (parts === undefined) throw wrongType(`${path}[1]`, elements[1], "an array of filters");
  const filters = parts.map((part, i) => parseNode(`${path}[1][${i}]`, part, scope));
  return { kind: name === "And" ? "and" : "or", filters };
}

function parseAttributeFilter(
  path: string,
  elements: readonly JsonValue[],
  scope: ParseFilterOptions,
): FilterCondition {
  const [attribute, operator] = elements;
  if (typeof attribute !== "string") {
    const isFilter = elementsOf(attribute) !== undefined;
    const hint = isFilter ? 'to join filters, use ["And", [filter, …]]' : undefined;
    throw wrongType(`${path}[0]`, attribute, "an attribute's name, or And, Or, Not", hint);
  }
  if (operator === undefined) throw malformed(path, `invalid length 1, expected ${EXPECTED}`);
  if (typeof operator !== "string") {
    const combinator = similarName(clip(attribute), ["And", "Or", "Not"]);
    const hint = combinator === undefined ? "" : `; did you mean "${combinator}" before it?`;
    throw wrongType(`${path}[1]`, operator, `an operator's name${hint}`);
  }
  if (!isFilterOperator(operator)) {
    const usual = USUAL_OPERATORS.get(operator.toLowerCase());
    const fault = `unknown operator "${clip(operator)}"${didYouMean(operator, FILTER_OPERATORS)}`;
    throw malformed(`${path}[1]`, fault, usual && `did you mean "${usual}"?`);
  }
  if (elements.length < 3) {
    throw malformed(path, `missing operand, expected ["${clip(attribute)}", "${operator}", value]`);
  }
  const options = parseOptions(path, operator, elements);
  const operand = parseOperand(`${path}[2]`, elements[2], scope);
  if (operand.kind === "value") checkOperand(`${path}[2]`, operator, attribute, operand.value);
  return {
    kind: "condition",
    attribute,
    operator,
    operand,
    ...(options !== undefined && { options }),
    ...(isPattern(operator) && { path: `${path}[2]` }),
  };
}

function parseOptions(
  path: string,
  operator: FilterOperator,
  elements: readonly JsonValue[],
): JsonValue | undefined {
  const lengthMax = OPTIONS_TAKEN.has(operator) ? 4 : 3;
  if (elements.length > lengthMax) {
    const taken = lengthMax === 3 ? "one operand" : "one operand and options";
    throw invalid(
      `💔 ${path}: ${operator} takes ${taken}, but ${elements.length - 2} arguments were given`,
    );
  }
  const options = elements[3] ?? undefined;
  if (operator === "Fuzzy" && options === undefined) {
    throw invalid(
      `💔 ${path}: Fuzzy requires options with \`max_edit_distance\` after its operand`,
    );
  }
  if (options === undefined) return undefined;
  const members = objectAt(`${path}[3]`, options);
  const lastAsPrefix = members.get("last_as_prefix") ?? false;
  if (operator !== "Fuzzy" && typeof lastAsPrefix !== "boolean") {
    throw invalid(`💔 ${path}[3]: \`last_as_prefix\` must be true or false`);
  }
  return options;
}

function parseOperand(path: string, value: JsonValue, scope: ParseFilterOptions): FilterOperand {
  if (!(value instanceof Map)) return { kind: "value", value };
  const attribute = value.get(REF_NEW);
  if (value.size !== 1 || attribute === undefined) {
    throw wrongType(path, value, "a value, an array of values or null");
  }
  if (typeof attribute !== "string") throw wrongType(`${path}.${REF_NEW}`, attribute, "a string");
  if (!scope.refNew) {
    throw invalid(
      `💔 ${path}: \`${REF_NEW}\` is only allowed in upsert_condition, patch_condition and ` +
        "delete_condition",
    );
  }
  return { kind: "ref_new", attribute };
}

function checkOperand(
  path: string,
  operator: FilterOperator,
  attribute: string,
  value: JsonValue,
): void {
  if (LIST_OPERATORS.has(operator)) checkList(path, value);
  if (value === null && ELEMENT_OPERATORS.has(operator)) {
    throw invalid(
      `filter error in key \`${clipName(attribute)}\`: ${operator} does not accept null`,
    );
  }
  if (isTokenOperator(operator)) checkTextLength(path, value);
}

/** Refuses nulls, nested arrays, and elements of different types in one list. */
function checkList(path: string, value: JsonValue): void {
  if (!Array.isArray(value)) return;
  let first: string | undefined;
  for (let i = 0; i < value.length; i++) {
    const element = value[i];
    const type = isNumber(element) ? "number" : typeof element;
    if (type === "object") throw wrongType(`${path}[${i}]`, element, "a value");
    first ??= type;
    if (type === first) continue;
    throw wrongType(`${path}[${i}]`, element, `a ${first}, as the elements before it`);
  }
}

/** Bounds the text of a full-text query, in code points; over all elements of an array. */
export function checkTextLength(path: string, value: JsonValue): void {
  const texts = Array.isArray(value) ? value : [value];
  let units = 0;
  for (const text of texts) if (typeof text === "string") units += text.length;
  // The number of characters is at most the length; counting them visits each.
  if (units <= TEXT_QUERY_CHARS_MAX) return;
  let length = 0;
  for (const text of texts) if (typeof text === "string") length += codePointCount(text);
  if (length <= TEXT_QUERY_CHARS_MAX) return;
  throw invalid(
    `💔 ${path}: a full-text query has at most ${TEXT_QUERY_CHARS_MAX} characters, got ${length}`,
  );
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Strings of the reader have no lone surrogates: each low one ends a pair.
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}
