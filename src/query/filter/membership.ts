import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { ScalarSet } from "../../base/tables/scalar-map.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { DocumentId, ScalarValue } from "../../model/value.ts";
import type { DictionaryView, SegmentView } from "../../segment/view/segment-view.ts";
import { scalarReader } from "../documents/column-values.ts";
import { andBits, emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { Need, PredicateOperator } from "../operator/operator.ts";
import { MATCH_ALL } from "./and.ts";
import { attributeSource } from "./attribute-source.ts";
import { intervalMarker } from "./match-interval.ts";
import {
  codeListIntervals,
  listIntervals,
  type SortedFilter,
  sortedKey,
  type ValueInterval,
} from "./sorted-cut.ts";
import { countSorted, isSorted, matchSorted, sortedNeeds } from "./sorted-source.ts";
import {
  type Entries,
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  valueMatches,
  valueText,
  withExtent,
} from "./value-node.ts";

/** A value is one of a list. Null does not match. */
export interface MembershipNode extends ValueNode {
  readonly kind: "membership";
  /** Of the attribute's type. */
  readonly values: readonly ScalarValue[];
}

/** Values that are looked up between two pauses, in about a microsecond each. */
const VALUES_PER_STEP = 1024;
/** Most values of a list that are printed. */
const PRINTED_VALUES_MAX = 10;

/** Equality, and lists of values. */
export const MEMBERSHIP: PredicateOperator<MembershipNode> = {
  kind: "membership",

  cost: (node) => (isOfIds(node) ? 0 : 1),

  // Few ids are looked up, whatever the size of the snapshot.
  grain: (node) => (isOfIds(node) ? "snapshot" : "ordinals"),

  isOrdered: (node, view) =>
    isOfIds(node) || (isShort(node.values, hasCodes(node)) && isSorted(node, view)),

  lookup: (node) =>
    isOfIds(node) ? { ids: node.values as readonly DocumentId[], rest: MATCH_ALL } : undefined,

  needs: (node, run) =>
    isOfIds(node) ? idNeeds(node.values, run.view) : sortedNeeds(node, sortedFilter(node), run),

  *run(node, given) {
    const { view, within } = given;
    const { attribute, values } = node;
    if (isOfIds(node)) return andBits(yield* findIds(values, view), within);
    const run = withExtent(given);
    const found = yield* matchSorted(node, sortedFilter(node), run);
    if (found !== undefined) return found;
    const source = attributeSource(attribute, view);
    return yield* matchValues(node, source, run, (entries, bits) =>
      markListed(values, entries, bits),
    );
  },

  count: (node, run) => (isOfIds(node) ? undefined : countSorted(node, sortedFilter(node), run)),

  *matches(node, { current }) {
    const set = yield* eachOnce(node.values);
    const found = valueMatches(node, current(node.attribute), (value) => set.has(value));
    return typeof found === "boolean" ? found : yield* found;
  },

  explain: (node, label) => {
    const { values, type } = node;
    const shown = values.slice(0, PRINTED_VALUES_MAX).map((value) => valueText(value, type));
    const rest = values.length - PRINTED_VALUES_MAX;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return [`${label}: ${subjectText(node)} is one of ${shown.join(", ")}${more}`];
  },
};

/**
 * Values up to which each is looked for in order, without a pause: numbers in .5 µs each, strings,
 * whose codes are looked for first, in 1.3 (a million documents).
 */
const SORTED_VALUES_MAX = { numbers: 4096, codes: 2048 };
/** Entries that are set in the time of a comparison: with one value, a code, any of a list. */
const VALUE_COSTS = { one: 2, code: 2, listed: 40 };

function sortedFilter({ values, type }: MembershipNode): SortedFilter {
  return {
    nullMatches: false,
    valueCost: (dictionary) => {
      if (dictionary !== undefined) return VALUE_COSTS.code;
      const isOne = values.length === 1 && !("of" in type && type.of === "bool");
      return isOne ? VALUE_COSTS.one : VALUE_COSTS.listed;
    },
    intervals: (dictionary) => intervalsOf(values, dictionary),
  };
}

function intervalsOf(
  values: readonly ScalarValue[],
  dictionary: DictionaryView | undefined,
): ValueInterval[] | undefined {
  if (!isShort(values, dictionary !== undefined)) return undefined;
  if (dictionary === undefined) return keyIntervals(values);
  return codeListIntervals(values.map((value) => dictionary.codeOf(String(value))));
}

/** By list, as every segment asks for them, more than once. */
const INTERVALS = new WeakMap<readonly ScalarValue[], ValueInterval[]>();

function keyIntervals(values: readonly ScalarValue[]): ValueInterval[] {
  const known = INTERVALS.get(values) ?? listIntervals(values.map(sortedKey));
  INTERVALS.set(values, known);
  return known;
}

/** Tells whether the values of a list are looked for one by one. */
function isShort(values: readonly ScalarValue[], areCodes: boolean): boolean {
  return values.length <= (areCodes ? SORTED_VALUES_MAX.codes : SORTED_VALUES_MAX.numbers);
}

function hasCodes({ type }: MembershipNode): boolean {
  return "of" in type && (type.of === "string" || type.of === "uuid");
}

function isOfIds({ attribute, on }: MembershipNode): boolean {
  return attribute === "id" && on === "value";
}

/** All ids are found in the same bytes. */
function idNeeds(values: readonly ScalarValue[], view: SegmentView): Need[] {
  const [first] = values;
  return typeof first === "bigint" || typeof first === "string"
    ? [() => void view.ordinalOf(first)]
    : [];
}

/** One hash lookup for each id. */
function* findIds(values: readonly ScalarValue[], view: SegmentView): Steps<OrdinalBits> {
  const bits = emptyBits(view.documentCount);
  for (const [i, value] of values.entries()) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    assert(typeof value === "bigint" || typeof value === "string", "id of another type");
    const ordinal = view.ordinalOf(value);
    if (ordinal !== undefined) setBit(bits, ordinal);
  }
  return bits;
}

