import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { DictionaryView } from "../../segment/segment-view.ts";
import { scalarReader } from "../column-values.ts";
import type { OrdinalBits } from "../ordinal-bits.ts";
import type { PredicateOperator } from "../plan/operator.ts";
import type { QueryMemory } from "../query-memory.ts";
import { attributeSource } from "./attribute-source.ts";
import { codeInterval, codeListIntervals, type ValueInterval } from "./sorted-cut.ts";
import { matchSorted, type SortedFilter, sortedNeeds } from "./sorted-source.ts";
import { type StringTest, stringMatcher } from "./string-test.ts";
import {
  type Entries,
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  valueMatches,
  withExtent,
} from "./value-node.ts";

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
  needs: (node, run) => sortedNeeds(node, sortedFilter(node), run),

  *run(node, given) {
    const run = withExtent(given);
    const { view, memory } = run;
    const found = yield* matchSorted(node, sortedFilter(node), run);
    if (found !== undefined) return found;
    const source = attributeSource(node.attribute, view);
    return yield* matchValues(node, source, run, (entries, bits) =>
      markStrings(node, entries, { bits, memory }),
    );
  },

  matches: (node, { current }) => {
    const passes = stringMatcher(node.test);
    const value = current(node.attribute);
    return valueMatches(node, value, (one) => typeof one === "string" && passes(one));
  },

  explain: (node, label) => [`${label}: ${subjectText(node)} matches ${node.description}`],
};

/** Entries that are set while a code's verdict is asked for and looked up. */
const VALUE_COST = 4;

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
  if (prefix === "") return undefined;
  const first = dictionary.lowerBound(prefix);
  const past = prefixEnd(prefix, dictionary, first);
  if (prefixSuffices) return codeInterval({ first, past });
  if (past - first > TESTS_PER_STEP) return undefined;
  const passes = stringMatcher(test);
  const codes = Array.from({ length: past - first }, (_, i) => first + i);
  return codeListIntervals(codes.filter((code) => passes(dictionary.value(code))));
}

/** Tests each distinct value of the range once, if there is a dictionary. */
function* markStrings(
  node: PatternNode,
  entries: Entries,
  { bits, memory }: { readonly bits: OrdinalBits; readonly memory: QueryMemory | undefined },
): Steps<void> {
  const { data, start, end, dictionary } = entries;
  const passes = stringMatcher(node.test);
  if (dictionary === undefined) {
    const read = scalarReader(data);
    for (let i = start; i < end; i++) {
      const value = read(i);
      if (typeof value === "string" && passes(value)) setBit(bits, i);
      if ((i - start) % TESTS_PER_STEP === TESTS_PER_STEP - 1) yield;
    }
    return;
  }
  const verdicts = verdictsOf(node, dictionary, memory);
  const { codes } = dictionary;
  // Loops of their own, since a test in the midst of one makes each step of it slower.
  yield* markAll(entries, (from, to) => {
    for (let i = from; i < to; i++) {
      if (verdicts[codes[i]] === UNKNOWN) verdicts[codes[i]] = WANTED;
    }
  });
  let testCount = 0;
  for (let code = 0; code < verdicts.length; code++) {
    if (verdicts[code] !== WANTED) continue;
    verdicts[code] = passes(dictionary.value(code)) ? PASSES : FAILS;
    if (++testCount % TESTS_PER_STEP === 0) yield;
  }
  yield* markAll(entries, (from, to) => {
    for (let i = from; i < to; i++) if (verdicts[codes[i]] === PASSES) setBit(bits, i);
  });
}

/** Strings that are tested between two pauses: of some KiB each, in some 10 µs. */
const TESTS_PER_STEP = 64;

const UNKNOWN = 0;
const FAILS = 1;
const PASSES = 2;
/** Some entry of the range has the value, which is tested next. */
const WANTED = 3;

/** By code; kept with the node, so that ranges of one segment share them. */
const VERDICTS = new WeakMap<PatternNode, WeakMap<DictionaryView, Uint8Array>>();

/** What is known of each value: those without the prefix fail. */
function verdictsOf(
  node: PatternNode,
  dictionary: DictionaryView,
  memory: QueryMemory | undefined,
): Uint8Array {
  const known = VERDICTS.get(node) ?? new WeakMap<DictionaryView, Uint8Array>();
  VERDICTS.set(node, known);
  let verdicts = known.get(dictionary);
  if (verdicts !== undefined) return verdicts;
  memory?.take(dictionary.size, "what patterns match");
  verdicts = new Uint8Array(dictionary.size).fill(FAILS);
  const first = dictionary.lowerBound(node.prefix);
  verdicts.fill(UNKNOWN, first, prefixEnd(node.prefix, dictionary, first));
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
