/**
 * What codes tell of one segment's rows: how far clusters are from the query, and which rows may be
 * among the nearest. Squared distances throughout, for cosines those of vectors of length 1.
 */

import type { ArenaKernels, CodeMatrix } from "../../kernel/arena-kernels.ts";
import { CODE_BLOCK_ROWS, FOUND_WORDS, SCAN_BLOCKS_MAX } from "../../kernel/code-scan.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { ClusterView } from "../../segment/vectors/cluster-section.ts";
import { CODE_INDEX, type CodeView } from "../../segment/vectors/code-index.ts";
import { cosineErrorMax, measureOf, unitVector } from "../../vector/metric.ts";
import { type CodeTable, codeTable, spreadOf } from "../../vector/one-bit-codes.ts";
import { copyWords, countRange, type OrdinalBits } from "../ordinal-bits.ts";
import type { VectorTarget } from "../plan/plan.ts";

/** Is told of a row that may be among the nearest; both bounds are NaN if nothing is known. */
export type VisitRow = (ordinal: number, lower: number, upper: number) => void;

/** One segment with codes, and a query. */
export class CodedSegment {
  readonly clusters: ClusterView;
  readonly codes: CodeView;
  readonly matches: OrdinalBits;
  /** Matches that have a vector. */
  readonly matchCount: number;
  /**
   * How far bounds may be off: the distances of means from cosines are differences of numbers
   * around 1.
   */
  readonly slack: number;
  readonly #kernels: ArenaKernels;
  /** Of length 1 for cosines. */
  readonly #query: Float32Array;
  readonly #table: CodeTable;
  readonly #masks = new Uint32Array(SCAN_BLOCKS_MAX);
  /** The arena that has the table; none after `resume`. */
  #tableArena: number | undefined;

  private constructor(
    { clusters, codes }: { readonly clusters: ClusterView; readonly codes: CodeView },
    matches: OrdinalBits,
    query: Float32Array,
    kernels: ArenaKernels,
  ) {
    this.clusters = clusters;
    this.codes = codes;
    this.matches = matches;
    this.matchCount = countRange(matches, 0, clusters.starts[clusters.count]);
    const isCosine = clusters.metric === "cosine_distance";
    this.slack = isCosine ? 4 * cosineErrorMax(query.length) : 0;
    this.#kernels = kernels;
    this.#query = query;
    const { origin, rotation, rotatedDimensions } = codes;
    const rotated = new Float32Array(rotatedDimensions);
    kernels.rotate(
      rotation,
      query.map((value, d) => value - origin[d]),
      rotated,
    );
    this.#table = codeTable(rotated);
  }

  /** Undefined where there are no codes for the query's metric. Throws `BytesMissing`. */
  static open(
    { view, matches }: { readonly view: SegmentView; readonly matches: OrdinalBits },
    { attribute, metric, query }: VectorTarget,
    kernels: ArenaKernels,
  ): CodedSegment | undefined {
    if (!(query instanceof Float32Array)) return undefined;
    const clusters = view.index(CLUSTER_INDEX, attribute);
    if (clusters?.metric !== metric || clusters.dimensions !== query.length) return undefined;
    const codes = view.index(CODE_INDEX, attribute);
    if (codes === undefined) return undefined;
    const sent = metric === "cosine_distance" ? unitVector(query) : query;
    return new CodedSegment({ clusters, codes }, matches, sent, kernels);
  }

  /** Writes the squared distances of the clusters' means. */
  centroidDistances(target: Float64Array): void {
    const { count, dimensions, place, centroids, metric } = this.clusters;
    const matrix = {
      block: { ...place, bytes: centroids.byteLength },
      start: 0,
      format: "f32",
      dimensions,
      strideBytes: dimensions * Float32Array.BYTES_PER_ELEMENT,
    } as const;
    const isCosine = metric === "cosine_distance";
    const { lengths } = this.codes.shapes;
    let squared = 0;
    for (const value of this.#query) squared += value * value;
    this.#kernels.setQuery(matrix, this.#query);
    for (let start = 0; start < count; start += SCAN_ROWS_MAX) {
      const end = Math.min(start + SCAN_ROWS_MAX, count);
      const scores = this.#kernels.scoreRange(measureOf(metric), matrix, start, end);
      for (let i = 0; i < scores.length; i++) {
        const length = lengths[start + i];
        const ofMean = squared + length * (length - 2 * scores[i]);
        target[start + i] = isCosine ? Math.max(0, ofMean) : scores[i];
      }
    }
  }

  /** The chunks of codes that a cluster is in: the first, and the end. */
  chunksOf(cluster: number): { readonly start: number; readonly end: number } {
    const { starts } = this.clusters;
    const rows = this.codes.chunkBlocks * CODE_BLOCK_ROWS;
    return {
      start: Math.floor(starts[cluster] / rows),
      end: Math.ceil(starts[cluster + 1] / rows),
    };
  }

  /** Others, such as the next segment, may have used the kernels since its last scan. */
  resume(): void {
    this.#tableArena = undefined;
  }

  /**
   * Visits the matching rows of a cluster, so far from the query, whose lower bound is at most
   * `worst()`, but for `slack`. Returns how many match. Throws `BytesMissing`.
   */
  scan(cluster: number, distance: number, worst: () => number, visit: VisitRow): number {
    const { starts } = this.clusters;
    const { chunkBlocks } = this.codes;
    const [start, end] = [starts[cluster], starts[cluster + 1]];
    const spread = spreadOf(distance, this.#table);
    const { scale, offset } = this.#table;
    let matchCount = 0;
    for (let block = start >>> 5; block << 5 < end; ) {
      const chunk = Math.floor(block / chunkBlocks);
      const chunkStart = chunk * chunkBlocks;
      const blockEnd = Math.min(
        (end + 31) >>> 5,
        chunkStart + chunkBlocks,
        block + SCAN_BLOCKS_MAX,
      );
      const masks = this.#masks.subarray(0, blockEnd - block);
      const count = copyWords(this.matches, masks, { firstWord: block, start, end });
      if (count > 0) {
        matchCount += count;
        const matrix = this.codes.chunk(chunk);
        this.#setTable(matrix);
        const part = { firstBlock: block - chunkStart, masks };
        const query = { scale, offset, base: distance, spread, worst: worst() + this.slack };
        const found = this.#kernels.scanCodes(matrix, part, query);
        const firstRow = chunkStart * CODE_BLOCK_ROWS;
        const { rows, bounds } = found;
        for (let i = 0; i < found.count * FOUND_WORDS; i += FOUND_WORDS) {
          visit(firstRow + rows[i], bounds[i + 1], bounds[i + 2]);
        }
      }
      block = blockEnd;
    }
    return matchCount;
  }

  #setTable(matrix: CodeMatrix): void {
    const { arena } = matrix.block;
    if (arena === this.#tableArena) return;
    this.#kernels.setCodeTable(matrix, this.#table.table);
    this.#tableArena = arena;
  }
}
