import type { Steps } from "../../../base/steps.ts";
import { setBit } from "../../../codec/bitmap.ts";
import {
  DICTIONARY_INDEX,
  type OpenedDictionary,
} from "../../../segment/columns/dictionary-index.ts";
import type { DictionaryView, SegmentView } from "../../../segment/view/segment-view.ts";
import { scalarReader } from "../../documents/column-values.ts";
import type { OrdinalBits } from "../../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../../operator/operator.ts";
import { attributeSource } from "../attribute-source.ts";
import {
  codeInterval,
  codeListIntervals,
  type SortedFilter,
  type ValueInterval,
} from "../sorted-cut.ts";
import { isSorted, matchSorted, sortedNeeds } from "../sorted-source.ts";
import {
  type Entries,
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  type ValueRun,
  withExtent,
} from "../value-node.ts";
import { candidateGroups, candidateNeeds, hasTrigrams } from "./pattern-candidates.ts";
import {
  chargeTest,
  finishScan,
  MatcherPauses,
  passesInSteps,
  type StringTest,
  stringMatcher,
} from "./string-test.ts";

/** A string passes a test. Null does not match. */
export interface PatternNode extends ValueNode {
  readonly kind: "pattern";
  /** All strings that pass start with it. */
  readonly prefix: string;
  /** All that start with it pass. */
  readonly prefixSuffices: boolean;
  /** For explanations. */
  readonly description: string;
  readonly test: StringTest;
}

/** Globs, regular expressions and fuzzy texts. */
export const PATTERN: PredicateOperator<PatternNode> = {
  kind: "pattern",
  cost: () => 3,
  grain: () => "ordinals",

  needs(node, run) {
    if (node.prefixSuffices || !isTestedFirst(node, run.view)) {
      return sortedNeeds(node, sortedFilter(node), run);
    }
    return candidateNeeds(node, run);
  },

  *run(node, given) {
    const run = withExtent(given);
    const { view, memory } = run;
    chargeTest(node.test, memory);
    const byPrefix = yield* matchSorted(node, sortedFilter(node), run);
    if (byPrefix !== undefined) return byPrefix;
    const found = yield* matchCandidates(node, run);
    if (found !== undefined) return found;
    const source = attributeSource(node.attribute, view);
    return yield* matchValues(node, source, run, (entries, bits) =>
      markStrings(node, entries, bits, run),
    );
  },

  *matches({ attribute, test }, { current }) {
    const matcher = stringMatcher(test);
    const value = current(attribute);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "string" && (yield* passesInSteps(matcher, one))) return true;
    }
    return false;
  },

  explain: (node, label) => [`${label}: ${subjectText(node)} matches ${node.description}`],
};

/** Entries that are set while a code's verdict is asked for and looked up. */
const VALUE_COST = 4;

/**
 * Tests all distinct strings, or those that trigrams leave, and finds their documents in order;
 * undefined where it costs less to look at the candidates.
 */
function* matchCandidates(node: PatternNode, run: ValueRun): Steps<OrdinalBits | undefined> {
  const { view, extent } = run;
  if (!isSorted(node, view)) return undefined;
  const dictionary = view.index(DICTIONARY_INDEX, node.attribute);
  if (dictionary === undefined) return undefined;
  const verdicts = yield* verdictsOf(node, dictionary, run);
  if (verdicts.matching === undefined) {
    if (verdicts.untestedCount > extent.end - extent.start) return undefined;
    yield;
    yield* testStrings(UNKNOWN, verdicts.byCode, { node, dictionary, run });
    verdicts.matching = matchingCodes(verdicts.byCode);
    yield;
  }
  const { matching } = verdicts;
  if (matching.length > LISTED_CODES_MAX) return undefined;
  const filter = { ...sortedFilter(node), intervals: () => codeListIntervals(matching) };
  return yield* matchSorted(node, filter, run);
}

/** Tells whether strings are tested before it is known which documents are looked at. */
function isTestedFirst(node: PatternNode, view: SegmentView): boolean {
  return hasTrigrams(node, view) || isSorted(node, view);
}

/** Maximum number of codes that are looked up one by one; with more, a full scan is cheaper. */
const LISTED_CODES_MAX = 2048;

/** The codes that pass, or the first ones where they are more than are looked for. */
function matchingCodes(byCode: Uint8Array): number[] {
  const codes: number[] = [];
  for (let code = byCode.indexOf(PASSES); code >= 0; code = byCode.indexOf(PASSES, code + 1)) {
    codes.push(code);
    if (codes.length > LISTED_CODES_MAX) break;
  }
  return codes;
}

/** By the codes of the prefix, where all of them pass or there are few to test. */
function sortedFilter(node: PatternNode): SortedFilter {
  return {
    nullMatches: false,
    valueCost: () => VALUE_COST,
    intervals: (dictionary) => dictionary && intervalsOf(node, dictionary),
  };
}

function intervalsOf(
  { prefix, prefixSuffices, test }: PatternNode,
  dictionary: DictionaryView,
): ValueInterval[] | undefined {
  if (prefix === "" && !prefixSuffices) return undefined;
  const first = dictionary.lowerBound(prefix);
  const past = prefixEnd(prefix, dictionary, first);
  if (prefixSuffices) return codeInterval({ first, past });
  if (past - first > TESTED_AT_ONCE_MAX) return undefined;
  const matcher = stringMatcher(test);
  const pauses = new MatcherPauses(matcher);
  const codes: number[] = [];
  for (let code = first; code < past; code++) {
    const passes = matcher.test(dictionary.value(code));
    // There are no pauses here: what takes long is left to `testStrings`.
    if (typeof passes !== "boolean" || pauses.isDue) return undefined;
    if (passes) codes.push(code);
  }
  return codeListIntervals(codes);
}

