/**
 * Ranks documents by an attribute in the order of its sorted values, until enough were met: all
 * that have the value of the last one, so that further keys and ids decide among them.
 */

import type { Steps } from "../../base/steps.ts";
import { clearBit, hasBit } from "../../codec/bitmap.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import { type OrderKey, orderHints } from "../documents/document-order.ts";
import type { Interval } from "../documents/interval.ts";
import { type MatchedDocuments, matchBits, matchCount } from "../documents/matched-documents.ts";
import { andBits, eachPart, invertBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import { attributeSource, presentIn } from "../filter/attribute-source.ts";
import { rangeOf, type SortedKey, sortedIntervals } from "../filter/sorted-cut.ts";
import { type SortedSource, sortedSource } from "../filter/sorted-order.ts";
import type { RankPart } from "../operator/operator.ts";
import type { WorkStats } from "../operator/work-stats.ts";
import { walkPays } from "./pick-walk.ts";

/** Entries that a walk takes at a time, and after which it looks whether that was enough. */
export const WALK_PART = 1024;
/** Parts between two pauses. */
const PARTS_PER_STEP = 64;

/** A walk through the entries of one segment. */
export interface OrderWalk {
  readonly key: OrderKey;
  readonly source: SortedSource;
  /** Entries that have all matches with a value. */
  readonly start: number;
  readonly end: number;
  readonly matches: number;
}

/** The entries among which the matches of a segment lie; undefined if there is no order to walk. */
export function entriesWithin(
  { attribute }: OrderKey,
  within: Interval | undefined,
  view: SegmentView,
): { readonly source: SortedSource; readonly start: number; readonly end: number } | undefined {
  const source = sortedSource(attribute, view);
  if (source === undefined || source.sorted.ordinalCount === 0) return undefined;
  const { sorted, keys, dictionary } = source;
  if (within === undefined) return { source, start: 0, end: sorted.entryCount };
  const [interval] = sortedIntervals(within, dictionary);
  if (interval === undefined) return { source, start: 0, end: 0 };
  const { start, end } = rangeOf(keys, interval);
  return { source, start: start.from, end: Math.max(start.from, end.to) };
}

/** The walk that costs less than to rank all matches; undefined if there is none. */
export function pickWalk(
  key: OrderKey,
  within: Interval | undefined,
  { segment: { view }, matching, ranking: { enough } }: RankPart,
): OrderWalk | undefined {
  if (matching.form === "list") return undefined;
  const found = entriesWithin(key, within, view);
  if (found === undefined) return undefined;
  const { source, start, end } = found;
  const { isExact, entryCount, keyCount } = source.keys;
  const matches = matchCount(matching);
  const valueEntries = isExact ? entryCount / keyCount : 1;
  const shape = { entries: end - start, valueEntries, matches, capacity: enough };
  return walkPays(shape) ? { key, source, start, end, matches } : undefined;
}

/**
 * Offers matches in order until no further one can be among the best. Returns those that are still
 * to be ranked, where the walk met so few that it costs more than to rank all of them, or came to
 * entries that are not in memory.
 */
export function* walkOrder(
  { key, source, start, end, matches }: OrderWalk,
  { segment, index, matching, ranking }: RankPart,
  work: WorkStats,
): Steps<MatchedDocuments | undefined> {
  const { view } = segment;
  const bits = matchBits(matching, view);
  const isRising = key.direction === "asc";
  const writeHints = orderHints(segment, key);
  const offer = (ordinals: Uint32Array, hints: Float64Array): void => {
    writeHints(ordinals, hints);
    ranking.offerAll(hints, index, ordinals);
  };
  const absent = absentOf(key, segment, bits);
  if (isRising && absent !== undefined) yield* eachPart(absent, offer);
  if (ranking.worstKey === Number.NEGATIVE_INFINITY) return undefined;
  const { sorted } = source;
  const isUnique = key.attribute === "id";
  const enough = new EnoughMet(ranking.enough, isUnique ? undefined : source.valueAt);
  const picked = new Uint32Array(WALK_PART);
  const hints = new Float64Array(WALK_PART);
  let walked = 0;
  for (let part = 1; walked < end - start; part++) {
    if (part % PARTS_PER_STEP === 0) yield;
    const count = Math.min(WALK_PART, end - start - walked);
    const first = isRising ? start + walked : end - walked - count;
    const entries = walked > matches ? undefined : sorted.peekEntries(first, first + count);
    if (entries === undefined) {
      const rest = isRising ? { from: start, to: first } : { from: first + count, to: end };
      return withoutMet(bits, absent, { ...rest, isRising, source });
    }
    walked += count;
    work.entriesTouched += count;
    const found = pickMatches(entries, bits, picked);
    if (found === 0) continue;
    if (!isRising) picked.subarray(0, found).reverse();
    const ordinals = picked.subarray(0, enough.wanted(found));
    offer(ordinals, hints);
    if (enough.isMet(ordinals)) return undefined;
    if (hints[ordinals.length - 1] > ranking.worstKey) return undefined;
  }
  if (!isRising && absent !== undefined) yield* eachPart(absent, offer);
  return undefined;
}

/** The matches among some entries, in their order; returns how many there are. */
function pickMatches(entries: Uint32Array, bits: OrdinalBits, into: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < entries.length; i++) {
    const ordinal = entries[i];
    into[count] = ordinal;
    count += (bits[ordinal >>> 5] >>> (ordinal & 31)) & 1;
  }
  return count;
}

