/**
 * Rows of vectors → clusters of about equal size, each around a centroid. Centroids are trained on
 * a sample; then every row goes to the nearest one. The rows of tiny clusters go to others, and
 * clusters that are too large are divided in the same way.
 */

import { seededRandom } from "../base/random.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { type CellOptions, type CentroidCells, trainCells } from "./centroid-cells.ts";
import { Centroids, type KernelSpace } from "./centroids.ts";
import { nearestOfRows } from "./kmeans.ts";
import { isLoose } from "./loose-cluster.ts";
import { Means } from "./means.ts";
import { VectorReader, type VectorRows } from "./vector-rows.ts";
import type { VectorSpace } from "./vector-space.ts";

/**
 * Rows of a cluster of vectors, about: two blocks of codes. Smaller ones let a search look at fewer
 * rows, but there are more of them to estimate and to walk through (ADR 24).
 */
const CLUSTER_DOCUMENTS = 64;
/** Where clusters are loose, half as many, and half of that: not less, half a block. */
const CLUSTER_DOCUMENTS_MIN = 16;
/** Known centroids of so many times as many rows, for each, are taken for the smallest clusters. */
const SMALLEST_SLACK = 1.25;
/** Share of loose clusters from which on smaller ones are tried (ADR 49). */
const LOOSE_SHARE_MAX = 1 / 20;
/** Rows of which the origin is the middle. */
const ORIGIN_ROWS = 32;
/** Rows by which it is measured what codes do not tell. */
const LOSS_ROWS = 128;
/**
 * How much farther rows may be from the centroids that codes find than from those that float32
 * finds: beyond, as where groups lie thousands of times their width apart, codes are too coarse.
 */
const LOSS_MAX = 1.01;
/** Clusters that are looked at, whether they are loose. */
const LOOKED_AT = 128;
/**
 * Vectors from which on a stored segment's rows are put in the order of clusters, with codes:
 * below, to compare all of them takes a tenth of a millisecond.
 */
export const CLUSTERED_DOCUMENTS_MIN = 1_024;

/** Rows by cluster. Near clusters are mostly neighbours. */
export interface RowClusters {
  /** Centroids end to end: the means of their rows, of length 1 for cosines. */
  readonly centroids: Float32Array;
  /** What each centroid is multiplied by to be the mean of its rows: 1 but for cosines. */
  readonly lengths: Float32Array;
  /** Where each cluster begins in `order` and, last, how many rows there are. */
  readonly starts: Uint32Array;
  /** Numbers of the rows, cluster by cluster, ascending in each. */
  readonly order: Uint32Array;
}

/** How rows are clustered. */
export interface ClusterChoice {
  readonly metric: DistanceMetric;
  /** Centroids, end to end, of an earlier run over most of these rows. */
  readonly known?: Float32Array | undefined;
  /** Rows of a cluster, about. Absent: as many as the vectors allow. */
  readonly clusterRows?: number | undefined;
}

/** Share of the wanted size below which a cluster's rows go to others. */
const SIZE_MIN = 1 / 8;
/** Times the wanted size above which a cluster is divided. */
const SIZE_MAX = 2.5;
/** Share of a cluster that one part may keep, or it is divided by its order instead. */
const PART_SHARE_MAX = 0.75;
/** The same rows give the same clusters. */
const SEED = 0x6b6d;

/**
 * Clusters some of the rows, in ascending order, at least one. Cost: a distance for each row and
 * about 9·√(rows / cluster size) centroids, twice for rows of clusters that are divided, and all of
 * it again where clusters are loose; memory: a few words for each row, and the centroids.
 */
