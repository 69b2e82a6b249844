/** Filter operators that compare values: equality, membership and order. */

import { type DatabaseError, malformed } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { ComparisonOperator } from "../../model/filter.ts";
import {
  distinctNumbers,
  isJsonNumbers,
  type JsonNumbers,
  type JsonValue,
  jsonElementReader,
} from "../../model/json-value.ts";
import type { AttributeValue, ScalarValue } from "../../model/value.ts";
import { MATCH_ALL } from "../filter/and.ts";
import type { ArrayEqualsNode } from "../filter/array-equals.ts";
import type { MembershipNode } from "../filter/membership.ts";
import { negate } from "../filter/not.ts";
import { MATCH_NONE } from "../filter/or.ts";
import type { PresentNode } from "../filter/present.ts";
import { intervalOf, type RangeNode } from "../filter/range.ts";
import type { VectorEqualsNode } from "../filter/vector-equals.ts";
import type { Predicate } from "../operator/plan.ts";
import { filterFault, listOperand, scalarOperand, typeMismatch } from "./operands.ts";

/** The attribute that is compared. */
export interface Subject {
  readonly attribute: string;
  readonly type: AttributeType;
}

/** Binds a comparison with a literal; in steps, if that is a list. */
export function bindComparison(
  subject: Subject,
  operator: ComparisonOperator,
  operand: JsonValue,
): Predicate | Steps<Predicate> {
  checkShape(subject, operator);
  const isList = Array.isArray(operand) || isJsonNumbers(operand);
  if (isList) return bindListComparison(subject, operator, operand);
  return comparisonWith(subject, operator, typedOperand(subject, operator, operand));
}

function* bindListComparison(
  subject: Subject,
  operator: ComparisonOperator,
  operand: JsonValue[] | JsonNumbers,
): Steps<Predicate> {
  return comparisonWith(subject, operator, yield* typedList(subject, operator, operand));
}

/** The comparison without its negation. */
type PlainComparison = Exclude<ComparisonOperator, `Not${string}`>;

/** Throws if no operand would make the operator fit the attribute's type. */
export function checkShape({ attribute, type }: Subject, operator: ComparisonOperator): void {
  const plain = plainOf(operator);
  const spelled = formatAttributeType(type);
  if (/^(Contains|ContainsAny|Any..e?)$/.test(plain) && type.kind !== "array") {
    const instead = plain.startsWith("Any") ? plain.slice(3) : plain === "Contains" ? "Eq" : "In";
    throw filterFault(
      attribute,
      `${operator} needs an array attribute, but the attribute is ${spelled}; use ${instead}`,
    );
  }
  if (/^[LG]te?$/.test(plain) && type.kind !== "scalar") {
    throw filterFault(
      attribute,
      `${operator} needs a scalar attribute, but the attribute is ${spelled}; use Any${plain}`,
    );
  }
  if (type.kind !== "scalar" && type.kind !== "array" && plain !== "Eq") {
    throw filterFault(attribute, `${operator} cannot compare ${spelled} values; use Eq or NotEq`);
  }
}

/**
 * The comparison with a typed operand: a scalar, an array or a vector, as the operator asks for.
 * A null where the operator takes none matches nothing.
 */
export function comparisonWith(
  subject: Subject,
  operator: ComparisonOperator,
  operand: AttributeValue,
): Predicate {
  const plain = plainOf(operator);
  const predicate = plainComparison(subject, plain, operand);
  return plain === operator ? predicate : negate(predicate);
}

function plainComparison(
  subject: Subject,
  operator: PlainComparison,
  operand: AttributeValue,
): Predicate {
  if (operand === null) return comparisonWithNull(subject, operator);
  const isArray = subject.type.kind === "array";
  switch (operator) {
    case "Eq":
      return equality(subject, operand);
    case "In":
    case "Contains":
    case "ContainsAny": {
      const values = Array.isArray(operand) ? operand : [operand];
      if (isArray && hasUnknownElements(subject.type)) return MATCH_NONE;
      return membership(subject, values, isArray ? "some_element" : "value");
    }
    case "Lt":
    case "Lte":
    case "Gt":
    case "Gte":
      return range(subject, operator, operand as ScalarValue, "value");
    case "AnyLt":
    case "AnyLte":
    case "AnyGt":
    case "AnyGte": {
      if (hasUnknownElements(subject.type)) return MATCH_NONE;
      const order = operator.slice(3) as "Lt" | "Lte" | "Gt" | "Gte";
      return range(subject, order, operand as ScalarValue, "some_element");
    }
  }
}

function equality(
  subject: Subject,
  operand: AttributeValue,
): MembershipNode | ArrayEqualsNode | VectorEqualsNode {
  const { attribute, type } = subject;
  switch (type.kind) {
    case "scalar":
      return membership(subject, [operand as ScalarValue], "value");
    case "array":
      return { kind: "array_equals", attribute, type, values: operand as ScalarValue[] };
    default:
      return { kind: "vector_equals", attribute, type, value: operand };
  }
}

function membership(
  { attribute, type }: Subject,
  values: readonly ScalarValue[],
  on: MembershipNode["on"],
): MembershipNode {
  return { kind: "membership", attribute, type, on, values };
}

/** Null sorts below every value, so it is less than any; no element of an array is null. */
function range(
  { attribute, type }: Subject,
  operator: "Lt" | "Lte" | "Gt" | "Gte",
  value: ScalarValue,
  on: RangeNode["on"],
): RangeNode {
  const nullMatches = on === "value" && (operator === "Lt" || operator === "Lte");
  return { kind: "range", attribute, type, on, ...intervalOf(operator, value), nullMatches };
}

