/**
 * How many clusters a walk may look into before byte codes of all matches would cost less. All is
 * counted in nanoseconds, as they were measured (ADR 27).
 */

import { MIB } from "../../base/byte-sizes.ts";
import { byteCodeStride } from "../../kernel/byte-code-scan.ts";

/**
 * To look at the byte code of one match, and more for each dimension: between what it takes where
 * the last queries had the same matches, and where they lie anywhere in memory.
 */
const BYTE_CODE_NS = 45;
const BYTE_CODE_DIMENSION_NS = 0.125;
/** What a walk does with each cluster before it looks into the first one. */
const CLUSTER_START_NS = 20;
/** To choose a cluster and to look into it, and more for each dimension of each of its rows. */
const CLUSTER_NS = 900;
const ROW_DIMENSION_NS = 0.008;
/** What is to come is expected to be more than it is, and a walk that is given up has cost, too. */
const MOST_SHARE = 1.5;
/** Byte codes of all are looked at at once where they cost up to so many times a walk's start. */
const STARTS = 1.2;
/**
 * Where the byte codes of all rows are more, they are looked at up to `exactMatchesMax` alone: of a
 * million × 768 they took longer than walks (ADR 53), as each row is in another page of memory.
 */
const CODES_BYTES_MAX = 256 * MIB;

/** What a walk may have to look at. */
export interface WalkSize {
  /** In segments with clusters, whether they match or not. */
  readonly rows: number;
  readonly clusters: number;
  readonly dimensions: number;
}

/** How many clusters a walk may look into. */
export interface WalkLimit {
  /** Before it is asked how many are to come. */
  readonly unasked: number;
  /** From then on. */
  readonly most: number;
}

/** Matches up to which the byte codes of all are looked at without a walk. */
export function matchesAtOnce(size: WalkSize): number {
  const { clusters, dimensions } = size;
  if (hasTooManyBytes(size)) return 0;
  return Math.floor((STARTS * CLUSTER_START_NS * clusters) / byteCodeNs(dimensions));
}

/**
 * The limit of a walk through so many matches, which may cost `unaskedShare` of what byte codes of
 * all would before it is asked; undefined if it goes on to its end. There is at least one cluster.
 */
export function walkLimit(
  size: WalkSize,
  matches: number,
  unaskedShare: number,
): WalkLimit | undefined {
  if (hasTooManyBytes(size)) return undefined;
  const worth = (matches * byteCodeNs(size.dimensions)) / clusterNs(size);
  return { unasked: unaskedShare * worth, most: MOST_SHARE * worth };
}

function hasTooManyBytes({ rows, dimensions }: WalkSize): boolean {
  return rows * byteCodeStride(dimensions) > CODES_BYTES_MAX;
}

function byteCodeNs(dimensions: number): number {
  return BYTE_CODE_NS + BYTE_CODE_DIMENSION_NS * dimensions;
}

function clusterNs({ rows, clusters, dimensions }: WalkSize): number {
  return CLUSTER_NS + (ROW_DIMENSION_NS * dimensions * rows) / clusters;
}
