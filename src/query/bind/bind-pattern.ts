/** Filter operators that match strings by pattern: globs, regular expressions, fuzzy text. */

import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { FUZZY_DISTANCE_MAX, PATTERN_CHARS_MAX } from "../../model/contract-limits.ts";
import type { FilterCondition, PatternOperator } from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { compilePattern } from "../../text/patterns/pattern-program.ts";
import type { PatternFault } from "../../text/patterns/pattern-tree.ts";
import { type ReadRegex, readRegex } from "../../text/patterns/regex-syntax.ts";
import { negate } from "../filter/not.ts";
import { MATCH_NONE } from "../filter/or.ts";
import { expressionFormula, requiredText } from "../filter/pattern/expression-formula.ts";
import { codePoints } from "../filter/pattern/fuzzy.ts";
import { type ReadGlob, readGlob } from "../filter/pattern/glob.ts";
import type { PatternNode } from "../filter/pattern/pattern.ts";
import type { ExpressionTest } from "../filter/pattern/string-test.ts";
import { fuzzyFormula } from "../filter/pattern/trigram-formula.ts";
import type { Predicate } from "../operator/plan.ts";
import { filterFault, listOperand, typeMismatch } from "./operands.ts";
import type { PatternBudget } from "./pattern-budget.ts";

/** A condition by pattern. */
interface PatternCondition extends Omit<FilterCondition, "operator"> {
  readonly operator: PatternOperator;
}

/**
 * Binds a pattern, in steps: its size is computed and charged to the budget before it is compiled.
 * Arrays match if any element does.
 */
export function* bindPattern(
  { attribute, operator, options, path }: PatternCondition,
  type: AttributeType,
  operand: JsonValue,
  budget: PatternBudget,
): Steps<Predicate> {
  const isText = (type.kind === "scalar" || type.kind === "array") && type.of === "string";
  if (!isText) throw filterFault(attribute, `${operator} needs a string or []string attribute`);
  if (typeof operand !== "string") throw typeMismatch(attribute, operator, "string", operand);
  if (operand.length > PATTERN_CHARS_MAX) {
    throw filterFault(
      attribute,
      `${operator} pattern has ${operand.length} characters, ` +
        `at most ${PATTERN_CHARS_MAX} are allowed`,
    );
  }
  const written = { attribute, operator, pattern: operand, path };
  const pattern = yield* patternOf(written, options, budget);
  if (pattern === undefined) return MATCH_NONE;
  budget.charge(pattern.test);
  const on = type.kind === "array" ? "some_element" : "value";
  const predicate: PatternNode = { kind: "pattern", attribute, type, on, ...pattern };
  return operator.startsWith("Not") ? negate(predicate) : predicate;
}

/** A pattern as it is in the request. */
interface WrittenPattern {
  readonly attribute: string;
  readonly operator: PatternOperator;
  readonly pattern: string;
  readonly path: string | undefined;
}

/** A parsed pattern; only globs have a prefix. */
type ReadPattern = ReadRegex & Partial<ReadGlob>;

/** Fields of a pattern's node besides the attribute. */
type Pattern = Pick<PatternNode, "prefix" | "prefixSuffices" | "description" | "test">;

function* patternOf(
  written: WrittenPattern,
  options: JsonValue | undefined,
  budget: PatternBudget,
): Steps<Pattern | undefined> {
  const { attribute, operator, pattern } = written;
  if (operator === "Fuzzy") return fuzzyPattern(written, options, budget);
  const description = `${operator} "${pattern}"`;
  const caseSensitive = !operator.includes("IGlob");
  const read: ReadPattern | PatternFault =
    operator === "Regex"
      ? yield* readRegex(pattern, budget.sizeLeft)
      : yield* readGlob(pattern, caseSensitive);
  if ("fault" in read) {
    throw filterFault(attribute, `${operator} pattern is not valid: ${read.fault}`);
  }
  const { tree, size, prefix = "", prefixSuffices = false } = read;
  const giveBack = budget.take({ ...written, length: pattern.length, size });
  yield;
  const test: ExpressionTest = {
    kind: "expression",
    program: yield* compilePattern(tree),
    required: requiredText(tree),
    formula: expressionFormula(tree),
  };
  giveBack();
  return { prefix, prefixSuffices, description, test };
}

interface FuzzyStep {
  readonly minQueryChars: number;
  readonly distance: number;
}

/** Undefined if the text is shorter than every threshold. */
function fuzzyPattern(
  written: WrittenPattern,
  options: JsonValue | undefined,
  budget: PatternBudget,
): Pattern | undefined {
  const { attribute, pattern: text } = written;
  const steps = fuzzySteps(attribute, options);
  const caseSensitive = fuzzyCaseSensitive(attribute, options);
  const pattern = codePoints(caseSensitive ? text : text.toLowerCase());
  const queryChars = codePoints(text).length;
  let chosen: FuzzyStep | undefined;
  for (const step of steps) {
    const isLonger = chosen === undefined || step.minQueryChars > chosen.minQueryChars;
    if (step.minQueryChars <= queryChars && isLonger) chosen = step;
  }
  if (chosen === undefined) return undefined;
  const { distance } = chosen;
  const giveBack = budget.take({ ...written, length: text.length, size: pattern.length });
  const formula = fuzzyFormula({ kind: "fuzzy", pattern, distance, caseSensitive });
  giveBack();
  return {
    prefix: "",
    prefixSuffices: false,
    description: `Fuzzy "${text}" distance ${distance}`,
    test: { kind: "fuzzy", pattern, distance, caseSensitive, formula },
  };
}

function fuzzySteps(attribute: string, options: JsonValue | undefined): FuzzyStep[] {
  const list =
    options instanceof Map ? listOperand(options.get("max_edit_distance") ?? null) : undefined;
  if (list === undefined || list.length === 0) {
    throw filterFault(
      attribute,
      "Fuzzy needs a fourth element {max_edit_distance: [{min_query_chars, distance}]} with at " +
        "least one entry",
    );
  }
  return list.map((entry) => {
    const minQueryChars = entry instanceof Map ? entry.get("min_query_chars") : undefined;
    const distance = entry instanceof Map ? entry.get("distance") : undefined;
    if (typeof minQueryChars !== "bigint" || typeof distance !== "bigint") {
      throw filterFault(
        attribute,
        "each entry of max_edit_distance needs integers min_query_chars and distance",
      );
    }
    if (distance < 0n || distance > BigInt(FUZZY_DISTANCE_MAX)) {
      throw filterFault(attribute, `distance must be 0 to ${FUZZY_DISTANCE_MAX}, was ${distance}`);
    }
    // The rule keeps the pattern longer than the edits, so that it never matches everything.
    if (minQueryChars < 3n * (distance + 1n)) {
      throw filterFault(
        attribute,
        `min_query_chars must be at least 3 * (distance + 1) = ${3n * (distance + 1n)}, ` +
          `was ${minQueryChars}`,
      );
    }
    return { minQueryChars: Number(minQueryChars), distance: Number(distance) };
  });
}

function fuzzyCaseSensitive(attribute: string, options: JsonValue | undefined): boolean {
  const value = options instanceof Map ? options.get("case_sensitive") : undefined;
  if (value === undefined || value === null) return true;
  if (typeof value === "boolean") return value;
  throw invalid(`filter error in key \`${attribute}\`: case_sensitive must be true or false`);
}
