/** Where a segment's dense vectors lie: chunk by chunk, each in an arena once it is in memory. */

import { assert } from "../../base/assert.ts";
import type { RowMatrix } from "../../kernel/arena-kernels.ts";
import { ELEMENT_BYTES, type RowFormat } from "../../kernel/kernel.ts";
import type { ColumnView, VectorPlace } from "../../segment/view/segment-view.ts";
import type { MatchedDocuments } from "../documents/matched-documents.ts";
import { nextBit, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { Need } from "../operator/operator.ts";

/** The chunks of a column of vectors. What a run has looked at stays where it is until it ends. */
export class VectorChunks {
  readonly column: ColumnView;
  readonly place: VectorPlace;
  readonly format: RowFormat;
  readonly dimensions: number;
  readonly #known = new Map<number, RowMatrix>();

  constructor(column: ColumnView, place: VectorPlace) {
    const { type } = column.column;
    assert(type.kind === "vector", "rows of no dense vectors");
    this.column = column;
    this.place = place;
    this.format = type.element;
    this.dimensions = type.dimensions;
  }

  /** A chunk. Throws `BytesMissing`. */
  at(index: number): RowMatrix {
    const known = this.#known.get(index);
    if (known !== undefined) return known;
    const matrix = this.#open(index);
    this.#known.set(index, matrix);
    return matrix;
  }

  /**
   * Writes where the vectors of ascending ordinals lie, from `start` on and as far as they are in
   * one arena: the address of each in elements, which is its row in `elementRows`. Throws
   * `BytesMissing`.
   */
  placesOf(
    ordinals: Uint32Array,
    start: number,
    places: Uint32Array,
  ): { readonly arena: number; readonly end: number } {
    const { chunkRows, strideBytes } = this.place;
    const elementBytes = ELEMENT_BYTES[this.format];
    const stride = strideBytes / elementBytes;
    let arena = -1;
    let chunkEnd = 0;
    /** Where ordinal 0 would be if all were in the chunk. */
    let origin = 0;
    for (let i = start; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      if (ordinal >= chunkEnd) {
        const index = Math.floor(ordinal / chunkRows);
        const { block } = this.at(index);
        if (arena < 0) arena = block.arena;
        else if (block.arena !== arena) return { arena, end: i };
        chunkEnd = (index + 1) * chunkRows;
        origin = block.offset / elementBytes - index * chunkRows * stride;
      }
      places[i - start] = origin + ordinal * stride;
    }
    return { arena, end: ordinals.length };
  }

  /** Rows of an arena that begin at each of its elements, so that all chunks in it are one matrix. */
  elementRows(arena: number): RowMatrix {
    return {
      block: { arena, offset: 0, bytes: 0 },
      start: 0,
      format: this.format,
      dimensions: this.dimensions,
      strideBytes: ELEMENT_BYTES[this.format],
    };
  }

  #open(index: number): RowMatrix {
    const { strideBytes, chunkRows } = this.place;
    const { arena, offset } = this.place.chunk(index);
    const rows = Math.min(chunkRows, this.column.column.count - index * chunkRows);
    return {
      block: { arena, offset, bytes: rows * strideBytes },
      start: 0,
      format: this.format,
      dimensions: this.dimensions,
      strideBytes,
    };
  }
}

/** A run of ordinals whose vectors are in one chunk. */
interface ChunkRun {
  readonly index: number;
  /** Positions among the ordinals. */
  readonly start: number;
  readonly end: number;
}

/** Cuts ascending ordinals where a chunk ends. */
export function forEachChunk(
  ordinals: Uint32Array,
  chunkRows: number,
  visit: (run: ChunkRun) => void,
): void {
  for (let start = 0; start < ordinals.length; ) {
    const index = Math.floor(ordinals[start] / chunkRows);
    const limit = (index + 1) * chunkRows;
    let end = start + 1;
    if (ordinals[ordinals.length - 1] < limit) end = ordinals.length;
    else while (ordinals[end] < limit) end++;
    visit({ index, start, end });
    start = end;
  }
}

/** Looks at all chunks of vectors that a scan reads. */
export function chunkNeeds(chunks: VectorChunks, candidates: MatchedDocuments): Need[] {
  const { chunkRows } = chunks.place;
  const indexes =
    candidates.form === "bits"
      ? chunksWith(candidates.bits, chunkRows)
      : chunksOf(candidates.ordinals, chunkRows);
  return indexes.map((index) => () => void chunks.at(index));
}

/** Numbers of the chunks of so many rows that ascending ordinals are in, each once. */
function chunksOf(ordinals: Uint32Array, chunkRows: number): number[] {
  const chunks: number[] = [];
  for (const ordinal of ordinals) {
    const index = Math.floor(ordinal / chunkRows);
    if (index !== chunks.at(-1)) chunks.push(index);
  }
  return chunks;
}

/** Numbers of the chunks of so many rows that have a candidate, ascending. */
export function chunksWith(candidates: OrdinalBits, chunkRows: number): number[] {
  const chunks: number[] = [];
  const count = candidates.length << 5;
  for (let start = nextBit(candidates, 0); start < count; ) {
    const index = Math.floor(start / chunkRows);
    chunks.push(index);
    start = nextBit(candidates, (index + 1) * chunkRows);
  }
  return chunks;
}