/** Null sorts below every value. */
function comparisonWithNull({ attribute, type }: Subject, operator: PlainComparison): Predicate {
  const present: PresentNode = { kind: "present", attribute, type };
  switch (operator) {
    case "Eq":
    case "Lte":
      return negate(present);
    case "Gt":
      return present;
    case "Gte":
      return MATCH_ALL;
    default:
      return MATCH_NONE;
  }
}

/** The value of an operand that is no list. */
function typedOperand(
  { attribute, type }: Subject,
  operator: ComparisonOperator,
  operand: JsonValue,
): AttributeValue {
  const plain = plainOf(operator);
  const kind = elementKind(type);
  if (plain === "ContainsAny") throw typeMismatch(attribute, operator, `[]${kind}`, operand);
  const takesNull = type.kind === "scalar" || plain === "Eq";
  if (operand === null && plain !== "In" && takesNull) return null;
  if (plain === "Eq" && type.kind === "array") {
    throw typeMismatch(attribute, operator, `[]${kind}`, operand);
  }
  if (plain === "Eq" && type.kind !== "scalar") return vectorOperand({ attribute, type }, operand);
  const value = scalarOperand(operand, kind);
  if (value !== undefined) return value;
  const expected = plain === "In" ? `${kind} or []${kind}` : kind;
  throw typeMismatch(attribute, operator, expected, operand);
}

/** The value of an operand that is a list. */
function* typedList(
  { attribute, type }: Subject,
  operator: ComparisonOperator,
  given: JsonValue[] | JsonNumbers,
): Steps<AttributeValue> {
  const plain = plainOf(operator);
  const kind = elementKind(type);
  const isSet = plain === "In" || plain === "ContainsAny";
  if (isSet || (plain === "Eq" && type.kind === "array")) {
    // Before each number becomes a value of its own, which takes many times its memory.
    const list = isSet && isJsonNumbers(given) ? yield* distinctNumbers(given) : given;
    if (isSet && Array.isArray(list)) yield* checkHomogeneous(attribute, operator, list);
    const expected = plain === "In" ? `${kind} or []${kind}` : `[]${kind}`;
    return yield* typedElements(list, kind, () =>
      typeMismatch(attribute, operator, expected, list),
    );
  }
  if (plain === "Eq" && type.kind !== "scalar") return vectorOperand({ attribute, type }, given);
  throw typeMismatch(attribute, operator, kind, given);
}

function elementKind(type: AttributeType): ScalarKind | "unknown" {
  return type.kind === "scalar" || type.kind === "array" ? type.of : "unknown";
}

/** The elements of a list as values; throws `mismatch` where there is another kind. */
function* typedElements(
  list: JsonValue[] | JsonNumbers,
  kind: ScalarKind | "unknown",
  mismatch: () => DatabaseError,
): Steps<ScalarValue[]> {
  const { read, count } = elementReader(list);
  const values: ScalarValue[] = [];
  for (let i = 0; i < count; i++) {
    const value = scalarOperand(read(i), kind);
    if (value === undefined) throw mismatch();
    values.push(value);
    if (i % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  return values;
}

/** Reads the elements in order, each once. */
function elementReader(list: JsonValue[] | JsonNumbers) {
  if (!Array.isArray(list)) return jsonElementReader(list);
  return { read: (index: number) => list[index], count: list.length };
}

/** Elements of a list that are looked at between two pauses, in less than a microsecond each. */
const ELEMENTS_PER_STEP = 2048;

/** The reader's shape rules for lists: no null, no nesting, one JSON type. */
function* checkHomogeneous(
  attribute: string,
  operator: string,
  list: readonly JsonValue[],
): Steps<void> {
  const kinds = new Set<string>();
  for (let i = 0; i < list.length; i++) {
    kinds.add(jsonKind(list[i]));
    if (i % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  const where = `filters.${attribute}.${operator}`;
  if (kinds.has("null")) throw malformed(where, "null is not allowed in the list");
  if (kinds.has("array") || kinds.has("object")) {
    throw malformed(where, "the list may only have scalar elements");
  }
  if (kinds.size > 1) {
    throw malformed(where, `the list mixes types: ${[...kinds].join(", ")}`);
  }
}

function jsonKind(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "number";
  if (typeof value !== "object") return typeof value;
  return value instanceof Map ? "object" : "array";
}

/** A literal dense vector, for conditions of writes. */
function vectorOperand({ attribute, type }: Subject, operand: JsonValue): AttributeValue {
  const list = listOperand(operand);
  const isDense = type.kind === "vector" && list?.length === type.dimensions;
  if (!isDense || !list.every((v) => typeof v === "number" || typeof v === "bigint")) {
    throw typeMismatch(attribute, "Eq", formatAttributeType(type), operand);
  }
  return Float32Array.from(list, Number);
}

function plainOf(operator: ComparisonOperator): PlainComparison {
  return operator.replace(/^Not/, "") as PlainComparison;
}

function hasUnknownElements(type: AttributeType): boolean {
  return type.kind === "array" && type.of === "unknown";
}

/** The scalar type that an operand has for the operator, for `$ref_new`. */
export function operandTypes(type: AttributeType, operator: ComparisonOperator): AttributeType[] {
  const plain = plainOf(operator);
  if (type.kind !== "scalar" && type.kind !== "array") return [type];
  const scalar: AttributeType = { kind: "scalar", of: type.of as ScalarKind };
  const array: AttributeType = { kind: "array", of: type.of };
  if (plain === "In") return [array, scalar];
  if (plain === "ContainsAny") return [array];
  return plain === "Eq" ? [type] : [scalar];
}
