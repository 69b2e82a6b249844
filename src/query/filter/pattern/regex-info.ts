/**
 * What is known of the strings that a part of an expression matches: which they are while those
 * are few and short, else how they begin and end, and which trigrams they have.
 */

import {
  ANY,
  allOf,
  CHOICES_MAX,
  containing,
  someOf,
  type TrigramFormula,
} from "./trigram-algebra.ts";

/** All strings are folded (`text/trigrams.ts`). */
export type RegexInfo =
  /** It matches these and no others. */
  | { readonly exact: readonly string[] }
  /** All matches begin with one of `prefixes`, end with one of `suffixes`, and `formula` is true. */
  | {
      readonly exact?: undefined;
      readonly prefixes: readonly string[];
      readonly suffixes: readonly string[];
      readonly formula: TrigramFormula;
    };

type Inexact = Extract<RegexInfo, { readonly exact?: undefined }>;

/** Strings of a set that are told apart. */
const STRINGS_MAX = 16;
/** Characters from which on strings are no longer known as a whole. */
const EXACT_CHARACTERS = 4;
/** Characters that are kept of a start or an end: with one more they are a trigram. */
const EDGE_CHARACTERS = 2;
/** Times that something is looked at that is repeated. */
const REPEATS_MAX = 4;

/** Matches the empty string alone, such as a place. */
export const EMPTY: RegexInfo = { exact: [""] };
/** Matches some character. */
export const UNKNOWN_CHARACTER: RegexInfo = { prefixes: [""], suffixes: [""], formula: ANY };
/** May match anything. */
export const ANYTHING: RegexInfo = UNKNOWN_CHARACTER;

/** Matches one folded character. */
export function oneOf(character: string): RegexInfo {
  return { exact: [character] };
}

/** The formula of a whole expression. */
export function regexFormula(found: RegexInfo): TrigramFormula {
  if (found.exact !== undefined) return containing(found.exact);
  return allOf([found.formula, containing(found.prefixes), containing(found.suffixes)]);
}

/** Matches what one of them matches. */
export function eitherOf(choices: readonly RegexInfo[]): RegexInfo {
  if (choices.length === 1) return choices[0];
  if (choices.length > CHOICES_MAX) return ANYTHING;
  const exact = choices.flatMap((choice) => choice.exact ?? []);
  if (choices.every((choice) => choice.exact !== undefined))
    return simplified({ exact: distinct(exact) });
  const parts = choices.map(inexact);
  return simplified({
    prefixes: distinct(parts.flatMap(({ prefixes }) => prefixes)),
    suffixes: distinct(parts.flatMap(({ suffixes }) => suffixes)),
    formula: someOf(parts.map(({ formula }) => formula)),
  });
}

/** Matches one behind the other. */
export function concatenated(left: RegexInfo, right: RegexInfo): RegexInfo {
  if (left.exact !== undefined && right.exact !== undefined) {
    return simplified({ exact: crossed(left.exact, right.exact) });
  }
  const [first, last] = [inexact(left), inexact(right)];
  const middle =
    left.exact === undefined && right.exact === undefined
      ? containing(crossed(left.suffixes, right.prefixes))
      : ANY;
  return simplified({
    prefixes: left.exact === undefined ? left.prefixes : crossed(left.exact, last.prefixes),
    suffixes: right.exact === undefined ? right.suffixes : crossed(first.suffixes, right.exact),
    formula: allOf([formulaOf(left), formulaOf(right), middle]),
  });
}

/** What `concatenated` takes, about: strings that it makes, and some for the formulas. */
export function concatenationCost(left: RegexInfo, right: RegexInfo): number {
  return 4 + (left.exact ?? left.suffixes).length * (right.exact ?? right.prefixes).length;
}

/** Matches one and then anything. */
export function followedByAnything(found: RegexInfo): RegexInfo {
  const { prefixes, formula } = inexact(found);
  return { prefixes, suffixes: [""], formula };
}

/** How many copies `repeated` puts one behind the other. */
export function copiesOf(times: number): number {
  return Math.min(times, REPEATS_MAX);
}

/** Matches it so many times, or at least so many. */
export function repeated(found: RegexInfo, times: number, isExact: boolean): RegexInfo {
  if (times === 0) return ANYTHING;
  let sequence = found;
  for (let i = 1; i < copiesOf(times); i++) sequence = concatenated(sequence, found);
  if (isExact && times <= REPEATS_MAX) return sequence;
  const { prefixes, formula } = inexact(sequence);
  return { prefixes, suffixes: inexact(found).suffixes, formula };
}

function formulaOf(found: RegexInfo): TrigramFormula {
  return found.exact === undefined ? found.formula : ANY;
}

function inexact(found: RegexInfo): Inexact {
  if (found.exact === undefined) return found;
  const { exact } = found;
  return {
    prefixes: edges(exact, firstOf),
    suffixes: edges(exact, lastOf),
    formula: containing(exact),
  };
}

/** Keeps sets small, and what they say of trigrams. */
function simplified(found: RegexInfo): RegexInfo {
  if (found.exact !== undefined) {
    const { exact } = found;
    const isShort = exact.some((text) => lengthOf(text) < EXACT_CHARACTERS);
    return exact.length <= STRINGS_MAX && isShort ? found : inexact(found);
  }
  const { prefixes, suffixes } = found;
  const formula = allOf([found.formula, longFormula(prefixes), longFormula(suffixes)]);
  return { prefixes: edges(prefixes, firstOf), suffixes: edges(suffixes, lastOf), formula };
}

/** What strings say that are about to be cut. */
function longFormula(texts: readonly string[]): TrigramFormula {
  return texts.some((text) => lengthOf(text) > EDGE_CHARACTERS) ? containing(texts) : ANY;
}

/** Strings cut by `cut`, to fewer characters where they are too many. */
function edges(
  texts: readonly string[],
  cut: (text: string, characters: number) => string,
): string[] {
  for (let characters = EDGE_CHARACTERS; characters > 0; characters--) {
    const short = distinct(texts.map((text) => cut(text, characters)));
    if (short.length <= STRINGS_MAX) return short;
  }
  return [""];
}

function firstOf(text: string, characters: number): string {
  return [...text].slice(0, characters).join("");
}

function lastOf(text: string, characters: number): string {
  return [...text].slice(-characters).join("");
}

function crossed(left: readonly string[], right: readonly string[]): string[] {
  return distinct(left.flatMap((start) => right.map((end) => start + end)));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function lengthOf(text: string): number {
  return [...text].length;
}
