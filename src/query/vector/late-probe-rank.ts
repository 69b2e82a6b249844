import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import { CODE_INDEX } from "../../segment/vectors/code-index.ts";
import { idComparer } from "../documents/document-order.ts";
import type { RankOperator } from "../operator/operator.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { type LateProbe, type LateProbePlan, probeInnerVectors } from "./late-probe.ts";
import { explainScan, rankVectors, type VectorRankNode, vectorNeeds } from "./vector-scan-rank.ts";

/**
 * A ranking by several vectors that compares the documents which their codes say are nearest, and
 * all candidates where there are no codes.
 */
export interface LateProbeNode extends VectorRankNode {
  readonly kind: "late_probe";
  readonly target: LateProbe["target"];
  readonly probe: LateProbePlan;
}

/** Approximate rankings by the distance of several vectors. */
export const LATE_PROBE: RankOperator<LateProbeNode> = {
  kind: "late_probe",
  comparer: (_node, segments) => idComparer(segments),
  narrows: (node, snapshot) => codedCount(node, snapshot) > 0,

  narrow({ target, probe: plan }, segments, execution) {
    const { options, work, together, togetherInSteps, withNeeds } = execution;
    const { kernels, memory } = options;
    const probe = { plan, target, kernels, work, together, togetherInSteps, withNeeds, memory };
    return probeInnerVectors(segments, probe);
  },

  rankSegment: rankVectors,
  distOf: (key) => key,

  // Which documents are compared depends on those of all segments.
  grain: (node, snapshot) => (codedCount(node, snapshot) > 0 ? "snapshot" : "ordinals"),

  needs: ({ target }, { view }) => [
    ...vectorNeeds(target, view),
    () => void view.index(CLUSTER_INDEX, target.attribute),
    () => void view.index(CODE_INDEX, target.attribute),
  ],

  explain: (node, snapshot) => [explainScan(node), ...explainProbe(node, snapshot)],
};

function codedCount({ target }: LateProbeNode, { segments }: Snapshot): number {
  return segments.filter(({ view }) => view.hasIndex(CODE_INDEX, target.attribute)).length;
}

/** Nothing where no segment has clusters. */
function explainProbe(node: LateProbeNode, snapshot: Snapshot): string[] {
  const coded = codedCount(node, snapshot);
  if (coded === 0) return [];
  const { vectors, vectorShare, candidates, exactVectorsMax } = node.probe;
  const share = Number((100 * vectorShare).toFixed(1));
  const where = `${coded} of ${snapshot.segments.length} segments`;
  return [
    `  but in ${where} of the best ${candidates} documents by`,
    `  codes of the ${vectors} vectors, or ${share} %, that are about nearest to each of`,
    `  ${node.target.query.length}; exactly where up to ${exactVectorsMax} vectors match there`,
  ];
}
