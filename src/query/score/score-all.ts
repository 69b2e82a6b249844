import type { Steps } from "../../base/steps.ts";
import type { ScoredList } from "../documents/scored-list.ts";
import { noScores, type SegmentScores } from "../documents/segment-scores.ts";
import type { ScoreRun } from "../operator/operator.ts";

/** Postings that are scored between two pauses, in some nanoseconds each. */
const POSTINGS_PER_STEP = 32_768;

/** The scores of all documents that some lists have, added up in the order of the lists. */
export function* scoreAll(
  lists: readonly ScoredList[],
  { view, work }: Pick<ScoreRun, "view" | "work">,
): Steps<SegmentScores> {
  const { values, scored } = noScores(view.documentCount);
  for (const list of lists) {
    const { ordinals } = list;
    const count = ordinals.length;
    work.postingsTouched += count;
    for (let start = 0; start < count; start += POSTINGS_PER_STEP) {
      const end = Math.min(start + POSTINGS_PER_STEP, count);
      list.addScores(values, 0, { start, end });
      ordinals.addTo(scored, 0, { start, end });
      yield;
    }
  }
  return { values, scored };
}
