/** Binds a filter to a schema: names, indexes and operand types, with the reasons for refusals. */

import { clipName } from "../../base/bounded-text.ts";
import type { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import {
  attributeSchema,
  fullTextAttributes,
  unknownAttribute,
} from "../../model/attribute-schema.ts";
import { type AttributeType, formatAttributeType, sameType } from "../../model/attribute-type.ts";
import {
  type Filter,
  type FilterCondition,
  isComparison,
  isPattern,
  isTokenOperator,
} from "../../model/filter.ts";
import type { AttributeSchema, Schema } from "../../model/schema.ts";
import { allOf } from "../filter/and.ts";
import { negate } from "../filter/not.ts";
import { anyOf } from "../filter/or.ts";
import type { ReferenceNode } from "../filter/reference.ts";
import type { Predicate } from "../operator/plan.ts";
import type { IndexName } from "../operator/query-options.ts";
import { bindComparison, checkShape, operandTypes } from "./bind-comparison.ts";
import { bindPattern } from "./bind-pattern.ts";
import { bindTokens } from "./bind-tokens.ts";
import { filterFault } from "./operands.ts";
import type { PatternBudget } from "./pattern-budget.ts";

/** What names and operands are bound to. */
export interface FilterScope {
  readonly schema: Schema;
  /** Conditions of writes may use `$ref_new` and compare vectors. */
  readonly purpose: "query" | "condition";
  /** Called for each index that the filter reads; throws if it is not ready. */
  readonly requireIndex: (attribute: string, index: IndexName) => void;
  /** Budget of the patterns of all filters of the request. */
  readonly patterns: PatternBudget;
}

/** Binds a filter, in steps; throws `invalid`, `malformed` or `building`. */
export function* bindFilter(filter: Filter, scope: FilterScope): Steps<Predicate> {
  switch (filter.kind) {
    case "and":
      return allOf(yield* bindParts(filter.filters, scope));
    case "or":
      return anyOf(yield* bindParts(filter.filters, scope));
    case "not":
      return negate(yield* bindFilter(filter.filter, scope));
    case "condition": {
      const bound = bindCondition(filter, scope);
      return "kind" in bound ? bound : yield* bound;
    }
  }
}

function* bindParts(parts: readonly Filter[], scope: FilterScope): Steps<Predicate[]> {
  const bound: Predicate[] = [];
  for (const [i, part] of parts.entries()) {
    bound.push(yield* bindFilter(part, scope));
    if (i % PARTS_PER_STEP === PARTS_PER_STEP - 1) yield;
  }
  return bound;
}

/** Parts that are bound between two pauses, in some microseconds each. */
const PARTS_PER_STEP = 64;

/** Runs in steps only for lists and patterns: other conditions cost less than a step. */
function bindCondition(
  condition: FilterCondition,
  scope: FilterScope,
): Predicate | Steps<Predicate> {
  const { attribute, operator, operand, options } = condition;
  const schema = schemaFor(condition, scope.schema);
  const { type } = schema;
  const subject = { attribute, type };
  if (operand.kind === "ref_new") return bindReference(condition, schema, scope);
  const takesOptions = operator === "Fuzzy" || isTokenOperator(operator);
  if (options !== undefined && (!takesOptions || operator === "ContainsTokenSequence")) {
    throw filterFault(attribute, `${operator} takes no fourth element`);
  }
  requireAccess(condition, schema, scope);
  if (isComparison(operator)) return bindComparison(subject, operator, operand.value);
  if (isPattern(operator)) {
    return bindPattern({ ...condition, operator }, type, operand.value, scope.patterns);
  }
  const { fullTextSearch } = schema;
  if (fullTextSearch === undefined) throw needsFullText(condition, scope.schema);
  return bindTokens(subject, operator, fullTextSearch, { operand: operand.value, options });
}

function schemaFor({ attribute, operand }: FilterCondition, schema: Schema): AttributeSchema {
  const found = attributeSchema(attribute, schema);
  if (found === undefined) {
    throw unknownAttribute(attribute, schema, `filter error in key \`${clipName(attribute)}\``);
  }
  // A namespace without documents takes either kind of id.
  const isOpen = attribute === "id" && schema.idType === undefined;
  if (!isOpen || operand.kind !== "value") return found;
  const sample = Array.isArray(operand.value) ? operand.value[0] : operand.value;
  return { ...found, type: { kind: "scalar", of: typeof sample === "string" ? "string" : "uint" } };
}

/** Throws unless the schema allows the operator on the attribute and its index is there. */
function requireAccess(
  condition: FilterCondition,
  schema: AttributeSchema,
  scope: FilterScope,
): void {
  const index = indexFor(condition, schema, scope);
  if (index !== undefined) scope.requireIndex(condition.attribute, index);
}

/** The index that the operator reads; undefined if it needs none. */
function indexFor(
  condition: FilterCondition,
  schema: AttributeSchema,
  scope: FilterScope,
): IndexName | undefined {
  const { attribute, operator } = condition;
  const isGlob = operator.endsWith("Glob");
  if (attribute === "id" && (isComparison(operator) || isGlob)) return undefined;
  if (isTokenOperator(operator)) {
    if (schema.fullTextSearch !== undefined) return "full_text_search";
    throw needsFullText(condition, scope.schema);
  }
  if (operator === "Regex" || operator === "Fuzzy") {
    const index = operator === "Regex" ? "regex" : "fuzzy";
    if (schema[index] === true) return index;
    throw needsOption(attribute, operator, index);
  }
  if (isGlob && schema.glob === true) return "glob";
  if (scope.purpose === "condition" && isVector(schema.type)) return undefined;
  if (schema.filterable && !isVector(schema.type)) return "filterable";
  if (isVector(schema.type) || isBytes(schema.type)) {
    const fault = `attributes of type ${formatAttributeType(schema.type)} cannot be filtered`;
    throw filterFault(attribute, fault);
  }
  const cure = isGlob ? `${operator} needs \`glob: true\`` : "set `filterable: true`";
  const words =
    schema.fullTextSearch === undefined
      ? ""
      : "; to look for words in its text, use ContainsAllTokens";
  throw filterFault(attribute, `attribute is not filterable; ${cure} in its schema${words}`);
}

function needsFullText({ attribute, operator }: FilterCondition, schema: Schema): DatabaseError {
  const fault = `${operator} needs \`full_text_search\` to be set in the schema`;
  return filterFault(attribute, `${fault}; ${fullTextAttributes(schema)}`);
}

function needsOption(attribute: string, operator: string, option: string): DatabaseError {
  return filterFault(attribute, `${operator} needs \`${option}\` to be set in the schema`);
}

function isVector({ kind }: AttributeType): boolean {
  return kind === "vector" || kind === "multi_vector" || kind === "sparse";
}

function isBytes(type: AttributeType): boolean {
  return type.kind === "bytes";
}

function bindReference(
  condition: FilterCondition,
  schema: AttributeSchema,
  scope: FilterScope,
): Predicate {
  const { attribute, operator, operand } = condition;
  const { type } = schema;
  const reference = operand.kind === "ref_new" ? operand.attribute : "";
  if (scope.purpose === "query") {
    throw filterFault(attribute, "$ref_new is only allowed in conditions of writes");
  }
  if (!isComparison(operator)) {
    throw filterFault(attribute, `$ref_new cannot be the operand of ${operator}`);
  }
  requireAccess(condition, schema, scope);
  checkShape({ attribute, type }, operator);
  const referenced = attributeSchema(reference, scope.schema);
  if (referenced === undefined) {
    throw unknownAttribute(reference, scope.schema, `$ref_new in key \`${attribute}\``);
  }
  const expected = operandTypes(type, operator);
  if (!expected.some((candidate) => sameType(candidate, referenced.type))) {
    throw filterFault(
      attribute,
      `type mismatch, ${operator} expects ${expected.map(formatAttributeType).join(" or ")}, ` +
        `but $ref_new "${reference}" is ${formatAttributeType(referenced.type)}`,
    );
  }
  const node: ReferenceNode = { kind: "reference", attribute, type, operator, reference };
  return node;
}
