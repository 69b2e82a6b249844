/** Finds the live documents of segments that match a predicate. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { IdType } from "../../model/attribute-type.ts";
import { type HashedIds, hashIds } from "../../segment/ids/id-section.ts";
import type { SegmentSnapshot } from "../../segment/segment-view.ts";
import type { Operators, Together, TogetherInSteps } from "../plan/operator.ts";
import type { Predicate } from "../plan/plan.ts";
import type { WorkStats } from "../work-stats.ts";
import { matchesAll } from "./and.ts";
import { bitsOf, type MatchedDocuments } from "./matched-documents.ts";

/** Ids that are looked up between two pauses: some 100 ns each. */
const IDS_PER_STEP = 4096;

/** Finds the matches of one segment. */
export type Matcher = (segment: SegmentSnapshot) => Steps<MatchedDocuments>;

/** What matchers work with. */
export interface MatcherOptions {
  /** Undefined where no document has been written yet. */
  readonly idType: IdType | undefined;
  readonly work: WorkStats;
  readonly operators: Operators;
  readonly together: Together;
  readonly togetherInSteps: TogetherInSteps;
}

/** Makes the matcher of a predicate. */
export function matcherOf(predicate: Predicate, options: MatcherOptions): Matcher {
  const { idType, work, operators } = options;
  const operator = operators.predicate(predicate);
  const found = operator.lookup?.(predicate, operators);
  if (found !== undefined && idType !== undefined) {
    const ids = hashIds(idType, found.ids);
    return (segment) => lookUp(ids, found.rest, segment, options);
  }
  if (matchesAll(predicate)) {
    return ({ liveBitmap, liveCount }) =>
      oneStep(() => {
        work.documentsScanned += liveCount;
        return { form: "bits", bits: liveBitmap, count: liveCount };
      });
  }
  return (segment) => filterSegment(predicate, segment, options);
}

function* filterSegment(
  predicate: Predicate,
  { view, liveBitmap, liveCount }: SegmentSnapshot,
  { operators, together, togetherInSteps, work }: MatcherOptions,
): Steps<MatchedDocuments> {
  work.documentsScanned += liveCount;
  const run = { view, within: liveBitmap, operators, together, togetherInSteps };
  const bits = yield* operators.predicate(predicate).run(predicate, run);
  return { form: "bits", bits, count: undefined };
}

/** Looks at nothing but the documents with the ids: O(ids), whatever the size of the segment. */
function* lookUp(
  ids: HashedIds,
  rest: Predicate,
  { view, liveBitmap }: SegmentSnapshot,
  { operators, together, togetherInSteps, work }: MatcherOptions,
): Steps<MatchedDocuments> {
  const found: number[] = [];
  for (let i = 0; i < ids.ids.length; i++) {
    const ordinal = view.ordinalAt(ids, i);
    if (ordinal !== undefined && hasBit(liveBitmap, ordinal)) found.push(ordinal);
    if (i % IDS_PER_STEP === IDS_PER_STEP - 1) yield;
  }
  // An id may be listed twice.
  const ordinals = Uint32Array.from(new Set(found)).sort();
  work.documentsScanned += ordinals.length;
  if (ordinals.length === 0 || matchesAll(rest)) return { form: "list", ordinals };
  const within = bitsOf(ordinals, view);
  const run = { view, within, operators, together, togetherInSteps };
  const bits = yield* operators.predicate(rest).run(rest, run);
  return { form: "bits", bits, count: undefined };
}
