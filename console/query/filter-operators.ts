/** Which operators a filter may use on an attribute, and what each compares with. */

import type { FilterOperator } from "../../src/model/filter.ts";
import type { RequestAttribute } from "./request-schema.ts";

/** Operators of the builder: those of the API, and the two for values that are absent. */
export type BuilderOperator = FilterOperator | "IsNull" | "IsNotNull";

/** What an operator is given; `fuzzy` is a text with an edit distance. */
export type OperandShape = "none" | "value" | "list" | "words" | "fuzzy";

/** The operators that the server accepts for an attribute of this declaration. */
export function operatorsOf(attribute: RequestAttribute): BuilderOperator[] {
  const { type, filterable, fullText } = attribute;
  const operators: BuilderOperator[] = [];
  if (filterable && type?.kind === "scalar") {
    operators.push("Eq", "NotEq", "In", "NotIn");
    if (type.of !== "bool") operators.push("Lt", "Lte", "Gt", "Gte");
    if (attribute.name !== "id") operators.push("IsNull", "IsNotNull");
  }
  if (filterable && type?.kind === "array") {
    operators.push("Contains", "NotContains", "ContainsAny", "NotContainsAny", "Eq", "NotEq");
    if (type.of !== "bool") operators.push("AnyLt", "AnyLte", "AnyGt", "AnyGte");
    operators.push("IsNull", "IsNotNull");
  }
  if (isText(attribute) && attribute.name !== "id") {
    if (filterable || attribute.glob) operators.push("Glob", "NotGlob", "IGlob", "NotIGlob");
    if (attribute.regex) operators.push("Regex");
    if (attribute.fuzzy) operators.push("Fuzzy");
  }
  if (fullText) {
    operators.unshift("ContainsAllTokens", "ContainsAnyToken", "ContainsTokenSequence");
  }
  return operators;
}

/** Attributes that have an operator. */
export function filterAttributes(attributes: Iterable<RequestAttribute>): RequestAttribute[] {
  return [...attributes].filter((attribute) => operatorsOf(attribute).length > 0);
}

/** What `operator` on `attribute` compares with. */
export function operandShape(attribute: RequestAttribute, operator: BuilderOperator): OperandShape {
  switch (operator) {
    case "IsNull":
    case "IsNotNull":
      return "none";
    case "In":
    case "NotIn":
    case "ContainsAny":
    case "NotContainsAny":
      return "list";
    case "Eq":
    case "NotEq":
      return attribute.type?.kind === "array" ? "list" : "value";
    case "Fuzzy":
      return "fuzzy";
    case "ContainsAllTokens":
    case "ContainsAnyToken":
    case "ContainsTokenSequence":
      return attribute.preTokenized ? "list" : "words";
    default:
      return "value";
  }
}

/** Whether the last word may be the beginning of one. */
export function takesPrefix(operator: BuilderOperator): boolean {
  return operator === "ContainsAllTokens" || operator === "ContainsAnyToken";
}

const WORDS: Readonly<Record<BuilderOperator, string>> = {
  Eq: "is",
  NotEq: "is not",
  In: "is one of",
  NotIn: "is none of",
  Contains: "contains",
  NotContains: "does not contain",
  ContainsAny: "contains any of",
  NotContainsAny: "contains none of",
  Lt: "<",
  Lte: "≤",
  Gt: ">",
  Gte: "≥",
  AnyLt: "has one <",
  AnyLte: "has one ≤",
  AnyGt: "has one >",
  AnyGte: "has one ≥",
  Glob: "matches",
  NotGlob: "does not match",
  IGlob: "matches, any case",
  NotIGlob: "does not match, any case",
  Regex: "matches expression",
  Fuzzy: "is about",
  ContainsAllTokens: "has all words",
  ContainsAnyToken: "has any word",
  ContainsTokenSequence: "has the phrase",
  IsNull: "is absent",
  IsNotNull: "is there",
};

/** The operator as people say it; the request has its name. */
export function operatorWords(operator: BuilderOperator): string {
  return WORDS[operator];
}

function isText({ type }: RequestAttribute): boolean {
  return (type?.kind === "scalar" || type?.kind === "array") && type.of === "string";
}
