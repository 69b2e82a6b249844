/**
 * A segment with its rows in another order: by cluster of the vectors that are searched most, so
 * that a search which looks at few clusters reads few ranges. Nothing else about it changes.
 */

import { runSteps } from "../base/steps.ts";
import { hasValue } from "../codec/columns-value.ts";
import { mainVectorAttribute, type Schema } from "../model/schema.ts";
import { columnOf } from "../model/stored-columns.ts";
import type { KernelSpace } from "../vector/centroids.ts";
import { ClusterCodes } from "../vector/cluster-codes.ts";
import { clusterRows } from "../vector/cluster-rows.ts";
import type { SegmentPlan } from "./format/segment-layout.ts";
import { type OrderOptions, planOrdered } from "./segment-merger.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import type { Clusters } from "./vectors/cluster-section.ts";
import { VECTOR_INDEX } from "./vectors/vector-index.ts";

/** What a segment is clustered with. */
export interface ClusterOptions {
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
  options: ClusterOptions,
): SegmentPlan | undefined {
  const main = mainVectorAttribute(schema);
  if (main === undefined) return undefined;
  const { type, ann } = schema.attributes.get(main) ?? {};
  const attribute = columnOf(schema, main);
  const metric = ann?.distanceMetric ?? schema.distanceMetric;
  const placed = view.index(VECTOR_INDEX, attribute);
  if (type?.kind !== "vector" || metric === undefined || placed === undefined) return undefined;
  const { dimensions, element: format } = type;
  const rows: number[] = [];
  const absent: number[] = [];
  for (let o = 0; o < view.documentCount; o++) (hasValue(placed, o) ? rows : absent).push(o);
  if (rows.length < Math.max(1, options.rowsMin)) return undefined;
  const { inverseNorms } = placed.description;
  const place = placed.chunk(0);
  const vectors = { ...placed.vectors, format, dimensions, inverseNorms, place };
  const known = knownCentroids(attribute, inputs, { metric, dimensions });
  const choice = { metric, known, clusterRows: options.clusterRows };
  const found = clusterRows(vectors, Uint32Array.from(rows), choice, options.kernels);
  const { starts, centroids } = found;
  const order = new Uint32Array(view.documentCount);
  order.set(found.order);
  order.set(absent, found.order.length);
  const codes = new ClusterCodes({ vectors, metric, clusters: found }, options.kernels);
  const clusters = { attribute, metric, dimensions, starts, centroids, codes };
  return planReordered(view, order, { schema, clusters: [clusters] });
}

/**
 * Plans a segment with the documents of `view`, all of which are in `order` by their old ordinals.
 * Indexes are those that the schema asks for.
 */
export function planReordered(
  view: OpenSegment,
  order: Uint32Array,
  options: OrderOptions,
): SegmentPlan {
  const newOrdinals = new Uint32Array(order.length);
  for (let o = 0; o < order.length; o++) newOrdinals[order[o]] = o;
  return runSteps(planOrdered([{ view, ordinals: order, newOrdinals }], options));
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
    const clusters = input.index(CLUSTER_INDEX, attribute);
    if (clusters?.metric !== like.metric || clusters.dimensions !== like.dimensions) continue;
    if (rowsOf(clusters) > rowsOf(known)) known = clusters;
  }
  return known?.centroids;
}
