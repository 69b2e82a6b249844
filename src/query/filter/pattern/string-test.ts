/**
 * Tests of strings by patterns, as data, so that a plan with a pattern can be sent to another
 * thread. The thread that runs a test creates its automaton at the first use.
 */

import type { Steps } from "../../../base/steps.ts";
import { LazyAutomaton } from "../../../text/patterns/lazy-automaton.ts";
import { type PatternProgram, programBytes } from "../../../text/patterns/pattern-program.ts";
import type { QueryMemory } from "../../operator/query-memory.ts";
import { FuzzySearch } from "./fuzzy.ts";
import type { TrigramFormula } from "./trigram-algebra.ts";

/** A string matches a regular expression or a glob; none takes more than linear time. */
export interface ExpressionTest {
  readonly kind: "expression";
  readonly program: PatternProgram;
  /** All strings that pass contain it. */
  readonly required: string;
  /** True of the trigrams of all strings that pass. */
  readonly formula: TrigramFormula;
}

/** Some substring is within `distance` edits of the pattern; see `FuzzySearch`. */
export interface FuzzyTest {
  readonly kind: "fuzzy";
  /** Code points; of the text in lower case unless case counts. */
  readonly pattern: Uint32Array;
  readonly distance: number;
  readonly caseSensitive: boolean;
  /** True of the trigrams of all strings that pass. */
  readonly formula: TrigramFormula;
}

/** A test of strings. */
export type StringTest = ExpressionTest | FuzzyTest;

/** A string whose test is not over. */
export interface StringScan {
  /** Continues the test; undefined if it is not finished yet. */
  advance(): boolean | undefined;
}

/** Runs a test. */
export interface StringMatcher {
  /** Work done so far, in some nanoseconds each. */
  readonly work: number;
  /** Checks whether a string passes; where that takes more than `SCAN_WORK_MAX`, begins a scan. */
  test(value: string): boolean | StringScan;
}

/** Work on one string between two pauses, and on several: some 100 µs. */
const SCAN_WORK_MAX = 16_384;
/**
 * Longer strings, in UTF-16 units, are not searched for the required text: that search has no
 * pauses.
 */
const CONTAINS_UNITS_MAX = 65_536;

/** Memory of the states of one pattern: small ones have few. */
const STATE_BYTES_MIN = 4096;
const STATE_BYTES_MAX = 2 ** 21;
/** Bytes of states for each byte of a program, up to that: a state may have all instructions. */
const STATE_SHARE = 64;

/** By test; equal tests in different objects, such as a clone, remember states each for itself. */
const MATCHERS = new WeakMap<StringTest, StringMatcher>();

/** Returns the matcher that runs a test; `testBytes` returns its memory. */
export function stringMatcher(test: StringTest): StringMatcher {
  const known = MATCHERS.get(test);
  if (known !== undefined) return known;
  const matcher = test.kind === "fuzzy" ? new FuzzyMatcher(test) : new ExpressionMatcher(test);
  MATCHERS.set(test, matcher);
  return matcher;
}

/** Runs a scan to its end, in steps. */
export function* finishScan(scan: StringScan): Steps<boolean> {
  for (;;) {
    yield;
    const passes = scan.advance();
    if (passes !== undefined) return passes;
  }
}

/** Checks whether a string passes, in steps. */
export function* passesInSteps(matcher: StringMatcher, value: string): Steps<boolean> {
  const found = matcher.test(value);
  return typeof found === "boolean" ? found : yield* finishScan(found);
}

/** Decides when work on several strings should pause. */
export class MatcherPauses {
  readonly #matcher: StringMatcher;
  #lastWork: number;

  constructor(matcher: StringMatcher) {
    this.#matcher = matcher;
    this.#lastWork = matcher.work;
  }

  /** True where as much was done since the last pause as one string may take. */
  get isDue(): boolean {
    if (this.#matcher.work - this.#lastWork < SCAN_WORK_MAX) return false;
    this.#lastWork = this.#matcher.work;
    return true;
  }
}

/** Bytes of a test and of all that its matcher remembers, at most. */
export function testBytes(test: StringTest): number {
  // Twice: of a scan that pauses, and of the next one.
  if (test.kind === "fuzzy") return 12 * (test.pattern.length + 1);
  return programBytes(test.program) + stateBytes(test.program);
}

function stateBytes(program: PatternProgram): number {
  return Math.min(STATE_BYTES_MAX, STATE_BYTES_MIN + STATE_SHARE * programBytes(program));
}

const CHARGED = new WeakSet<StringTest>();

/** Takes the memory of a test from a query that runs it, once on each thread. */
export function chargeTest(test: StringTest, memory: QueryMemory | undefined): void {
  if (CHARGED.has(test)) return;
  memory?.take(testBytes(test), "patterns");
  CHARGED.add(test);
}

class ExpressionMatcher implements StringMatcher {
  readonly #automaton: LazyAutomaton;
  readonly #required: string;
  #compared = 0;

  constructor({ program, required }: ExpressionTest) {
    this.#automaton = new LazyAutomaton(program, stateBytes(program));
    this.#required = required;
  }

  get work(): number {
    return this.#automaton.work + this.#compared;
  }

  test(value: string): boolean | StringScan {
    if (this.#required !== "" && value.length <= CONTAINS_UNITS_MAX) {
      this.#compared += 8 + value.length / 16;
      if (!value.includes(this.#required)) return false;
    }
    const automaton = this.#automaton;
    const scan = automaton.begin(value);
    const passes = automaton.advance(scan, SCAN_WORK_MAX);
    return passes ?? { advance: () => automaton.advance(scan, SCAN_WORK_MAX) };
  }
}

class FuzzyMatcher implements StringMatcher {
  readonly #test: FuzzyTest;
  #search: FuzzySearch;
  #paused = 0;

  constructor(test: FuzzyTest) {
    this.#test = test;
    this.#search = new FuzzySearch(test.pattern, test.distance);
  }

  get work(): number {
    return this.#search.work + this.#paused;
  }

  test(value: string): boolean | StringScan {
    const search = this.#search;
    search.begin(this.#test.caseSensitive ? value : value.toLowerCase());
    const passes = search.advance(SCAN_WORK_MAX);
    if (passes !== undefined) return passes;
    // The scan keeps its own, since other strings may be tested before it is over.
    this.#paused += search.work;
    this.#search = new FuzzySearch(this.#test.pattern, this.#test.distance);
    return { advance: () => search.advance(SCAN_WORK_MAX) };
  }
}
