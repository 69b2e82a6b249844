/** Codes of rows, one cluster after the other, block by block, in memory of its own. */

import type { ArenaRange } from "../kernel/arena.ts";
import type { RotationSigns } from "../kernel/arena-kernels.ts";
import { CODE_SUMS } from "../kernel/code-encoding.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, NIBBLE_BYTES } from "../kernel/code-scan.ts";
import type { KernelSpace } from "./centroids.ts";
import { writeFactors, writeUnknownFactors } from "./one-bit-codes.ts";

/** All that kernels read begins at multiples of this. */
const ALIGN = 16;

/** How vectors are rotated, and what is subtracted from them before. */
export interface EncoderOptions {
  /** A multiple of ROTATED_MULTIPLE, at least those of the vectors. */
  readonly rotatedDimensions: number;
  readonly rounds: number;
  /** Bits of the rotation's signs; see `Rotation`. */
  readonly signs: Uint8Array;
  readonly origin: Float32Array;
}

/** See the file's head. Must be freed. */
export class CodeEncoder {
  /** The codes and factors of 32 rows; see `kernel/code-scan.ts`. */
  readonly #block: Uint8Array;
  readonly #rotated: number;
  readonly #rounds: number;
  readonly #kernels: KernelSpace;
  readonly #range: ArenaRange;
  /** Where everything lies, in bytes. */
  readonly #places: Record<keyof typeof SIZES, number>;
  readonly #origin: Float32Array;
  readonly #row: Float32Array;
  readonly #centroid: Float32Array;
  readonly #sums: Float64Array;
  readonly #factors: Float32Array;
  #target: Uint8Array = new Uint8Array(0);
  #rowCount = 0;
  /** The next one. */
  #rowNumber = 0;

  constructor(options: EncoderOptions, kernels: KernelSpace) {
    const { rotatedDimensions: rotated, rounds, signs, origin } = options;
    const { places, end } = placesOf(rotated, signs.length);
    const { arena, offset, bytes } = kernels.memory.allocate(end);
    bytes.fill(0);
    bytes.set(signs, places.signs);
    const floats = (at: number, count: number) =>
      new Float32Array(bytes.buffer, bytes.byteOffset + at, count);
    this.#rotated = rotated;
    this.#rounds = rounds;
    this.#kernels = kernels;
    this.#range = { arena, offset, bytes: end };
    this.#places = places;
    this.#origin = floats(places.origin, origin.length);
    this.#origin.set(origin);
    this.#row = floats(places.row, origin.length);
    this.#centroid = floats(places.centroid, rotated);
    this.#sums = new Float64Array(bytes.buffer, bytes.byteOffset + places.sums, CODE_SUMS);
    this.#block = bytes.subarray(places.block, places.block + codeBlockBytes(rotated / 4));
    this.#factors = floats(places.block + (rotated / 4) * NIBBLE_BYTES, 3 * CODE_BLOCK_ROWS);
  }

  /** Sets the mean of the rows that follow. */
  setMean(mean: Float32Array): void {
    const difference = mean.map((value, d) => value - this.#origin[d]);
    const signs: RotationSigns = {
      block: this.#range,
      start: this.#places.signs,
      dimensions: this.#rotated,
      rounds: this.#rounds,
    };
    this.#kernels.kernels.rotate(signs, difference, this.#centroid);
  }

  /**
   * Sets where the codes of `rowCount` rows go, which are written one by one from the first to the
   * last.
   */
  begin(target: Uint8Array, rowCount: number): void {
    this.#target = target;
    this.#rowCount = rowCount;
    this.#rowNumber = 0;
    this.#block.fill(0);
  }

  /**
   * Writes the code of `vector` · `weight` as that of the next row. Returns the square of its
   * distance from the mean.
   */
  write(vector: Float32Array, weight: number): number {
    const row = this.#rowNumber % CODE_BLOCK_ROWS;
    this.#row.set(vector);
    const { places, half } = this.#placeOf(row);
    this.#kernels.kernels.encodeCode(this.#range, {
      ...places,
      weight,
      dimensions: this.#rotated,
      rounds: this.#rounds,
      half,
    });
    const [squared, signed, shift] = this.#sums;
    writeFactors(this.#factors, row, { dimensions: this.#rotated, squared, signed, shift });
    this.#next();
    return squared;
  }

  /** Writes a code of which nothing is known as that of the next row. */
  writeUnknown(): void {
    writeUnknownFactors(this.#factors, this.#rowNumber % CODE_BLOCK_ROWS);
    this.#next();
  }

  #next(): void {
    const block = Math.floor(this.#rowNumber / CODE_BLOCK_ROWS);
    this.#rowNumber++;
    if (this.#rowNumber % CODE_BLOCK_ROWS !== 0 && this.#rowNumber !== this.#rowCount) return;
    this.#target.set(this.#block, block * this.#block.length);
    this.#block.fill(0);
  }

  free(): void {
    this.#kernels.memory.free(this.#range);
  }

  #placeOf(row: number) {
    const codes = this.#places.block + (row % NIBBLE_BYTES);
    const half = row < NIBBLE_BYTES ? "lower" : "upper";
    return { places: { ...this.#places, codes }, half } as const;
  }
}

/** Bytes of each part, for so many rotated dimensions and bytes of signs. */
const SIZES = {
  signs: (_: number, signBytes: number) => signBytes,
  origin: (rotated: number) => 4 * rotated,
  row: (rotated: number) => 4 * rotated,
  centroid: (rotated: number) => 4 * rotated,
  residual: (rotated: number) => 4 * rotated,
  sums: () => 8 * CODE_SUMS,
  block: (rotated: number) => codeBlockBytes(rotated / 4),
};

function placesOf(rotated: number, signBytes: number) {
  const places = { signs: 0, origin: 0, row: 0, centroid: 0, residual: 0, sums: 0, block: 0 };
  let end = 0;
  for (const part of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    places[part] = end;
    end += Math.ceil(SIZES[part](rotated, signBytes) / ALIGN) * ALIGN;
  }
  return { places, end };
}
