import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { ComputedValue } from "../../model/query-result.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import type { Execution } from "../operator/operator.ts";

/** Gives the member of each of the documents of a segment that are wanted. */
export type ComputeSegment = (
  segment: SegmentSnapshot,
  wanted: OrdinalBits,
) => Steps<(ordinal: number) => ComputedValue>;

/** Computes a member of ranked documents, all documents of a segment at once. */
export function* computeBySegment(
  ranked: readonly RankedDocument[],
  { snapshot: { segments }, togetherInSteps }: Execution,
  compute: ComputeSegment,
): Steps<ComputedValue[]> {
  const members: ComputedValue[] = ranked.map(() => null);
  const bySegment = Map.groupBy(ranked.keys(), (index) => ranked[index].segment);
  yield* togetherInSteps(bySegment, ([segment, indexes]) =>
    computeSegment(ranked, { segment: segments[segment], indexes, members, compute }),
  );
  return members;
}

/** The ranked documents of one segment, and where their members go. */
interface SegmentMembers {
  readonly segment: SegmentSnapshot;
  /** Among the ranked documents. */
  readonly indexes: readonly number[];
  readonly members: ComputedValue[];
  readonly compute: ComputeSegment;
}

function* computeSegment(
  ranked: readonly RankedDocument[],
  { segment, indexes, members, compute }: SegmentMembers,
): Steps<void> {
  const wanted = emptyBits(segment.view.documentCount);
  for (const index of indexes) setBit(wanted, ranked[index].ordinal);
  const memberOf = yield* compute(segment, wanted);
  for (const index of indexes) members[index] = memberOf(ranked[index].ordinal);
}
