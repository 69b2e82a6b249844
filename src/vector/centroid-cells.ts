/**
 * Centroids in two levels: cells, each with a centroid of its own, and the centroids in them. A
 * vector looks at the centroids of the cells that are nearest to it.
 */

import type { Random } from "../base/random.ts";
import { Centroids, type KernelSpace, LIST_ROWS_MAX } from "./centroids.ts";
import { nearestOfRows, type RowSet, sampleRows, trainCentroids } from "./kmeans.ts";
import { vectorDistance } from "./metric.ts";
import { VectorReader } from "./vector-rows.ts";
import type { VectorSpace } from "./vector-space.ts";

/** Rows of the sample that centroids are trained on, for each cluster. */
const CLUSTER_SAMPLE_DOCUMENTS = 64;

/** Centroids up to which there is one cell: two levels would cost as many distances. */
const ONE_CELL_MAX = 64;
/** Rows for each cell that cells are trained on. */
const CELL_SAMPLE_ROWS = 256;
/**
 * A vector looks at so many times √k of k centroids. Measured on 60,000 images of 784 dimensions
 * and 891 clusters: 95 % of the vectors end in the cluster whose centroid is the nearest.
 */
const LOOKS = 8;

/** What centroids are made with. */
export interface CellOptions {
  readonly space: VectorSpace;
  readonly kernels: KernelSpace;
  readonly random: Random;
}

/** All centroids by cell. Must be freed. */
export class CentroidCells {
  /** The cells' own, then all others. */
  readonly #table: Centroids;
  /** Where each cell begins in the table and, last, its end. */
  readonly #starts: Uint32Array;
  /** Cells that each vector looks into. */
  readonly #looks: number;

  /** `table` is taken over. */
  constructor(table: Centroids, starts: Uint32Array) {
    const cellCount = starts.length - 1;
    const looks = Math.ceil((LOOKS * cellCount) / Math.sqrt(table.count - starts[0]));
    this.#table = table;
    this.#starts = starts;
    this.#looks = Math.min(looks, cellCount, LIST_ROWS_MAX);
  }

  get count(): number {
    return this.#table.count - this.#starts[0];
  }

  /** All centroids end to end: a view. */
  get values(): Float32Array {
    return this.#table.values.subarray(this.#starts[0] * this.#table.space.dimensions);
  }

  /** A centroid: a view. */
  at(index: number): Float32Array {
    return this.#table.at(this.#starts[0] + index);
  }