export function clusterRows(
  vectors: VectorRows,
  rows: Uint32Array,
  { metric, known, clusterRows: given }: ClusterChoice,
  kernels: KernelSpace,
): RowClusters {
  const reader = new VectorReader(vectors);
  const { dimensions } = reader;
  let space: VectorSpace = { metric, dimensions, origin: originOf(reader, rows, metric) };
  let wanted = given ?? CLUSTER_DOCUMENTS;
  for (let centroids = known; ; centroids = undefined) {
    const tools = { space, kernels, random: seededRandom(SEED) };
    const divider = new Divider(reader, wanted, tools);
    const clusters = divider.clusters(rows, centroids);
    space = divider.space;
    // Known centroids may be those of smaller clusters, which larger ones were too loose for.
    const knownCount = (centroids?.length ?? 0) / dimensions;
    const size = Math.min(wanted, rows.length / knownCount);
    const isSmallest = given !== undefined || size <= SMALLEST_SLACK * CLUSTER_DOCUMENTS_MIN;
    if (isSmallest || looseShare(reader, clusters, metric) <= LOOSE_SHARE_MAX) {
      return divider.described(clusters);
    }
    while (wanted >= size) wanted /= 2;
    wanted = Math.max(wanted, CLUSTER_DOCUMENTS_MIN);
  }
}

/** The middle element of some rows in each dimension, which few rows far away do not move. */
function originOf(reader: VectorReader, rows: Uint32Array, metric: DistanceMetric): Float32Array {
  const { dimensions } = reader;
  const origin = new Float32Array(dimensions);
  const some = evenly(rows, ORIGIN_ROWS);
  const count = some.length;
  const elements = new Float32Array(count * dimensions);
  some.forEach((row, i) => {
    const vector = reader.at(row);
    const weight = reader.weightOf(row, metric);
    for (let d = 0; d < dimensions; d++) elements[d * count + i] = vector[d] * weight;
  });
  return origin.map((_, d) => elements.subarray(d * count, (d + 1) * count).sort()[count >> 1]);
}

/** So many of the rows, or all, at even distances. */
function evenly(rows: Uint32Array, most: number): Uint32Array {
  const count = Math.min(rows.length, most);
  return Uint32Array.from({ length: count }, (_, i) => rows[Math.floor((i * rows.length) / count)]);
}

/** How many of some clusters are loose, as a share of those. */
function looseShare(
  reader: VectorReader,
  clusters: readonly Uint32Array[],
  metric: DistanceMetric,
): number {
  const step = Math.max(1, clusters.length / LOOKED_AT);
  let count = 0;
  let loose = 0;
  for (let at = 0; at < clusters.length; at += step, count++) {
    if (isLoose(reader, clusters[Math.floor(at)], metric)) loose++;
  }
  return loose / count;
}

class Divider {
  readonly #reader: VectorReader;
  readonly #wanted: number;
  #options: CellOptions;

  constructor(reader: VectorReader, wanted: number, options: CellOptions) {
    this.#reader = reader;
    this.#wanted = wanted;
    this.#options = options;
  }

  /** What vectors were compared by in the end. */
  get space(): VectorSpace {
    return this.#options.space;
  }

  /** The rows of each cluster, ascending. */
  clusters(rows: Uint32Array, known?: Float32Array): Uint32Array[] {
    return this.#split(rows, known).flatMap((part) => this.#divided(part));
  }

  /** Clusters with their centroids. */
  described(clusters: readonly Uint32Array[]): RowClusters {
    const { space } = this.#options;
    const centroids = new Float32Array(clusters.length * space.dimensions);
    const lengths = new Float32Array(clusters.length);
    const starts = new Uint32Array(clusters.length + 1);
    const mean = new Means(1, space);
    clusters.forEach((rows, i) => {
      starts[i + 1] = starts[i] + rows.length;
      mean.clear();
      for (const row of rows) this.#add(mean, row);
      const target = centroids.subarray(i * space.dimensions, (i + 1) * space.dimensions);
      lengths[i] = mean.write(0, target);
    });
    const order = new Uint32Array(starts[clusters.length]);
    clusters.forEach((rows, i) => {
      order.set(rows, starts[i]);
    });
    return { centroids, lengths, starts, order };
  }

