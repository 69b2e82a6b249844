import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import { SPARSE_INDEX } from "../../segment/sparse/sparse-index.ts";
import type { ScoreOperator, ScoreRun } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import { eachPostingRange } from "./posting-ranges.ts";
import { noScores, type SegmentScores } from "./segment-scores.ts";

/** The dot product with a sparse vector. */
export interface SparseNode extends ScoreNode {
  readonly kind: "sparse";
  readonly attribute: string;
  readonly entries: readonly (readonly [name: string, weight: number])[];
}

/** Products of sparse vectors. */
export const SPARSE: ScoreOperator<SparseNode> = {
  kind: "sparse",

  needs: ({ attribute, entries }, { view, together }) => [
    () => {
      const sparse = view.index(SPARSE_INDEX, attribute);
      together(
        entries.map(
          ([name]) =>
            () =>
              sparse?.postings(name),
        ),
      );
    },
  ],

  run: scoreVectors,

  explain: ({ attribute, entries }) => [
    `SparseKNN on ${attribute}: ${entries.map(([name]) => name).join(", ")}`,
  ],
};

function* scoreVectors(
  { attribute, entries }: SparseNode,
  { view, work }: ScoreRun,
): Steps<SegmentScores> {
  const { values, scored } = noScores(view.documentCount);
  const sparse = view.index(SPARSE_INDEX, attribute);
  if (sparse === undefined) return { values, scored };
  for (const [name, queryWeight] of entries) {
    const postings = sparse.postings(name);
    if (postings === undefined) continue;
    const { ordinals, weights } = postings;
    work.postingsTouched += ordinals.length;
    yield* eachPostingRange(ordinals.length, (start, end) => {
      for (let i = start; i < end; i++) {
        values[ordinals[i]] += weights[i] * queryWeight;
        setBit(scored, ordinals[i]);
      }
    });
  }
  return { values, scored };
}
