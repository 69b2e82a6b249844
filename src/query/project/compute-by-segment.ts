import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { ComputedValue } from "../../model/query-result.ts";
import { joinReads, type ReadingSteps, readInPlace } from "../../segment/format/reading-steps.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import type { Execution } from "../operator/operator.ts";
import { addWorkStats, newWorkStats, type WorkStats } from "../operator/work-stats.ts";

/** Documents of one segment whose members are wanted. */
export interface WantedDocuments {
  readonly view: SegmentView;
  readonly wanted: OrdinalBits;
  /** Counts what their members cost. */
  readonly work: WorkStats;
  /** Bytes were missing before: what was kept with nodes then is in no count. */
  readonly isRepeated: boolean;
}

/** Gives the member of each of the documents that are wanted. May throw `BytesMissing`. */
export type ComputeSegment = (
  documents: WantedDocuments,
) => Steps<(ordinal: number) => ComputedValue>;

/** Computes a member of ranked documents, all documents of a segment at once. */
export function* computeBySegment(
  ranked: readonly RankedDocument[],
  { snapshot: { segments }, work, options: { memory } }: Execution,
  compute: ComputeSegment,
): ReadingSteps<ComputedValue[]> {
  const members: ComputedValue[] = ranked.map(() => null);
  const bySegment = Map.groupBy(ranked.keys(), (index) => ranked[index].segment);
  const parts = [...bySegment].map(([segment, indexes]) => {
    const part = { view: segments[segment].view, indexes, members, compute };
    let attempts = 0;
    const look = () => computeSegment(ranked, { ...part, isRepeated: attempts++ > 0 });
    return readInPlace(look, memory);
  });
  for (const part of yield* joinReads(parts)) addWorkStats(work, part);
  return members;
}

/** The ranked documents of one segment, and where their members go. */
interface SegmentMembers {
  readonly view: SegmentView;
  /** Among the ranked documents. */
  readonly indexes: readonly number[];
  readonly members: ComputedValue[];
  readonly compute: ComputeSegment;
  readonly isRepeated: boolean;
}

/** Returns what the members cost. */
function* computeSegment(
  ranked: readonly RankedDocument[],
  { view, indexes, members, compute, isRepeated }: SegmentMembers,
): Steps<WorkStats> {
  const wanted = emptyBits(view.documentCount);
  for (const index of indexes) setBit(wanted, ranked[index].ordinal);
  const work = newWorkStats();
  const memberOf = yield* compute({ view, wanted, work, isRepeated });
  for (const index of indexes) members[index] = memberOf(ranked[index].ordinal);
  return work;
}
