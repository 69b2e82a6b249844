import { BYTE_CODE_INDEX } from "../../segment/vectors/byte-code-index.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import { CODE_INDEX } from "../../segment/vectors/code-index.ts";
import { idComparer } from "../documents/document-order.ts";
import type { RankOperator } from "../operator/operator.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { type ProbePlan, probeClusters } from "./cluster-probe.ts";
import {
  explainCodes,
  explainScan,
  rankVectors,
  type VectorRankNode,
  vectorNeeds,
} from "./vector-scan-rank.ts";

/** A ranking that looks at the clusters near the query, and at all candidates without clusters. */
export interface VectorProbeNode extends VectorRankNode {
  readonly kind: "vector_probe";
  readonly probe: ProbePlan;
}

/** Approximate rankings by distance. */
export const VECTOR_PROBE: RankOperator<VectorProbeNode> = {
  kind: "vector_probe",
  comparer: (_node, segments) => idComparer(segments),

  narrow({ target, probe: plan }, segments, { options, work, together, withNeeds }) {
    const { kernels, progress } = options;
    const probe = { plan, target, kernels, work, together, withNeeds, progress };
    return probeClusters(segments, probe);
  },

  rankSegment: rankVectors,
  distOf: (key) => key,

  // Which clusters are looked into depends on those of all segments.
  grain: ({ target }, { segments }) =>
    segments.some(({ view }) => view.hasIndex(CODE_INDEX, target.attribute))
      ? "snapshot"
      : "ordinals",

  needs: ({ target }, { view }) => [
    ...vectorNeeds(target, view),
    () => void view.index(CLUSTER_INDEX, target.attribute),
    () => void view.index(CODE_INDEX, target.attribute),
  ],

  explain: (node, snapshot) => [explainScan(node), ...explainProbe(node, snapshot)],
};

/** Nothing where no segment has codes. */
function explainProbe({ target, probe }: VectorProbeNode, { segments }: Snapshot): string[] {
  const { attribute } = target;
  const without = segments.filter(({ view }) => !view.hasIndex(CODE_INDEX, attribute));
  const fresh = without.filter(({ view }) => view.hasIndex(BYTE_CODE_INDEX, attribute)).length;
  const coded = segments.length - without.length;
  const lines = coded === 0 ? [] : explainWalk(probe, coded, segments.length);
  if (fresh === 0) return lines;
  const where = `${coded === 0 ? "but" : "and"} in ${fresh} of ${segments.length} segments`;
  return [...lines, ...explainCodes(where, probe.wanted)];
}

const GIVEN_UP = ", or all byte codes of those would cost less";

function explainWalk(probe: ProbePlan, codedCount: number, segmentCount: number): string[] {
  const { wanted, missedMax, atCost, exactMatchesMax, unaskedShare } = probe;
  const missed = Number(missedMax.toFixed(2));
  const most = atCost && Number(atCost.missedMax.toFixed(2));
  const more = most === undefined ? "" : `, or ${most} in far too many clusters`;
  const where = `${codedCount} of ${segmentCount} segments`;
  return [
    `  but in ${where} by codes, cluster by cluster, until all others are expected to have`,
    `  less than ${missed} of the best ${wanted}${more}; exactly where bounds overlap, or up to`,
    `  ${exactMatchesMax} match there${unaskedShare === undefined ? "" : GIVEN_UP}`,
  ];
}
