/** The live documents of segments that match a predicate. */

import { countBits, hasBit, setBit } from "../codec/bitmap.ts";
import type { IdType } from "../model/attribute-type.ts";
import type { DocumentId } from "../model/value.ts";
import { type HashedIds, hashIds } from "../segment/ids/id-section.ts";
import type { SegmentSnapshot, SegmentView } from "../segment/segment-view.ts";
import { filterSegment } from "./filter-segment.ts";
import { emptyBits, forEachPart, type OrdinalBits, type VisitPart } from "./ordinal-bits.ts";
import { type AttributeTest, MATCH_ALL, type Predicate } from "./predicate.ts";
import type { WorkCounters } from "./work-stats.ts";

/** Matching documents of one segment, in the form in which they were found. */
export type Matching =
  | { readonly form: "bits"; readonly bits: OrdinalBits; readonly count: number | undefined }
  /** Few, ascending. */
  | { readonly form: "list"; readonly ordinals: Uint32Array };

/** Finds the matches of one segment. */
export type Matcher = (segment: SegmentSnapshot) => Matching;

/** Makes the matcher of a predicate over segments whose ids are of a type. */
export function matcherOf(
  predicate: Predicate,
  idType: IdType | undefined,
  work: WorkCounters,
): Matcher {
  const parts = predicate.kind === "and" ? predicate.predicates : [predicate];
  const byId = parts.find(isIdList);
  if (byId !== undefined && idType !== undefined) {
    const ids = hashIds(idType, idsOf(byId));
    const others = parts.filter((part) => part !== byId);
    const rest: Predicate = { kind: "and", predicates: others };
    return (segment) => lookUp(ids, others.length === 0 ? MATCH_ALL : rest, segment, work);
  }
  return ({ view, live, liveCount }) => {
    work.documentsScanned += liveCount;
    if (parts.length === 0) return { form: "bits", bits: live, count: liveCount };
    return { form: "bits", bits: filterSegment(predicate, view, live), count: undefined };
  };
}

/** How many documents match. */
export function matchCount(matching: Matching): number {
  if (matching.form === "list") return matching.ordinals.length;
  return matching.count ?? countBits(matching.bits);
}

/** The matches as a set; not to be changed. */
export function matchBits(matching: Matching, view: SegmentView): OrdinalBits {
  return matching.form === "list" ? bitsOf(matching.ordinals, view) : matching.bits;
}

/** Calls `visit` with the matches, ascending, as `forEachPart` does; a list is one part. */
export function forEachMatch(matching: Matching, visit: VisitPart): void {
  if (matching.form === "bits") {
    forEachPart(matching.bits, visit);
    return;
  }
  const { ordinals } = matching;
  if (ordinals.length > 0) visit(ordinals, new Float64Array(ordinals.length));
}

/** Looks at nothing but the documents with the ids: O(ids), whatever the size of the segment. */
function lookUp(
  ids: HashedIds,
  rest: Predicate,
  { view, live }: SegmentSnapshot,
  work: WorkCounters,
): Matching {
  const found: number[] = [];
  for (let i = 0; i < ids.ids.length; i++) {
    const ordinal = view.ordinalAt(ids, i);
    if (ordinal !== undefined && hasBit(live, ordinal)) found.push(ordinal);
  }
  work.documentsScanned += found.length;
  const ordinals = Uint32Array.from(found).sort();
  if (found.length === 0 || rest === MATCH_ALL) return { form: "list", ordinals };
  const bits = filterSegment(rest, view, bitsOf(ordinals, view));
  return { form: "bits", bits, count: undefined };
}

function bitsOf(ordinals: Uint32Array, view: SegmentView): OrdinalBits {
  const bits = emptyBits(view.documentCount);
  for (const ordinal of ordinals) setBit(bits, ordinal);
  return bits;
}

function isIdList(predicate: Predicate): predicate is AttributeTest {
  if (predicate.kind !== "test" || predicate.attribute !== "id") return false;
  return predicate.test.kind === "scalar" && predicate.test.set.kind === "list";
}

function idsOf({ test }: AttributeTest): readonly DocumentId[] {
  return test.kind === "scalar" && test.set.kind === "list"
    ? (test.set.values as readonly DocumentId[])
    : [];
}
