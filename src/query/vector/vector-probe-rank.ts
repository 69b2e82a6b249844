import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import { idComparer } from "../order/document-order.ts";
import type { RankOperator } from "../plan/operator.ts";
import type { Snapshot } from "../snapshot.ts";
import { type ProbePlan, probeClusters } from "./cluster-probe.ts";
import { explainScan, rankVectors, type VectorRankNode, vectorNeeds } from "./vector-scan-rank.ts";

/** A ranking that looks at the clusters near the query, and at all candidates without clusters. */
export interface VectorProbeNode extends VectorRankNode {
  readonly kind: "vector_probe";
  readonly probe: ProbePlan;
}

/** Approximate rankings by distance. */
export const VECTOR_PROBE: RankOperator<VectorProbeNode> = {
  kind: "vector_probe",
  comparer: (_node, segments) => idComparer(segments),

  narrow: ({ target, probe }, segments, { options, work }) =>
    probeClusters(segments, { plan: probe, target, kernels: options.kernels, work }),

  rankSegment: rankVectors,
  distOf: (key) => key,

  // Which clusters are looked into depends on those of all segments.
  grain: ({ target }, { segments }) =>
    segments.some(({ view }) => view.hasIndex(CLUSTER_INDEX, target.attribute))
      ? "snapshot"
      : "ordinals",

  needs: ({ target }, { view }) => [
    ...vectorNeeds(target, view),
    () => void view.index(CLUSTER_INDEX, target.attribute),
  ],

  explain: (node, snapshot) => [explainScan(node), ...explainProbe(node, snapshot)],
};

/** Nothing where no segment has clusters. */
function explainProbe({ target, probe }: VectorProbeNode, { segments }: Snapshot): string[] {
  const { exactMatchesMax, matchesMin, perRoot } = probe;
  const clustered = segments.filter(({ view }) =>
    view.hasIndex(CLUSTER_INDEX, target.attribute),
  ).length;
  if (clustered === 0) return [];
  const wanted = `${perRoot}·√matches of them, at least ${matchesMin}`;
  return [
    `  but in ${clustered} of ${segments.length} segments the nearest clusters only, if more than`,
    `  ${exactMatchesMax} match there: those with ${wanted}`,
  ];
}
