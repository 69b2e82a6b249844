import type { ByteCodeScan } from "./byte-code-scan.ts";
import type { CodeEncoding } from "./code-encoding.ts";
import {
  CODE_BLOCK_ROWS,
  type CodeBounds,
  type CodeScan,
  FOUND_WORDS,
  LISTED_WORDS,
  NIBBLE_BYTES,
} from "./code-scan.ts";
import type { ElementEncoding, EstimateScan } from "./estimate-scan.ts";
import type { Kernel, Measure, RowFormat, RowScan } from "./kernel.ts";
import type { NearestScan } from "./nearest-scan.ts";
import type { RateScan } from "./rate-scan.ts";
import type { Rotation } from "./rotation.ts";
import { scanByteCodes } from "./scalar-byte-codes.ts";
import { encodeCode } from "./scalar-encoding.ts";
import { encodeElements, nearestCodes } from "./scalar-estimates.ts";
import { nearestRows } from "./scalar-nearest.ts";
import { scanRates } from "./scalar-rates.ts";
import { rotateVector } from "./scalar-rotation.ts";

const LANES = 16;
const HALF_SIGN = 0x8000;

/** Kernel in plain TypeScript: for machines without WebAssembly SIMD, and the oracle in tests. */
export class ScalarKernel implements Kernel {
  readonly name = "scalar";
  readonly #memory: WebAssembly.Memory;
  readonly #lanes = new Float32Array(LANES);
  #row = new Float32Array(0);

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  scanRows(scan: RowScan): void {
    const { dimensions, count } = scan;
    const { buffer } = this.#memory;
    const query = new Float32Array(buffer, scan.query, dimensions);
    const scores = new Float32Array(buffer, scan.scores, count);
    const gather =
      scan.gather === undefined ? undefined : new Uint32Array(buffer, scan.gather, count);
    if (this.#row.length !== dimensions) this.#row = new Float32Array(dimensions);

    for (let i = 0; i < count; i++) {
      const number = gather === undefined ? i : gather[i];
      decodeRow(buffer, scan.rows + number * scan.stride, scan.format, this.#row);
      scores[i] = scan.measure === "dot" ? this.#dot(query) : this.#squaredDistance(query);
    }
  }

  scanCodes(scan: CodeScan): number {
    const { buffer } = this.#memory;
    const list = new Uint32Array(buffer, scan.list, LISTED_WORDS * scan.count);
    const listed = new Float32Array(buffer, scan.list, list.length);
    const numbers = new Uint32Array(buffer, scan.found, FOUND_WORDS * CODE_BLOCK_ROWS * scan.count);
    const bounds = new Float32Array(buffer, scan.found, numbers.length);
    let found = 0;
    for (let at = 0; at < list.length; at += LISTED_WORDS) {
      const [address, mask, firstRow] = list.subarray(at);
      const [base, spread] = listed.subarray(at + 3);
      for (let row = 0; row < CODE_BLOCK_ROWS; row++) {
        if (((mask >>> row) & 1) === 0) continue;
        const { lower, upper } = codeBounds(buffer, { ...scan, base, spread }, address, row);
        if (lower > scan.worst) continue;
        const to = FOUND_WORDS * found++;
        numbers[to] = firstRow + row;
        bounds[to + 1] = lower;
        bounds[to + 2] = upper;
      }
    }
    return found;
  }

  boundCodes(bounds: CodeBounds): void {
    const { buffer } = this.#memory;
    const { count } = bounds;
    const queries = new Float32Array(buffer, bounds.queries, 2 * count);
    const lowers = new Float32Array(buffer, bounds.lower, count * CODE_BLOCK_ROWS);
    const uppers = new Float32Array(buffer, bounds.upper, count * CODE_BLOCK_ROWS);
    for (let at = 0; at < lowers.length; at++) {
      const [block, row] = [Math.floor(at / CODE_BLOCK_ROWS), at % CODE_BLOCK_ROWS];
      const [base, spread] = [queries[2 * block], queries[2 * block + 1]];
      const address = bounds.blocks + block * bounds.blockBytes;
      const { lower, upper } = codeBounds(buffer, { ...bounds, base, spread }, address, row);
      lowers[at] = lower > Number.NEGATIVE_INFINITY ? lower : 0;
      uppers[at] = upper >= lower ? upper : Number.POSITIVE_INFINITY;
    }
  }

  scanByteCodes(scan: ByteCodeScan): number {
    return scanByteCodes(this.#memory.buffer, scan);
  }

  scanRates(scan: RateScan): void {
    scanRates(this.#memory.buffer, scan);
  }

  nearestRows(measure: Measure, scan: NearestScan): void {
    nearestRows(this.#memory.buffer, measure, scan);
  }

  nearestCodes(scan: EstimateScan): void {
    nearestCodes(this.#memory.buffer, scan);
  }

  encodeElements(encoding: ElementEncoding): void {
    encodeElements(this.#memory.buffer, encoding);
  }

  encodeCode(encoding: CodeEncoding): void {
    encodeCode(this.#memory.buffer, encoding);
  }

  rotate({ vector, dimensions, signs, rounds }: Rotation): void {
    const { buffer } = this.#memory;
    const bits = new Uint8Array(buffer, signs, (dimensions / 8) * rounds);
    rotateVector(new Float32Array(buffer, vector, dimensions), bits, rounds);
  }

  #dot(query: Float32Array): number {
    const row = this.#row;
    const lanes = this.#lanes.fill(0);
    const blocksEnd = query.length - (query.length % LANES);
    // A sum stored to a Float32Array is rounded, so only products need Math.fround.
    for (let i = 0; i < blocksEnd; i++) lanes[i % LANES] += Math.fround(query[i] * row[i]);
    let rest = 0;
    for (let i = blocksEnd; i < query.length; i++) {
      rest = Math.fround(rest + Math.fround(query[i] * row[i]));
    }
    return Math.fround(joined(lanes) + rest);
  }

  #squaredDistance(query: Float32Array): number {
    const row = this.#row;
    const lanes = this.#lanes.fill(0);
    const blocksEnd = query.length - (query.length % LANES);
    for (let i = 0; i < blocksEnd; i++) {
      const difference = Math.fround(query[i] - row[i]);
      lanes[i % LANES] += Math.fround(difference * difference);
    }
    let rest = 0;
    for (let i = blocksEnd; i < query.length; i++) {
      const difference = Math.fround(query[i] - row[i]);
      rest = Math.fround(rest + Math.fround(difference * difference));
    }
    return Math.fround(joined(lanes) + rest);
  }
}

/** A query whose distances from rows of a block are bounded. */
interface CodedQuery extends Pick<CodeScan, "nibbles" | "table" | "scale" | "offset"> {
  readonly base: number;
  readonly spread: number;
}

/** The bounds of a row of the block at an address. */
function codeBounds(
  buffer: ArrayBufferLike,
  scan: CodedQuery,
  address: number,
  row: number,
): { readonly lower: number; readonly upper: number } {
  const codes = new Uint8Array(buffer, address, scan.nibbles * NIBBLE_BYTES);
  const table = new Uint8Array(buffer, scan.table, scan.nibbles * NIBBLE_BYTES);
  let sum = 0;
  for (let nibble = 0; nibble < scan.nibbles; nibble++) {
    const both = codes[nibble * NIBBLE_BYTES + (row % NIBBLE_BYTES)];
    sum += table[nibble * NIBBLE_BYTES + (row < NIBBLE_BYTES ? both & 15 : both >> 4)];
  }
  const factors = new Float32Array(buffer, address + codes.length, 3 * CODE_BLOCK_ROWS);
  const [add, rescale, error] = [0, 1, 2].map((i) => factors[i * CODE_BLOCK_ROWS + row]);
  const { fround } = Math;
  const product = fround(fround(fround(sum) * fround(scan.scale)) + fround(scan.offset));
  const estimate = fround(fround(add + fround(scan.base)) + fround(rescale * product));
  const width = fround(error * fround(scan.spread));
  return { lower: fround(estimate - width), upper: fround(estimate + width) };
}

/** Joins the lane sums by halves, in place. */
function joined(lanes: Float32Array): number {
  for (let half = LANES / 2; half >= 1; half /= 2) {
    for (let i = 0; i < half; i++) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

function decodeRow(
  buffer: ArrayBufferLike,
  address: number,
  format: RowFormat,
  into: Float32Array,
): void {
  switch (format) {
    case "f32":
      into.set(new Float32Array(buffer, address, into.length));
      return;
    case "i8":
      into.set(new Int8Array(buffer, address, into.length));
      return;
    case "f16": {
      const bits = new Uint16Array(buffer, address, into.length);
      for (let i = 0; i < bits.length; i++) into[i] = halfValue(bits[i]);
    }
  }
}

/** The value of finite float16 bits. */
function halfValue(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits & HALF_SIGN ? -magnitude : magnitude;
}
