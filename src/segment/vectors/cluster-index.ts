/** Clusters of dense vectors, in segments whose documents are in their order. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeIndex, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import {
  CLUSTERS_SECTION,
  type ClusterView,
  openClusters,
  planClusters,
} from "./cluster-section.ts";
import { openVectorColumn, VECTOR_SECTIONS } from "./vector-section.ts";

/** No schema asks for them: a segment has them if it is large (`segment-reorder.ts`). */
export const CLUSTER_INDEX: AttributeIndex<ClusterView> = {
  name: "clusters",
  sections: [CLUSTERS_SECTION],
  option: undefined,
  isLast: true,
  isWanted: (type) => type.kind === "vector",
  isCurrent: () => true,
  build: () => oneStep(() => []),
  merge,
  open,
  check,
  touch: (sections) => sections.touch([CLUSTERS_SECTION]),
};

function merge({ attribute, clusters }: MergedValues): Steps<SectionPlan[]> {
  return oneStep(() => (clusters === undefined ? [] : [planClusters(attribute, clusters)]));
}

function open(sections: AttributeSections): ClusterView | undefined {
  const section = sections.place(CLUSTERS_SECTION);
  return section && openClusters(section, sections.documentCount);
}

function check(sections: AttributeSections): void {
  const clusters = open(sections);
  if (clusters === undefined) return;
  const description = sections.bytes(VECTOR_SECTIONS.description);
  const dimensions = description && openVectorColumn(description).type.dimensions;
  if (clusters.dimensions !== dimensions) {
    throw corrupt("clusters", "their dimensions are not those of the vectors");
  }
}
