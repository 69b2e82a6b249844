/** Joins reads of one object that lie near each other. Pure. */

import { KIB, MIB } from "../base/byte-sizes.ts";

/**
 * Ranges of an object that are closer than this are read together: the bytes in between cost less
 * than another request (60 ms at 80 MB/s are 5 MB; a local disk's request is worth far less).
 */
export const NEAR_RANGE_BYTES = 256 * KIB;
/** Bytes that ranges which are read together may span, so that large reads run in parallel. */
export const RANGE_READ_BYTES_MAX = 8 * MIB;

/** A half-open range of bytes. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** One read, and which of the wanted ranges it has. */
export interface JoinedRead extends ByteSpan {
  /** Indexes of the ranges. */
  readonly ranges: readonly number[];
}

/**
 * Plans the reads for some ranges: those less than `NEAR_RANGE_BYTES` apart are read together, up
 * to `RANGE_READ_BYTES_MAX`. A longer range is one read of its own. Ranges may overlap.
 */
export function joinRanges(ranges: readonly ByteSpan[]): JoinedRead[] {
  const order = ranges.map((_, index) => index);
  order.sort((a, b) => ranges[a].start - ranges[b].start);
  const reads: { start: number; end: number; ranges: number[] }[] = [];
  for (const index of order) {
    const { start, end } = ranges[index];
    const last = reads.at(-1);
    const isNear = last !== undefined && start - last.end < NEAR_RANGE_BYTES;
    if (isNear && Math.max(end, last.end) - last.start <= RANGE_READ_BYTES_MAX) {
      last.end = Math.max(last.end, end);
      last.ranges.push(index);
    } else {
      reads.push({ start, end, ranges: [index] });
    }
  }
  return reads;
}