  #add(mean: Means, row: number): void {
    const { metric } = this.#options.space;
    mean.add(0, this.#reader.at(row), this.#reader.weightOf(row, metric));
  }

  #divided(rows: Uint32Array): Uint32Array[] {
    if (rows.length <= SIZE_MAX * this.#wanted) return [rows];
    const parts = this.#split(rows);
    const largest = Math.max(...parts.map(({ length }) => length));
    // Vectors that are all the same, or nearly, cannot be told apart.
    if (largest > PART_SHARE_MAX * rows.length) return slices(rows, this.#wanted);
    return parts.flatMap((part) => this.#divided(part));
  }

  /** Parts that are not tiny, of any size above that. */
  #split(rows: Uint32Array, known?: Float32Array): Uint32Array[] {
    const count = Math.max(1, Math.round(rows.length / this.#wanted));
    if (count === 1) return [rows];
    const cells = this.#train(rows, count, known);
    try {
      const nearest = cells.nearest({ reader: this.#reader, rows });
      this.#dissolveTiny(rows, nearest, cells);
      return grouped(rows, nearest, cells.count);
    } finally {
      cells.free();
    }
  }

  /** Trains centroids by codes, or by float32 from where codes tell too little on. */
  #train(rows: Uint32Array, count: number, known?: Float32Array): CentroidCells {
    const set = { reader: this.#reader, rows };
    const cells = trainCells(set, count, this.#options, known);
    const some = evenly(rows, LOSS_ROWS);
    if (!(cells.codeLoss({ reader: this.#reader, rows: some }) > LOSS_MAX)) return cells;
    cells.free();
    const space = { ...this.#options.space, origin: undefined };
    this.#options = { ...this.#options, space };
    return trainCells(set, count, this.#options, known);
  }

  /** Gives the rows of tiny clusters to those that are not. */
  #dissolveTiny(rows: Uint32Array, nearest: Uint32Array, cells: CentroidCells): void {
    const sizes = new Uint32Array(cells.count);
    for (const cluster of nearest) sizes[cluster]++;
    const isTiny = sizes.map((size) => Number(size < SIZE_MIN * this.#wanted));
    const kept = [...sizes.keys()].filter((cluster) => isTiny[cluster] === 0);
    if (kept.length === 0) nearest.fill(0);
    if (kept.length === 0 || kept.length === sizes.length) return;
    const { space, kernels } = this.#options;
    const others = new Centroids(kept.length, space, kernels);
    kept.forEach((cluster, i) => {
      others.set(i, cells.at(cluster));
    });
    const moved = Uint32Array.from(nearest.keys()).filter((i) => isTiny[nearest[i]] === 1);
    const set = { reader: this.#reader, rows: moved.map((i) => rows[i]) };
    const found = nearestOfRows(set, others);
    moved.forEach((at, i) => {
      nearest[at] = kept[found[i]];
    });
    others.free();
  }
}

/** Rows by the cluster that each is in; clusters without rows are left out. */
function grouped(rows: Uint32Array, clusterOf: Uint32Array, count: number): Uint32Array[] {
  const starts = new Uint32Array(count + 1);
  for (const cluster of clusterOf) starts[cluster + 1]++;
  for (let i = 0; i < count; i++) starts[i + 1] += starts[i];
  const next = starts.slice();
  const order = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) order[next[clusterOf[i]]++] = rows[i];
  const groups: Uint32Array[] = [];
  for (let i = 0; i < count; i++) {
    if (starts[i] < starts[i + 1]) groups.push(order.subarray(starts[i], starts[i + 1]));
  }
  return groups;
}

/** Cuts rows into equal parts of about `wanted` rows. */
function slices(rows: Uint32Array, wanted: number): Uint32Array[] {
  const count = Math.round(rows.length / wanted);
  const cut = (i: number) => Math.round((i * rows.length) / count);
  return Array.from({ length: count }, (_, i) => rows.subarray(cut(i), cut(i + 1)));
}
