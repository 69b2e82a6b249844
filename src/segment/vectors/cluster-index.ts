/** Clusters of dense vectors. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeIndex, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import {
  CLUSTER_SECTIONS,
  type ClusterView,
  checkOrdinals,
  openClusters,
  planClusters,
} from "./cluster-section.ts";
import { openVectorColumn, VECTOR_SECTIONS } from "./vector-section.ts";

const KINDS = Object.values(CLUSTER_SECTIONS);

/** No schema asks for them: a segment has them if it is large (`segment-reorder.ts`). */
export const CLUSTER_INDEX: AttributeIndex<ClusterView> = {
  name: "clusters",
  sections: KINDS,
  option: undefined,
  isLast: true,
  isWanted: (type) => type.kind === "vector",
  isCurrent: () => true,
  build: () => oneStep(() => []),
  merge,
  open: openClusters,
  check,
  touch: (sections) => sections.touch(KINDS),
};

function merge({ attribute, clusters }: MergedValues): Steps<SectionPlan[]> {
  return oneStep(() => (clusters === undefined ? [] : [planClusters(attribute, clusters)]));
}

function check(sections: AttributeSections): void {
  const clusters = openClusters(sections);
  if (clusters === undefined) return;
  const description = sections.bytes(VECTOR_SECTIONS.description);
  const dimensions = description && openVectorColumn(description).type.dimensions;
  if (clusters.dimensions !== dimensions) {
    throw corrupt("clusters", "their dimensions are not those of the vectors");
  }
  const { ordinals } = clusters;
  if (ordinals !== undefined) checkOrdinals(ordinals, sections.documentCount);
}
