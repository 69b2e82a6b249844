/** Filter operators that match strings by pattern: globs, regular expressions, fuzzy text. */

import { invalid } from "../../base/errors.ts";
import { FUZZY_DISTANCE_MAX } from "../../model/contract-limits.ts";
import type { PatternOperator } from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { negate } from "../filter/not.ts";
import { MATCH_NONE } from "../filter/or.ts";
import { codePoints } from "../filter/pattern/fuzzy.ts";
import { translateGlob } from "../filter/pattern/glob.ts";
import type { PatternNode } from "../filter/pattern/pattern.ts";
import { regexTest, wholeTest } from "../filter/pattern/regex.ts";
import type { Predicate } from "../plan/plan.ts";
import type { Subject } from "./bind-comparison.ts";
import { filterFault, listOperand, typeMismatch } from "./operands.ts";

/** Glob, regular expression or fuzzy text, in UTF-16 units; twice a filterable value. */
const PATTERN_CHARS_MAX = 8192;

/** Binds a pattern; `options` are those of `Fuzzy`. Arrays match if any element does. */
export function bindPattern(
  subject: Subject,
  operator: PatternOperator,
  operand: JsonValue,
  options: JsonValue | undefined,
): Predicate {
  const { attribute, type } = subject;
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
  const pattern = patternOf(attribute, operator, operand, options);
  if (pattern === undefined) return MATCH_NONE;
  const on = type.kind === "array" ? "some_element" : "value";
  const predicate: PatternNode = { kind: "pattern", attribute, type, on, ...pattern };
  return operator.startsWith("Not") ? negate(predicate) : predicate;
}

/** What a pattern's node has beside the attribute. */
type Pattern = Pick<PatternNode, "prefix" | "prefixSuffices" | "description" | "test">;

function patternOf(
  attribute: string,
  operator: PatternOperator,
  pattern: string,
  options: JsonValue | undefined,
): Pattern | undefined {
  if (operator === "Fuzzy") return fuzzyPattern(attribute, pattern, options);
  if (operator === "Regex") {
    const test = regexTest(pattern);
    if ("fault" in test) {
      throw filterFault(attribute, `Regex pattern is not valid: ${test.fault}`);
    }
    return { prefix: "", prefixSuffices: false, description: `Regex "${pattern}"`, test };
  }
  const caseSensitive = !operator.includes("IGlob");
  const glob = translateGlob(pattern);
  const test = "fault" in glob ? glob : wholeTest(glob.expression, caseSensitive);
  if ("fault" in test) {
    throw filterFault(attribute, `${operator} pattern is not valid: ${test.fault}`);
  }
  const isKnown = caseSensitive && !("fault" in glob);
  const prefix = isKnown ? glob.prefix : "";
  const prefixSuffices = isKnown && glob.prefixSuffices;
  return { prefix, prefixSuffices, description: `${operator} "${pattern}"`, test };
}

interface FuzzyStep {
  readonly minQueryChars: number;
  readonly distance: number;
}

/** Undefined if the text is shorter than every threshold. */
function fuzzyPattern(
  attribute: string,
  text: string,
  options: JsonValue | undefined,
): Pattern | undefined {
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
  return {
    prefix: "",
    prefixSuffices: false,
    description: `Fuzzy "${text}" distance ${distance}`,
    test: { kind: "fuzzy", pattern, distance, caseSensitive },
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
