/**
 * A segment with clusters: its rows are in the order of those of the vectors that are searched
 * most, so that a search which looks at few clusters reads few ranges; the clusters of further
 * vector attributes, and of vectors of which documents have several, have ordinals. Nothing else
 * about it changes.
 */

import { runSteps } from "../base/steps.ts";
import { hasValue } from "../codec/columns-value.ts";
import {
  type DistanceMetric,
  lateInteractionAttributes,
  type Schema,
  searchedVectorAttributes,
} from "../model/schema.ts";
import { columnOf } from "../model/stored-columns.ts";
import type { KernelSpace } from "../vector/centroids.ts";
import { ClusterCodes } from "../vector/cluster-codes.ts";
import { clusterRows } from "../vector/cluster-rows.ts";
import { meanOf } from "../vector/coded-rows.ts";
import type { VectorRows } from "../vector/vector-rows.ts";
import type { SegmentPlan } from "./format/segment-layout.ts";
import { innerVectors } from "./inner-vectors.ts";
import { type AttributeClusters, type OrderOptions, planOrdered } from "./segment-merger.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { byteCodesPay } from "./vectors/byte-code-section.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { VECTOR_INDEX } from "./vectors/vector-index.ts";
import type { Clusters } from "./view/attribute-index.ts";

/** What a segment is clustered with. */
export interface ClusterOptions {
  readonly kernels: KernelSpace;
  /** With fewer vectors a segment is not clustered. */
  readonly rowsMin: number;
  /** Rows of a cluster, about; as the machine likes it if undefined. */
  readonly clusterRows?: number | undefined;
}

/** Centroids of an attribute's vectors in a segment. */
type SegmentCentroids = Pick<Clusters, "metric" | "dimensions" | "centroids">;

/** Centroids by the column of their attribute. */
export type KnownCentroids = ReadonlyMap<string, SegmentCentroids>;

/**
 * For each vector attribute a copy of the centroids of the largest input that has them, so that the
 * inputs need not stay.
 */
export function knownCentroids(schema: Schema, inputs: readonly OpenSegment[]): KnownCentroids {
  const known = new Map<string, SegmentCentroids>();
  const names = [...searchedVectorAttributes(schema), ...lateInteractionAttributes(schema)];
  for (const name of names) {
    const attribute = columnOf(schema, name);
    const wanted = schema.attributes.get(name)?.ann?.distanceMetric ?? schema.distanceMetric;
    const all = inputs.flatMap((input) => input.index(CLUSTER_INDEX, attribute) ?? []);
    const alike = all.filter(({ metric }) => metric === wanted);
    if (alike.length === 0) continue;
    const rowsOf = ({ starts }: Clusters) => starts.at(-1) ?? 0;
    const largest = alike.reduce((a, b) => (rowsOf(b) > rowsOf(a) ? b : a));
    const { metric, dimensions, centroids } = largest;
    known.set(attribute, { metric, dimensions, centroids: centroids.slice() });
  }
  return known;
}

/**
 * Plans a segment, of which all is in memory, with clusters of all vector attributes that have
 * enough vectors, and its rows in the order of the first one's; undefined if none has. Clusters of
 * inner vectors leave the order of rows as it is. `known` centroids are used again. The segment
 * must stay until the plan is written.
 */
export function planClustered(
  view: OpenSegment,
  schema: Schema,
  known: KnownCentroids,
  options: ClusterOptions,
): SegmentPlan | undefined {
  const isEnough = ({ rows }: VectorSet) => rows.length >= Math.max(1, options.rowsMin);
  const sets = searchedVectorAttributes(schema)
    .flatMap((name) => vectorsOf(view, schema, name) ?? [])
    .filter(isEnough);
  const inner = lateInteractionAttributes(schema)
    .flatMap((name) => innerVectorsOf(view, schema, name) ?? [])
    .filter(isEnough);
  if (sets.length + inner.length === 0) return undefined;
  const [first, ...others] = sets.map((set) => ({ set, ...clusterVectors(set, known, options) }));
  const order = Uint32Array.from({ length: view.documentCount }, (_, o) => o);
  if (first !== undefined) {
    order.set(first.order);
    order.set(first.set.absent, first.order.length);
  }
  const newOrdinals = invert(order);
  const clusters = first === undefined ? [] : [first.clusters];
  for (const { clusters: own, order: rows } of others) {
    clusters.push({ ...own, ordinals: rows.map((row) => newOrdinals[row]) });
  }
  for (const set of inner) {
    const { clusters: own, order: rows } = clusterVectors(set, known, options);
    const ordinals = rows.map((row) => newOrdinals[set.documents[row]]);
    clusters.push({ ...own, ordinals, isInner: true, byteOrigin: undefined });
  }
  return planReordered(view, order, { schema, clusters });
}

