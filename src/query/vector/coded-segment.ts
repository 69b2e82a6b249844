/**
 * What codes tell of one segment's rows: how far clusters are from the query, and which rows may be
 * among the nearest. Squared distances throughout, for cosines those of vectors of length 1.
 */

import type { Steps } from "../../base/steps.ts";
import { popCount } from "../../codec/bitmap.ts";
import type { ArenaKernels, CodeMatrix, RowMatrix } from "../../kernel/arena-kernels.ts";
import { CodeBlocks } from "../../kernel/code-blocks.ts";
import {
  CODE_BLOCK_ROWS,
  codeBlockBytes,
  FOUND_WORDS,
  SCAN_BLOCKS_MAX,
} from "../../kernel/code-scan.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import type { ClusterView } from "../../segment/vectors/cluster-section.ts";
import type { CodeView } from "../../segment/vectors/code-index.ts";
import { MEAN_GROUP, meanGroups } from "../../vector/mean-codes.ts";
import { cosineErrorMax, measureOf } from "../../vector/metric.ts";
import { type CodeTable, spreadOf } from "../../vector/one-bit-codes.ts";
import { type OrdinalBits, wordWithin } from "../documents/ordinal-bits.ts";
import type { SegmentMatches } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import { type ClusterMatches, openClusterMatches } from "./cluster-matches.ts";
import type { QueryTables } from "./query-tables.ts";

/**
 * Is told of the row at a position that may be among the nearest; both bounds are NaN if nothing is
 * known.
 */
export type VisitRow = (position: number, lower: number, upper: number) => void;

/** Bounds of squared distances by cluster, which are the same where the distance is known. */
export interface MeanBounds {
  /** May be below 0: estimates are in the middle. */
  readonly lower: Float32Array;
  readonly upper: Float32Array;
}

/** Clusters that are scanned, by their numbers among those of all segments. */
export interface ScannedClusters {
  /** Ascending. */
  readonly some: Uint32Array;
  /** Number of the segment's first one. */
  readonly first: number;
  /** Squared distances of the means of all clusters. */
  readonly distances: Float32Array;
}

/** One segment with codes, and a query. */
export class CodedSegment implements ClusterMatches {
  readonly clusters: ClusterView;
  readonly codes: CodeView;
  readonly matches: OrdinalBits;
  /** How far bounds may be off, since they are of numbers that were rounded to float32. */
  readonly #slack: number;
  readonly #kernels: ArenaKernels;
  /** Of length 1 for cosines. */
  readonly #query: Float32Array;
  readonly #tables: QueryTables;
  #ownTable: CodeTable | undefined;
  readonly #blocks = new CodeBlocks();
  /** Those that this run has seen, which stay where they are until it ends. */
  readonly #chunks = new Map<number, CodeMatrix>();
  /** The arena that has the table; none after `resume`. */
  #tableArena: number | undefined;

  /** Reads nothing. */
  constructor(
    { clusters, codes, matches }: ClusterMatches,
    tables: QueryTables,
    kernels: ArenaKernels,
  ) {
    this.clusters = clusters;
    this.codes = codes;
    this.matches = matches;
    const isCosine = clusters.metric === "cosine_distance";
    // Means' distances from cosines are differences of numbers around 1.
    this.#slack = isCosine
      ? 2 * cosineErrorMax(tables.query.length)
      : roundingMax(tables.query, codes);
    this.#kernels = kernels;
    this.#query = tables.query;
    this.#tables = tables;
  }

  /** Undefined where there are no codes for the query's metric. Throws `BytesMissing`. */
  static *open(
    segment: Pick<SegmentMatches, "view" | "matches">,
    target: VectorTarget,
    tables: QueryTables,
    kernels: ArenaKernels,
  ): Steps<CodedSegment | undefined> {
    const own = yield* openClusterMatches(segment, target, tables.query.length);
    return own && new CodedSegment(own, tables, kernels);
  }

  /** The ordinal of the row at a position. */
  ordinalAt(position: number): number {
    return this.clusters.ordinals?.[position] ?? position;
  }