/** Tests each distinct value of the range once, if there is a dictionary. */
function* markStrings(
  node: PatternNode,
  entries: Entries,
  bits: OrdinalBits,
  run: ValueRun,
): Steps<void> {
  const { data, start, end } = entries;
  const matcher = stringMatcher(node.test);
  const pauses = new MatcherPauses(matcher);
  if (entries.dictionary === undefined) {
    const read = scalarReader(data);
    run.work.stringsTested += end - start;
    for (let i = start; i < end; i++) {
      const value = read(i);
      const found = typeof value === "string" && matcher.test(value);
      if (typeof found === "boolean" ? found : yield* finishScan(found)) setBit(bits, i);
      if (pauses.isDue || (i - start) % TESTS_PER_STEP === TESTS_PER_STEP - 1) yield;
    }
    return;
  }
  const dictionary = run.view.index(DICTIONARY_INDEX, node.attribute) ?? entries.dictionary;
  const { byCode: verdicts } = yield* verdictsOf(node, dictionary, run);
  const { codes } = dictionary;
  // Loops of their own, since a test in the midst of one makes each step of it slower.
  yield* markAll(entries, (from, to) => {
    for (let i = from; i < to; i++) {
      if (verdicts[codes[i]] === UNKNOWN) verdicts[codes[i]] = WANTED;
    }
  });
  yield* testStrings(WANTED, verdicts, { node, dictionary, run });
  yield* markAll(entries, (from, to) => {
    for (let i = from; i < to; i++) if (verdicts[codes[i]] === PASSES) setBit(bits, i);
  });
}

/** Tests the strings of which so much is known. */
function* testStrings(
  known: typeof UNKNOWN | typeof WANTED,
  verdicts: Uint8Array,
  { node, dictionary, run }: StringsRun,
): Steps<void> {
  const matcher = stringMatcher(node.test);
  const pauses = new MatcherPauses(matcher);
  let testCount = 0;
  for (let code = verdicts.indexOf(known); code >= 0; code = verdicts.indexOf(known, code + 1)) {
    const found = matcher.test(dictionary.value(code));
    const passes = typeof found === "boolean" ? found : yield* finishScan(found);
    verdicts[code] = passes ? PASSES : FAILS;
    run.work.stringsTested++;
    if (pauses.isDue || ++testCount % TESTS_PER_STEP === 0) yield;
  }
}

/** What it takes to test strings. */
interface StringsRun {
  readonly node: PatternNode;
  readonly dictionary: DictionaryView;
  readonly run: ValueRun;
}

/** Strings that are tested between two pauses at most: to read one takes time, too. */
const TESTS_PER_STEP = 64;
/** Strings with a prefix up to which all are tested before it is decided how documents are found. */
const TESTED_AT_ONCE_MAX = 64;

const UNKNOWN = 0;
const FAILS = 1;
const PASSES = 2;
/** Some entry of the range has the value, which is tested next. */
const WANTED = 3;

/** What is known of the values of a dictionary. */
interface Verdicts {
  readonly byCode: Uint8Array;
  /** Those that were to be tested at first. */
  readonly untestedCount: number;
  /** Once all were tested: the codes that pass, as `matchingCodes` gives them. */
  matching?: readonly number[];
}

/** Kept with the node, so that ranges of one segment share them. */
const VERDICTS = new WeakMap<PatternNode, WeakMap<DictionaryView, Verdicts>>();

/** What is known of each value: those without the prefix fail, and those without its trigrams. */
function* verdictsOf(
  node: PatternNode,
  dictionary: DictionaryView & Pick<Partial<OpenedDictionary>, "trigrams">,
  run: ValueRun,
): Steps<Verdicts> {
  const known = VERDICTS.get(node) ?? new WeakMap<DictionaryView, Verdicts>();
  VERDICTS.set(node, known);
  const kept = known.get(dictionary);
  if (kept !== undefined) return kept;
  const { trigrams } = dictionary;
  const groups = trigrams && (yield* candidateGroups(node.test, trigrams, run));
  run.memory?.take(dictionary.size, "what patterns match");
  const byCode = new Uint8Array(dictionary.size).fill(FAILS);
  let untestedCount = 0;
  const leaveUnknown = (start: number, end: number): void => {
    if (end <= start) return;
    byCode.fill(UNKNOWN, start, end);
    untestedCount += end - start;
  };
  const first = dictionary.lowerBound(node.prefix);
  const past = prefixEnd(node.prefix, dictionary, first);
  if (trigrams === undefined || groups === undefined) leaveUnknown(first, past);
  else {
    const { groupStrings } = trigrams;
    for (const group of groups) {
      const start = Math.max(first, group * groupStrings);
      leaveUnknown(start, Math.min(past, (group + 1) * groupStrings));
    }
  }
  const verdicts = { byCode, untestedCount };
  known.set(dictionary, verdicts);
  return verdicts;
}

/** First code from `first` on whose value does not start with the prefix. */
function prefixEnd(prefix: string, dictionary: DictionaryView, first: number): number {
  let start = first;
  let end = dictionary.size;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (dictionary.value(middle).startsWith(prefix)) start = middle + 1;
    else end = middle;
  }
  return start;
}