/** The vectors of one attribute. */
interface VectorSet {
  readonly attribute: string;
  readonly metric: DistanceMetric;
  readonly vectors: VectorRows;
  /** Those that are there, ascending. */
  readonly rows: Uint32Array;
}

/** Vectors by ordinal. */
interface DenseSet extends VectorSet {
  /** Ordinals without a vector. */
  readonly absent: Uint32Array;
}

function vectorsOf(view: OpenSegment, schema: Schema, name: string): DenseSet | undefined {
  const { type, ann } = schema.attributes.get(name) ?? {};
  const attribute = columnOf(schema, name);
  const metric = ann?.distanceMetric ?? schema.distanceMetric;
  const placed = view.index(VECTOR_INDEX, attribute);
  if (type?.kind !== "vector" || metric === undefined || placed === undefined) return undefined;
  const { dimensions, element: format } = type;
  const rows: number[] = [];
  const absent: number[] = [];
  for (let o = 0; o < view.documentCount; o++) (hasValue(placed, o) ? rows : absent).push(o);
  const { inverseNorms } = placed.description;
  const place = placed.chunk(0);
  const vectors = { ...placed.vectors, format, dimensions, inverseNorms, place };
  return {
    attribute,
    metric,
    vectors,
    rows: Uint32Array.from(rows),
    absent: Uint32Array.from(absent),
  };
}

/** Vectors of documents that have several, end to end. */
interface InnerSet extends VectorSet {
  /** The ordinal of each vector's document. */
  readonly documents: Uint32Array;
}

function innerVectorsOf(view: OpenSegment, schema: Schema, name: string): InnerSet | undefined {
  const attribute = columnOf(schema, name);
  const metric = schema.attributes.get(name)?.ann?.distanceMetric ?? schema.distanceMetric;
  const inner = metric && innerVectors(view, attribute);
  if (metric === undefined || inner === undefined) return undefined;
  const rows = Uint32Array.from(inner.documents.keys());
  return { attribute, metric, ...inner, rows };
}

/** Clusters of vectors, and the rows in their order. */
function clusterVectors(
  { attribute, metric, vectors, rows }: VectorSet,
  centroidsOf: KnownCentroids,
  { kernels, clusterRows: wanted }: ClusterOptions,
): { readonly clusters: AttributeClusters; readonly order: Uint32Array } {
  const { dimensions } = vectors;
  const before = centroidsOf.get(attribute);
  const isAlike = before?.metric === metric && before.dimensions === dimensions;
  const known = isAlike ? before.centroids : undefined;
  const found = clusterRows(vectors, rows, { metric, known, clusterRows: wanted }, kernels);
  const { starts, centroids, order } = found;
  const codes = new ClusterCodes({ vectors, metric, clusters: found }, kernels);
  const byteOrigin = byteCodesPay(vectors)
    ? meanOf({ vectors, metric, clusters: found })
    : undefined;
  const clusters = { attribute, metric, dimensions, starts, centroids, codes, byteOrigin };
  return { clusters, order };
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
  const inputs = [{ view, ordinals: order, newOrdinals: invert(order) }];
  return runSteps(planOrdered(inputs, options));
}

/** New ordinals by old ones. */
function invert(order: Uint32Array): Uint32Array {
  const newOrdinals = new Uint32Array(order.length);
  for (let o = 0; o < order.length; o++) newOrdinals[order[o]] = o;
  return newOrdinals;
}