  /**
   * The nearest centroid to each of the rows, but for a few rows at borders of cells, and as far as
   * codes tell.
   */
  nearest({ reader, rows }: RowSet): Uint32Array {
    const table = this.#table;
    const nearest = new Uint32Array(rows.length);
    for (let from = 0; from < rows.length; from += table.batchRows) {
      table.load(reader, rows.subarray(from, from + table.batchRows));
      nearest.set(this.#nearestOfLoaded(), from);
    }
    return nearest.map((index) => index - this.#starts[0]);
  }

  /**
   * How far rows are from the centroids that codes find for them, beside those that float32 finds:
   * of squared distances, or those of the metric. 1 where no codes are compared. Cost: that of
   * assigning as many rows by float32.
   */
  codeLoss({ reader, rows }: RowSet): number {
    const table = this.#table;
    const { metric } = table.space;
    if (!table.isCoded) return 1;
    let [byCodes, exact] = [0, 0];
    const sum = (nearest: Uint32Array) => {
      return nearest.reduce((total, index, i) => {
        return total + vectorDistance(metric, table.loaded(i), table.at(index));
      }, 0);
    };
    for (let from = 0; from < rows.length; from += table.batchRows) {
      table.load(reader, rows.subarray(from, from + table.batchRows));
      byCodes += sum(this.#nearestOfLoaded());
      exact += sum(table.exactly(() => this.#nearestOfLoaded()));
    }
    return byCodes === exact ? 1 : byCodes / exact;
  }

  #nearestOfLoaded(): Uint32Array {
    const starts = this.#starts;
    const table = this.#table;
    if (starts[0] === 0) return table.nearest(0, this.count);
    const cellCount = starts.length - 1;
    // Vectors too long to be compared are in no cell, and find the first centroid of all.
    const noCell = cellCount;
    table.clearLists(this.#looks, noCell);
    const cells = table.addNearest(this.#looks, { start: 0, end: cellCount });
    const lookers = grouped(cells, cellCount + 1, this.#looks);
    let nearest = table.clearLists(1, starts[0]);
    lookers.forEach((vectors, cell) => {
      if (vectors.length === 0 || cell === noCell) return;
      nearest = table.addNearest(1, { start: starts[cell], end: starts[cell + 1] }, vectors);
    });
    return nearest;
  }

  free(): void {
    this.#table.free();
  }
}

/**
 * Trains about `count` centroids on a sample of the rows. `known` ones, end to end, that cluster
 * most of these rows already, are taken as they are where there are about enough of them, and else
 * are divided.
 */
export function trainCells(
  { reader, rows }: RowSet,
  count: number,
  options: CellOptions,
  known?: Float32Array,
): CentroidCells {
  const knownCount = known === undefined ? 0 : known.length / reader.dimensions;
  if (known !== undefined && knownCount > count / 2) return cellsOf(known, options);
  const sample = {
    reader,
    rows: sampleRows(rows, count * CLUSTER_SAMPLE_DOCUMENTS, options.random),
  };
  if (count <= ONE_CELL_MAX) {
    const table = new Centroids(count, options.space, options.kernels);
    trainCentroids(sample, table, { start: 0, end: count }, options.random);
    return new CentroidCells(table, Uint32Array.of(0, count));
  }
  if (known !== undefined) return divideKnown(sample, count, known, options);
  const cells = trainTop(sample, count, options);
  return freeing(cells, () => {
    const members = byCell(sample, nearestOfRows(sample, cells), cells.count);
    return trainInCells({ reader, members }, count, cells, options);
  });
}

/** Trains centroids around known ones, as many as their share of the sample. */
function divideKnown(
  sample: RowSet,
  count: number,
  known: Float32Array,
  options: CellOptions,
): CentroidCells {
  const parents = cellsOf(known, options);
  const { values, members } = freeing(parents, () => ({
    values: parents.values.slice(),
    members: byCell(sample, parents.nearest(sample), parents.count),
  }));
  const cells = tableOf(values, options);
  const trained = freeing(cells, () => {
    return trainInCells({ reader: sample.reader, members }, count, cells, options);
  });
  // Cells that are too many are put into fewer.
  return cellsOf(
    freeing(trained, () => trained.values.slice()),
    options,
  );
}

/** Runs `work`, and frees what it works with, also where memory runs out. */
function freeing<T>(held: { free(): void }, work: () => T): T {
  try {
    return work();
  } finally {
    held.free();
  }
}

/** Puts centroids into cells. */
function cellsOf(known: Float32Array, options: CellOptions): CentroidCells {
  const { dimensions } = options.space;
  const count = known.length / dimensions;
  if (count <= ONE_CELL_MAX) {
    return new CentroidCells(tableOf(known, options), Uint32Array.of(0, count));
  }
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  const set = { reader: readerOf(known, options.space), rows };
  const cells = trainTop(set, count, options);
  return freeing(cells, () => {
    const members = byCell(set, nearestOfRows(set, cells), cells.count);
    const starts = startsOf(members.map(({ length }) => length));
    const table = tableUnder(cells, starts, options);
    let next = starts[0];
    for (const row of members.flatMap((cell) => [...cell])) {
      table.set(next++, known.subarray(row * dimensions, (row + 1) * dimensions));
    }
    return new CentroidCells(table, starts);
  });
}

/** Trains the cells' own centroids. */
function trainTop({ reader, rows }: RowSet, count: number, options: CellOptions): Centroids {
  const cells = new Centroids(Math.round(Math.sqrt(count)), options.space, options.kernels);
  const sample = sampleRows(rows, cells.count * CELL_SAMPLE_ROWS, options.random);
  trainCentroids({ reader, rows: sample }, cells, { start: 0, end: cells.count }, options.random);
  return cells;
}

/** Trains centroids in each cell, as many as its share of all members. */
function trainInCells(
  { reader, members }: { readonly reader: VectorReader; readonly members: readonly Uint32Array[] },
  count: number,
  cells: Centroids,
  options: CellOptions,
): CentroidCells {
  const total = members.reduce((sum, { length }) => sum + length, 0);
  const counts = members.map(({ length }) => {
    const share = Math.round((count * length) / total);
    return Math.min(length, Math.max(1, share));
  });
  const starts = startsOf(counts);
  const table = tableUnder(cells, starts, options);
  members.forEach((rows, cell) => {
    if (rows.length === 0) return;
    const range = { start: starts[cell], end: starts[cell + 1] };
    trainCentroids({ reader, rows }, table, range, options.random);
  });
  return new CentroidCells(table, starts);
}

/** The rows in each cell. */
function byCell({ rows }: RowSet, cellOf: Uint32Array, cellCount: number): Uint32Array[] {
  return grouped(cellOf, cellCount, 1).map((members) => members.map((i) => rows[i]));
}

/** Positions by the cell that each is in, where each has so many cells. */
function grouped(cellOf: Uint32Array, cellCount: number, each: number): Uint32Array[] {
  const ends = new Uint32Array(cellCount + 1);
  for (const cell of cellOf) ends[cell + 1]++;
  for (let cell = 0; cell < cellCount; cell++) ends[cell + 1] += ends[cell];
  const members = new Uint32Array(cellOf.length);
  const next = ends.slice();
  for (let i = 0; i < cellOf.length; i++) members[next[cellOf[i]]++] = Math.floor(i / each);
  return Array.from({ length: cellCount }, (_, c) => members.subarray(ends[c], ends[c + 1]));
}

/** Where each cell of so many centroids begins in a table that begins with the cells' own. */
function startsOf(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  starts[0] = counts.length;
  counts.forEach((count, cell) => {
    starts[cell + 1] = starts[cell] + count;
  });
  return starts;
}

function tableUnder(cells: Centroids, starts: Uint32Array, options: CellOptions): Centroids {
  const table = new Centroids(starts[starts.length - 1], options.space, options.kernels);
  table.set(0, cells.values);
  return table;
}

function tableOf(values: Float32Array, { space, kernels }: CellOptions): Centroids {
  const table = new Centroids(values.length / space.dimensions, space, kernels);
  table.set(0, values);
  return table;
}

/** Centroids as rows, which are of length 1 where lengths matter. */
function readerOf(values: Float32Array, { dimensions }: VectorSpace): VectorReader {
  const { buffer, byteOffset, byteLength } = values;
  return new VectorReader({
    bytes: new Uint8Array(buffer, byteOffset, byteLength),
    strideBytes: 4 * dimensions,
    format: "f32",
    dimensions,
    inverseNorms: new Float32Array(values.length / dimensions).fill(1),
  });
}
