import type { Steps } from "../../base/steps.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { matchBits } from "../filter/matched-documents.ts";
import { idComparer } from "../order/document-order.ts";
import type { Execution, Need, RankOperator, RankPart } from "../plan/operator.ts";
import type { RankNode, VectorTarget } from "../plan/plan.ts";
import { scanVectors } from "./vector-scan.ts";

/** A ranking by distance to a query vector. */
export interface VectorRankNode extends RankNode {
  /** As the query calls it; only `ANN` may miss documents. */
  readonly method: "ANN" | "kNN";
  /** `scan` reads all vectors of a segment in order, `gather` only those of the candidates. */
  readonly access: "scan" | "gather";
  readonly target: VectorTarget;
}

/** A ranking that looks at all candidates. */
export interface VectorScanNode extends VectorRankNode {
  readonly kind: "vector_scan";
}

/** Exact rankings by distance: the key of a document is its distance. */
export const VECTOR_SCAN: RankOperator<VectorScanNode> = {
  kind: "vector_scan",
  comparer: (_node, segments) => idComparer(segments),
  rankSegment: rankVectors,
  distOf: (key) => key,
  grain: () => "ordinals",
  needs: ({ target }, { view }) => vectorNeeds(target, view),
  explain: (node) => [explainScan(node)],
};

/** Offers the documents of a part that have a vector. */
export function* rankVectors(
  node: VectorRankNode,
  part: RankPart,
  execution: Execution,
): Steps<void> {
  const { segment, index, matching, isNarrowed, ranking } = part;
  const { options, work, together } = execution;
  const { kernels, progress } = options;
  const { target } = node;
  const access = isNarrowed ? "gather" : node.access;
  const scan = { target, access, kernels, work, progress, together, threshold: ranking } as const;
  const matches = matchBits(matching, segment.view);
  yield* scanVectors(scan, segment.view, matches, (ordinals, distances) =>
    ranking.offerAll(distances, index, ordinals),
  );
}

/** Looks at where the vectors are, not at the vectors: those come in waves. */
export function vectorNeeds({ attribute }: VectorTarget, view: SegmentView): Need[] {
  return [() => void view.column(attribute)?.column];
}

/** One line. */
export function explainScan({ method, access, target }: VectorRankNode): string {
  const how = access === "scan" ? "exact scan of all vectors" : "exact scan of the matches";
  return `Rank: ${method} on ${target.attribute} (${target.metric}), ${how}`;
}
