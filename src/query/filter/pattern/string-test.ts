/**
 * What is asked of a string by a pattern, as data, so that a plan with a pattern can be sent to
 * another thread. Whoever runs a test compiles it at its first use.
 */

import { RE2JS } from "re2js";
import { hasFuzzySubstring } from "./fuzzy.ts";

/** A regular expression in RE2 syntax, of which no one takes more than linear time. */
export interface ExpressionTest {
  readonly kind: "expression";
  readonly expression: string;
  /** What of a string it has to match. */
  readonly extent: "whole" | "part";
}

/** Some substring is within `distance` edits of the pattern; see `hasFuzzySubstring`. */
export interface FuzzyTest {
  readonly kind: "fuzzy";
  /** Code points; of the text in lower case unless case counts. */
  readonly pattern: Uint32Array;
  readonly distance: number;
  readonly caseSensitive: boolean;
}

/** A test of strings. */
export type StringTest = ExpressionTest | FuzzyTest;

/** Tells whether a string passes a test. */
export type StringMatcher = (value: string) => boolean;

/** By test; equal tests in different objects, such as a clone, are compiled each for itself. */
const MATCHERS = new WeakMap<StringTest, StringMatcher>();

/** The function that runs the test. Throws RE2's error if its expression is not valid. */
export function stringMatcher(test: StringTest): StringMatcher {
  const known = MATCHERS.get(test);
  if (known !== undefined) return known;
  const matcher = compile(test);
  MATCHERS.set(test, matcher);
  return matcher;
}

function compile(test: StringTest): StringMatcher {
  if (test.kind === "expression") {
    const regex = RE2JS.compile(test.expression);
    return test.extent === "whole"
      ? (value) => regex.testExact(value)
      : (value) => regex.test(value);
  }
  const { pattern, distance, caseSensitive } = test;
  return (value) =>
    hasFuzzySubstring(pattern, caseSensitive ? value : value.toLowerCase(), distance);
}