  /** Made when it is first needed: few matches need none. */
  get #table(): CodeTable {
    this.#ownTable ??= this.#tables.of(this.codes);
    return this.#ownTable;
  }

  /** Writes bounds of the squared distances of the clusters' means. */
  boundMeans({ lower, upper }: MeanBounds): void {
    const { codes, groups } = this.codes.means;
    const { count } = this.clusters;
    this.resume();
    this.#setTable(codes);
    const bases = this.#groupDistances(groups);
    const { scale, offset } = this.#table;
    const blocks = Math.ceil(count / CODE_BLOCK_ROWS);
    const queries = new Float32Array(2 * blocks);
    for (let block = 0; block < blocks; block++) {
      const base = bases[Math.floor((block * CODE_BLOCK_ROWS) / MEAN_GROUP)];
      queries[2 * block] = base;
      queries[2 * block + 1] = spreadOf(base, this.#table);
    }
    for (let block = 0; block < blocks; block += SCAN_BLOCKS_MAX) {
      const part = queries.subarray(2 * block, 2 * (block + SCAN_BLOCKS_MAX));
      const bounded = this.#kernels.boundCodes(codes, block, { scale, offset, queries: part });
      const start = block * CODE_BLOCK_ROWS;
      lower.set(bounded.lower.subarray(0, count - start), start);
      upper.set(bounded.upper.subarray(0, count - start), start);
    }
  }

  #groupDistances(groups: RowMatrix): Float32Array {
    const distances = new Float32Array(meanGroups(this.clusters.count));
    this.#kernels.setQuery(groups, this.#query);
    for (let start = 0; start < distances.length; start += SCAN_ROWS_MAX) {
      const end = Math.min(start + SCAN_ROWS_MAX, distances.length);
      distances.set(this.#kernels.scoreRange("squaredDistance", groups, start, end), start);
    }
    return distances;
  }

  /** Writes the squared distances of the means of some clusters, as both of their bounds. */
  measureMeans(some: Uint32Array, { lower, upper }: MeanBounds): void {
    const { dimensions, place, centroids, metric } = this.clusters;
    const matrix = {
      block: { ...place, bytes: centroids.byteLength },
      start: 0,
      format: "f32",
      dimensions,
      strideBytes: dimensions * Float32Array.BYTES_PER_ELEMENT,
    } as const;
    const isCosine = metric === "cosine_distance";
    const { lengths } = this.codes.shapes;
    const { squaredLength } = this.#tables;
    this.#kernels.setQuery(matrix, this.#query);
    for (let start = 0; start < some.length; start += SCAN_ROWS_MAX) {
      const part = some.subarray(start, start + SCAN_ROWS_MAX);
      const scores = this.#kernels.scoreRows(measureOf(metric), matrix, part);
      for (let i = 0; i < scores.length; i++) {
        const c = part[i];
        const length = lengths[c];
        const ofMean = squaredLength + length * (length - 2 * scores[i]);
        const distance = isCosine ? Math.max(0, ofMean) : scores[i];
        lower[c] = distance;
        upper[c] = distance;
      }
    }
  }

  /** Tells whether a chunk of codes was looked at. */
  hasSeen(chunk: number): boolean {
    return this.#chunks.has(chunk);
  }

  /** A chunk of codes. Throws `BytesMissing`. */
  chunk(index: number): CodeMatrix {
    const known = this.#chunks.get(index);
    if (known !== undefined) return known;
    const chunk = this.codes.chunk(index);
    this.#chunks.set(index, chunk);
    return chunk;
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
   * Visits the matching rows of some clusters, ascending, whose lower bound is at most `worst()`,
   * and mostly no others. Returns how many match. Throws `BytesMissing`.
   */
  scan({ some, first, distances }: ScannedClusters, worst: () => number, visit: VisitRow): number {
    const { starts } = this.clusters;
    const { chunkBlocks } = this.codes;
    const blocks = this.#blocks;
    const table = this.#table;
    let matchCount = 0;
    let matrix: CodeMatrix | undefined;
    let chunkEnd = 0;
    blocks.clear();
    for (const c of some) {
      const [start, end] = [starts[c - first], starts[c - first + 1]];
      const spread = spreadOf(distances[c], table);
      for (let block = start >>> 5; block << 5 < end; block++) {
        const mask = wordWithin(this.matches, block, start, end);
        if (mask === 0) continue;
        matchCount += popCount(mask);
        if (matrix === undefined || block >= chunkEnd) {
          const chunk = Math.floor(block / chunkBlocks);
          const next = this.chunk(chunk);
          if (matrix !== undefined && next.block.arena !== matrix.block.arena) {
            this.#scanBlocks(matrix, worst, visit);
          }
          matrix = next;
          chunkEnd = (chunk + 1) * chunkBlocks;
        }
        const firstRow = block * CODE_BLOCK_ROWS;
        const place = block - chunkEnd + chunkBlocks;
        const address = codeBlockAddress(matrix, place);
        blocks.add({ address, mask, firstRow, base: distances[c], spread });
        if (blocks.isFull) this.#scanBlocks(matrix, worst, visit);
      }
    }
    if (matrix !== undefined) this.#scanBlocks(matrix, worst, visit);
    return matchCount;
  }

  /** Visits rows of all listed blocks, and empties the list. */
  #scanBlocks(matrix: CodeMatrix, worst: () => number, visit: VisitRow): void {
    const blocks = this.#blocks;
    if (blocks.count === 0) return;
    const slack = this.#slack;
    const { scale, offset } = this.#table;
    const where = { arena: matrix.block.arena, nibbles: matrix.nibbles };
    this.#setTable(matrix);
    const query = { scale, offset, worst: worst() + slack };
    const { rows, bounds, count } = this.#kernels.scanCodes(where, blocks, query);
    for (let i = 0; i < count * FOUND_WORDS; i += FOUND_WORDS) {
      visit(rows[i], bounds[i + 1] - slack, bounds[i + 2] + slack);
    }
    blocks.clear();
  }

  #setTable(matrix: CodeMatrix): void {
    const { arena } = matrix.block;
    if (arena === this.#tableArena) return;
    this.#kernels.setCodeTable(matrix, this.#table.table);
    this.#tableArena = arena;
  }
}

/** Where a block of codes lies in its arena, in bytes. */
function codeBlockAddress({ block, start, nibbles }: CodeMatrix, index: number): number {
  return block.offset + start + index * codeBlockBytes(nibbles);
}

/**
 * How far a squared distance can be off: vectors are rounded where the origin is subtracted, and in
 * each addition of the rotation, by 2^-24 of what they are then. A row as far from the query as the
 * origin is off by twice that. Where few vectors are far from all others, so is the origin.
 */
function roundingMax(query: Float32Array, { origin, rounds, rotatedDimensions }: CodeView): number {
  let squared = 0;
  for (let d = 0; d < query.length; d++) squared += (query[d] - origin[d]) ** 2;
  const roundings = rounds * Math.log2(rotatedDimensions) + 8;
  return 2 * roundings * 2 ** -24 * squared;
}
