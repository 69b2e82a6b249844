import type { Steps } from "../../base/steps.ts";
import { BYTE_CODE_INDEX } from "../../segment/vectors/byte-code-index.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { idComparer } from "../documents/document-order.ts";
import type { Execution, Need, RankOperator, RankPart } from "../operator/operator.ts";
import type { RankNode, VectorTarget } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { narrowByCodes } from "./narrow-by-codes.ts";
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
  /** Results that are wanted; undefined where it may be any number, or where codes do not help. */
  readonly wanted: number | undefined;
}

/** Exact rankings by distance: the key of a document is its distance. */
export const VECTOR_SCAN: RankOperator<VectorScanNode> = {
  kind: "vector_scan",
  comparer: (_node, segments) => idComparer(segments),
  narrows: ({ wanted, target }, { segments }) =>
    wanted !== undefined &&
    segments.some(({ view }) => view.hasIndex(BYTE_CODE_INDEX, target.attribute)),

  narrow({ target, wanted = 1 }, segments, { options, work, together }) {
    const { kernels, progress } = options;
    return narrowByCodes(segments, { target, wanted, kernels, work, together, progress });
  },

  rankSegment: rankVectors,
  distOf: (key) => key,
  grain: () => "ordinals",
  needs: ({ target }, { view }) => vectorNeeds(target, view),
  explain: (node, snapshot) => [explainScan(node), ...explainNarrow(node, snapshot)],
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
  yield* scanVectors(scan, segment.view, matching, (ordinals, distances) =>
    ranking.offerAll(distances, index, ordinals),
  );
}

/** Looks at where vectors and codes are, not at them: vectors come in waves. */
export function vectorNeeds({ attribute }: VectorTarget, view: SegmentView): Need[] {
  return [
    () => void view.column(attribute)?.column,
    () => void view.index(BYTE_CODE_INDEX, attribute),
  ];
}

/** Nothing where no segment has codes that help. */
function explainNarrow({ target, wanted }: VectorScanNode, { segments }: Snapshot): string[] {
  const { attribute } = target;
  const coded = segments.filter(({ view }) => view.hasIndex(BYTE_CODE_INDEX, attribute)).length;
  if (coded === 0 || wanted === undefined) return [];
  return explainCodes(`but in ${coded} of ${segments.length} segments`, wanted);
}

/** Lines about segments of which only some matches are compared, by codes of all. */
export function explainCodes(where: string, wanted: number): string[] {
  return [
    `  ${where} of what may be among the best ${wanted} by`,
    "  codes of all matches, whose bounds always hold",
  ];
}

/** One line. */
export function explainScan({ method, access, target }: VectorRankNode): string {
  const how = access === "scan" ? "exact scan of all vectors" : "exact scan of the matches";
  return `Rank: ${method} on ${target.attribute} (${target.metric}), ${how}`;
}
