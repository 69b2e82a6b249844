/** Tests of strings without a request around them. */

import { runSteps } from "../../../src/base/steps.ts";
import {
  expressionFormula,
  requiredText,
} from "../../../src/query/filter/pattern/expression-formula.ts";
import { codePoints } from "../../../src/query/filter/pattern/fuzzy.ts";
import { type ReadGlob, readGlob } from "../../../src/query/filter/pattern/glob.ts";
import {
  type ExpressionTest,
  type FuzzyTest,
  passesInSteps,
  type StringTest,
  stringMatcher,
} from "../../../src/query/filter/pattern/string-test.ts";
import { fuzzyFormula } from "../../../src/query/filter/pattern/trigram-formula.ts";
import { compilePattern } from "../../../src/text/patterns/pattern-program.ts";
import type { PatternFault, PatternTree } from "../../../src/text/patterns/pattern-tree.ts";
import { readRegex } from "../../../src/text/patterns/regex-syntax.ts";

/** The test of a regular expression, or the reason why it is invalid. */
export function regexTest(pattern: string): ExpressionTest | PatternFault {
  const read = runSteps(readRegex(pattern, 50_000));
  return "fault" in read ? read : testOf(read.tree);
}

/** The test of a glob with its parsed form, or the reason why it is invalid. */
export function globTest(
  pattern: string,
  caseSensitive: boolean,
): (ReadGlob & { readonly test: ExpressionTest }) | PatternFault {
  const read = runSteps(readGlob(pattern, caseSensitive));
  return "fault" in read ? read : { ...read, test: testOf(read.tree) };
}

/** The test of a fuzzy text. */
export function fuzzyTest(text: string, distance: number, caseSensitive = true): FuzzyTest {
  const pattern = codePoints(caseSensitive ? text : text.toLowerCase());
  const test = { kind: "fuzzy", pattern, distance, caseSensitive } as const;
  return { ...test, formula: fuzzyFormula(test) };
}

/** Checks whether a string passes; throws the reason if there is no test. */
export function passes(test: StringTest | PatternFault, text: string): boolean {
  if ("fault" in test) throw new Error(test.fault);
  return runSteps(passesInSteps(stringMatcher(test), text));
}

function testOf(tree: PatternTree): ExpressionTest {
  return {
    kind: "expression",
    program: runSteps(compilePattern(tree)),
    required: requiredText(tree),
    formula: expressionFormula(tree),
  };
}