/** Stops a walk after `capacity` matches and those that have the same value as the last of them. */
class EnoughMet {
  readonly #capacity: number;
  readonly #valueAt: ((ordinal: number) => SortedKey) | undefined;
  #count = 0;
  /** The value of the last one that is wanted. */
  #last: SortedKey | undefined;

  /** Without `valueAt` no two documents have one value. */
  constructor(capacity: number, valueAt: ((ordinal: number) => SortedKey) | undefined) {
    this.#capacity = capacity;
    this.#valueAt = valueAt;
  }

  /** How many of the next matches may be among the best. */
  wanted(found: number): number {
    return this.#valueAt === undefined ? Math.min(found, this.#capacity - this.#count) : found;
  }

  isMet(ordinals: Uint32Array): boolean {
    const wanted = this.#capacity - this.#count;
    this.#count += ordinals.length;
    if (this.#valueAt === undefined) return this.#count >= this.#capacity;
    if (wanted > 0 && wanted <= ordinals.length) this.#last = this.#valueAt(ordinals[wanted - 1]);
    if (this.#last === undefined) return false;
    return this.#valueAt(ordinals[ordinals.length - 1]) !== this.#last;
  }
}

/** The matches without a value; undefined if all documents have one. */
function absentOf(
  { attribute }: OrderKey,
  { view }: SegmentSnapshot,
  bits: OrdinalBits,
): OrdinalBits | undefined {
  const { documentCount } = view;
  const source = attributeSource(attribute, view);
  if (source !== undefined && source.presence === undefined) return undefined;
  return andBits(invertBits(presentIn(source, documentCount), documentCount), bits);
}

/** The matches that a walk did not come to. */
function withoutMet(
  bits: OrdinalBits,
  absent: OrdinalBits | undefined,
  met: {
    readonly from: number;
    readonly to: number;
    readonly isRising: boolean;
    readonly source: SortedSource;
  },
): MatchedDocuments {
  const rest = bits.slice();
  for (const ordinal of met.source.sorted.entries(met.from, met.to)) {
    if (hasBit(rest, ordinal)) clearBit(rest, ordinal);
  }
  if (met.isRising && absent !== undefined) {
    for (let w = 0; w < rest.length; w++) rest[w] &= ~absent[w];
  }
  return { form: "bits", bits: rest, count: undefined };
}
