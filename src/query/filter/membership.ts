import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import { compareScalars, type DocumentId, type ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { scalarReader } from "../column-values.ts";
import { andBits, emptyBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { Need, PredicateOperator } from "../plan/operator.ts";
import { MATCH_ALL } from "./and.ts";
import { attributeNeeds, attributeSource } from "./attribute-source.ts";
import { intervalMarker } from "./match-interval.ts";
import {
  type Entries,
  type Marker,
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  valueMatches,
  valueText,
} from "./value-node.ts";

/** A value is one of a list. Null does not match. */
export interface MembershipNode extends ValueNode {
  readonly kind: "membership";
  /** Ascending and unique, of the attribute's type; see `uniqueValues`. */
  readonly values: readonly ScalarValue[];
}

/** Values as `MembershipNode` has them. */
export function uniqueValues(values: readonly ScalarValue[]): ScalarValue[] {
  const sorted = [...values].sort(compareScalars);
  return sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
}

/** Ids that are looked up between two pauses. */
const IDS_PER_STEP = 4096;
/** Most values of a list that are printed. */
const PRINTED_VALUES_MAX = 10;

/** Equality, and lists of values. */
export const MEMBERSHIP: PredicateOperator<MembershipNode> = {
  kind: "membership",

  cost: (node) => (isOfIds(node) ? 0 : 1),

  // Few ids are looked up, whatever the size of the snapshot.
  grain: (node) => (isOfIds(node) ? "snapshot" : "ordinals"),

  lookup: (node) =>
    isOfIds(node) ? { ids: node.values as readonly DocumentId[], rest: MATCH_ALL } : undefined,

  needs: (node, { view }) =>
    isOfIds(node) ? idNeeds(node.values, view) : attributeNeeds(node.attribute, view),

  *run(node, { view, within }) {
    const { attribute, values } = node;
    if (isOfIds(node)) return andBits(yield* findIds(values, view), within);
    const source = attributeSource(attribute, view);
    return yield* matchValues(node, source, { view, within }, (entries, bits) =>
      markAll(entries, listedMarker(values, entries, bits)),
    );
  },

  matches: (node, { current }) =>
    valueMatches(node, current(node.attribute), (value) => hasListed(node.values, value)),

  explain: (node, label) => {
    const { values, type } = node;
    const shown = values.slice(0, PRINTED_VALUES_MAX).map((value) => valueText(value, type));
    const rest = values.length - PRINTED_VALUES_MAX;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return [`${label}: ${subjectText(node)} is one of ${shown.join(", ")}${more}`];
  },
};

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
    if (i % IDS_PER_STEP === IDS_PER_STEP - 1) yield;
    assert(typeof value === "bigint" || typeof value === "string", "id of another type");
    const ordinal = view.ordinalOf(value);
    if (ordinal !== undefined) setBit(bits, ordinal);
  }
  return bits;
}

/** Marks the entries that are one of `values`. */
export function listedMarker(
  values: readonly ScalarValue[],
  entries: Entries,
  bits: OrdinalBits,
): Marker {
  const { data, dictionary } = entries;
  if (dictionary === undefined && values.length === 1 && data.kind !== "bool") {
    const only = { value: values[0], inclusive: true };
    return intervalMarker({ low: only, high: only }, entries, bits);
  }
  if (dictionary !== undefined) {
    const chosen = new Uint8Array(dictionary.size);
    for (const value of values) {
      const code = dictionary.codeOf(String(value));
      if (code >= 0) chosen[code] = 1;
    }
    const { codes } = dictionary;
    return (start, end) => {
      for (let i = start; i < end; i++) if (chosen[codes[i]] === 1) setBit(bits, i);
    };
  }
  const listed = new Set(values);
  const read = scalarReader(data);
  return (start, end) => {
    for (let i = start; i < end; i++) if (listed.has(read(i))) setBit(bits, i);
  };
}

/** Takes time that grows with the logarithm of the list's length. */
function hasListed(values: readonly ScalarValue[], value: ScalarValue): boolean {
  let start = 0;
  let end = values.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    const order = compareScalars(values[middle], value);
    if (order === 0) return true;
    if (order < 0) start = middle + 1;
    else end = middle;
  }
  return false;
}
