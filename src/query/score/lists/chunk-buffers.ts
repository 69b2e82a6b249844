/** Memory of a ranking by chunks of a segment; see `chunk-scorer.ts`. */

import type { ChunkSums } from "./take-reached.ts";

/** Ordinals whose scores are added up at a time, a multiple of 32: they stay in a cache. */
export const CHUNK = 8192;

/** Arrays for the documents of a chunk; sums and bits are 0 between two of them. */
export interface ChunkBuffers extends ChunkSums {
  /** Documents that may be kept, ascending, and what is known of their scores. */
  readonly ordinals: Uint32Array;
  readonly scores: Float64Array;
  /** Of postings; one more than a chunk can have, which is written but does not count. */
  readonly indexes: Uint32Array;
}

/** Kept for rankings that follow: of so many as take turns in a thread, mostly. */
const SPARES_MAX = 4;

/** Each is lent to one ranking at a time; others make their own. */
const spares: ChunkBuffers[] = [];

/** Lends buffers, whose sums and bits are 0. */
export function lendBuffers(): ChunkBuffers {
  return spares.pop() ?? newBuffers();
}

/** Takes them back for the next one. */
export function returnBuffers(buffers: ChunkBuffers): void {
  if (spares.length < SPARES_MAX) spares.push(buffers);
}

function newBuffers(): ChunkBuffers {
  return {
    sums: new Float64Array(CHUNK),
    taken: new Uint32Array(CHUNK / 32),
    takenWords: new Uint32Array(CHUNK / 1024),
    kept: new Float64Array(CHUNK),
    ordinals: new Uint32Array(CHUNK),
    scores: new Float64Array(CHUNK),
    indexes: new Uint32Array(CHUNK + 1),
  };
}