/** Marks the entries that are one of `values`. */
function* markListed(
  values: readonly ScalarValue[],
  entries: Entries,
  bits: OrdinalBits,
): Steps<void> {
  const { data, dictionary, start, end } = entries;
  if (dictionary === undefined && values.length === 1 && data.kind !== "bool") {
    const only = { value: values[0], inclusive: true };
    yield* markAll(entries, intervalMarker({ low: only, high: only }, entries, bits));
    return;
  }
  if (dictionary !== undefined) {
    const chosen = yield* chosenCodes(values, dictionary);
    const { codes } = dictionary;
    yield* markAll(entries, (from, to) => {
      for (let i = from; i < to; i++) if (chosen[codes[i]] === 1) setBit(bits, i);
    });
    return;
  }
  const listed = yield* eachOnce(values);
  const read = scalarReader(data);
  for (let i = start; i < end; i++) {
    if (listed.has(read(i))) setBit(bits, i);
    if ((i - start) % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
  }
}

/** Marks the codes whose values are listed, with as few lookups as there are codes or values. */
function* chosenCodes(
  values: readonly ScalarValue[],
  dictionary: DictionaryView,
): Steps<Uint8Array> {
  const { size } = dictionary;
  const chosen = new Uint8Array(size);
  const isLong = values.length > size;
  const listed = isLong ? yield* eachOnce(values) : undefined;
  const count = isLong ? size : values.length;
  for (let i = 0; i < count; i++) {
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
    if (listed !== undefined) {
      chosen[i] = listed.has(dictionary.value(i)) ? 1 : 0;
      continue;
    }
    const code = dictionary.codeOf(String(values[i]));
    if (code >= 0) chosen[code] = 1;
  }
  return chosen;
}

/** By list; each is made once, also for conditions of many documents. */
const SETS = new WeakMap<readonly ScalarValue[], ScalarSet<ScalarValue>>();

function* eachOnce(values: readonly ScalarValue[]): Steps<ScalarSet<ScalarValue>> {
  const known = SETS.get(values);
  if (known !== undefined) return known;
  const set = new ScalarSet<ScalarValue>();
  for (let i = 0; i < values.length; i++) {
    set.add(values[i]);
    if (i % VALUES_PER_STEP === VALUES_PER_STEP - 1) yield;
  }
  SETS.set(values, set);
  return set;
}
