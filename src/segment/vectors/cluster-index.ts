/** Clusters of dense vectors, and of the vectors of documents that have several. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import { COLUMN_INDEX } from "../columns/column-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex, MergedValues } from "../view/attribute-index.ts";
import {
  CLUSTER_SECTIONS,
  type ClusterView,
  checkInnerOrdinals,
  checkOrdinals,
  hasClusters,
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
  isWanted: hasClusters,
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
  const { ordinals, isInner } = clusters;
  const column = isInner ? COLUMN_INDEX.open(sections) : undefined;
  const description = sections.bytes(VECTOR_SECTIONS.description);
  const type = column?.type ?? (description && openVectorColumn(description).type);
  const dimensions = type !== undefined && "dimensions" in type ? type.dimensions : undefined;
  if (clusters.dimensions !== dimensions) {
    throw corrupt("clusters", "their dimensions are not those of the vectors");
  }
  if (ordinals === undefined) return;
  if (column?.data.kind === "multi_vector") checkInnerOrdinals(ordinals, column.data.offsets);
  else checkOrdinals(ordinals, sections.documentCount);
}
