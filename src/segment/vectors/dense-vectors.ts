/** Dense vectors of a segment, read as a column, by chunks, or one by one. */

import type { ArenaBytes } from "../../kernel/arena.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionSpan } from "../format/segment-layout.ts";
import {
  oneVector,
  type PlacedVectors,
  type VectorColumn,
  vectorData,
  vectorStride,
} from "./vector-section.ts";

/**
 * A column of dense vectors. `data` needs all of them, and is a copy where they lie at a padded
 * stride; single vectors and chunks are read by themselves.
 */
export class DenseVectors implements Column {
  readonly type: VectorColumn["type"];
  readonly count: number;
  declare readonly presence?: Uint8Array;
  readonly description: VectorColumn;
  readonly strideBytes: number;
  /** Vectors of a chunk; see `VectorPlace`. */
  readonly chunkRows: number;
  readonly #source: ByteSource;
  readonly #section: SectionSpan;
  #data: ColumnData | undefined;

  constructor(description: VectorColumn, source: ByteSource, section: SectionSpan) {
    this.type = description.type;
    this.count = description.count;
    if (description.presence !== undefined) this.presence = description.presence;
    this.description = description;
    this.strideBytes = vectorStride(description.type);
    const rows = Math.max(1, Math.floor(source.chunkBytes / this.strideBytes));
    this.chunkRows = Math.min(rows, Math.max(1, description.count));
    this.#source = source;
    this.#section = section;
  }

  /** All vectors as they lie there. */
  get vectors(): PlacedVectors {
    const { offset, bytes } = this.#section;
    const all = this.#source.place(offset, offset + bytes).bytes;
    return { bytes: all, strideBytes: this.strideBytes };
  }

  get data(): ColumnData {
    this.#data ??= vectorData(this.type, this.vectors, this.count);
    return this.#data;
  }

  /** Looks at all chunks. Throws one `BytesMissing` for all of them. */
  touchChunks(): void {
    const count = Math.ceil(this.count / this.chunkRows);
    attemptAll(Array.from({ length: count }, (_, index) => () => void this.chunk(index)));
  }

  /** Where a chunk lies. */
  chunk(index: number): ArenaBytes {
    return this.#source.place(...this.#chunkRange(index));
  }

  /** One vector as a column of its own: a view. Without its chunk only the vector is read. */
  one(ordinal: number): ColumnData {
    const index = Math.floor(ordinal / this.chunkRows);
    const chunk = this.#source.peek(...this.#chunkRange(index));
    if (chunk !== undefined) return this.#vectorIn(chunk, ordinal - index * this.chunkRows);
    return this.#vectorIn(this.#source.place(...this.#range(ordinal, ordinal + 1)), 0);
  }

  #vectorIn({ bytes }: ArenaBytes, index: number): ColumnData {
    return oneVector(this.type, { bytes, strideBytes: this.strideBytes }, index);
  }

  #chunkRange(index: number): [start: number, end: number] {
    const first = index * this.chunkRows;
    return this.#range(first, Math.min(first + this.chunkRows, this.count));
  }

  /** Where vectors are in the segment. */
  #range(first: number, end: number): [start: number, end: number] {
    const { offset } = this.#section;
    return [offset + first * this.strideBytes, offset + end * this.strideBytes];
  }
}
