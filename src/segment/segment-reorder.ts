/**
 * A segment with its rows in another order: by cluster of the vectors that are searched most, so
 * that a search which looks at few clusters reads few ranges. Nothing else about it changes.
 */

import { hasValue } from "../codec/columns-value.ts";
import { mainVectorAttribute, type Schema } from "../model/schema.ts";
import type { KernelSpace } from "../vector/centroids.ts";
import { clusterRows } from "../vector/cluster-rows.ts";
import type { SectionPlan, SegmentPlan } from "./segment-format.ts";
import { planRows } from "./segment-merger.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { type Clusters, planClusters } from "./vectors/cluster-section.ts";

/** What a segment is clustered with. */
export interface ClusterTools {
  readonly kernels: KernelSpace;
  /** With fewer vectors a segment is not clustered. */
  readonly rowsMin: number;
  /** Rows of a cluster, about; as the machine likes it if undefined. */
  readonly clusterRows?: number | undefined;
}

/**
 * Plans a segment, of which all is in memory, with its rows by cluster; undefined if it has too few
 * vectors for that. `inputs` are the segments that it was merged of: centroids of the largest are
 * used again. The segment must stay until the plan is written.
 */
export function planClustered(
  view: OpenSegment,
  schema: Schema,
  inputs: readonly OpenSegment[],
  tools: ClusterTools,
): SegmentPlan | undefined {
  const attribute = mainVectorAttribute(schema);
  if (attribute === undefined) return undefined;
  const { type, ann } = schema.attributes.get(attribute) ?? {};
  const metric = ann?.distanceMetric ?? schema.distanceMetric;
  const placed = view.column(attribute)?.placed;
  if (type?.kind !== "vector" || metric === undefined || placed === undefined) return undefined;
  const { dimensions, element: format } = type;
  const rows: number[] = [];
  const absent: number[] = [];
  for (let o = 0; o < view.documentCount; o++) (hasValue(placed, o) ? rows : absent).push(o);
  if (rows.length < Math.max(1, tools.rowsMin)) return undefined;
  const { inverseNorms } = placed.description;
  const vectors = { ...placed.vectors, format, dimensions, inverseNorms };
  const known = knownCentroids(attribute, inputs, { metric, dimensions });
  const choice = { metric, known, clusterRows: tools.clusterRows };
  const found = clusterRows(vectors, Uint32Array.from(rows), choice, tools.kernels);
  const { starts, centroids } = found;
  const order = new Uint32Array(view.documentCount);
  order.set(found.order);
  order.set(absent, found.order.length);
  const clusters = planClusters(attribute, { metric, dimensions, starts, centroids });
  return planReordered(view, order, schema, [clusters]);
}

/**
 * Plans a segment with the documents of `view`, all of which are in `order` by their old ordinals,
 * and with more sections. Indexes are those that the schema asks for.
 */
export function planReordered(
  view: OpenSegment,
  order: Uint32Array,
  schema: Schema,
  more: readonly SectionPlan[] = [],
): SegmentPlan {
  const newOrdinals = new Uint32Array(order.length);
  for (let o = 0; o < order.length; o++) newOrdinals[order[o]] = o;
  return planRows([{ view, ordinals: order, newOrdinals }], schema, more);
}

/** Centroids of the largest input that has such clusters. */
function knownCentroids(
  attribute: string,
  inputs: readonly OpenSegment[],
  like: Pick<Clusters, "metric" | "dimensions">,
): Float32Array | undefined {
  let known: Clusters | undefined;
  const rowsOf = (clusters: Clusters | undefined) => clusters?.starts.at(-1) ?? 0;
  for (const input of inputs) {
    const clusters = input.clusters(attribute);
    if (clusters?.metric !== like.metric || clusters.dimensions !== like.dimensions) continue;
    if (rowsOf(clusters) > rowsOf(known)) known = clusters;
  }
  return known?.centroids;
}
