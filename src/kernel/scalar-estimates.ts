import {
  ELEMENT_FACTOR_BYTES,
  type ElementEncoding,
  type EstimateScan,
  elementCodeStride,
  paddedElements,
  ROW_CODE_MAX,
  ROW_CODE_SHIFT,
  VECTOR_CODE_MAX,
} from "./estimate-scan.ts";
import { insertNearest } from "./scalar-nearest.ts";

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** The same as the kernels' search for the nearest codes, in plain TypeScript. */
export function nearestCodes(buffer: ArrayBufferLike, scan: EstimateScan): void {
  const { codes, count, rowCount, few } = scan;
  const stride = codes + ELEMENT_FACTOR_BYTES;
  const gather = new Uint32Array(buffer, scan.gather, count);
  for (let r = 0; r < rowCount; r++) {
    for (const v of gather) {
      const pair = { vector: scan.vectors + v * stride, row: scan.rows + r * stride, codes };
      insertNearest(closenessOf(buffer, pair), scan.firstRow + r, {
        closenesses: new Float32Array(buffer, scan.closenesses + 4 * v * few, few),
        found: new Uint32Array(buffer, scan.found + 4 * v * few, few),
      });
    }
  }
}

/** How near the row at an address is to the vector at another. */
function closenessOf(
  buffer: ArrayBufferLike,
  { vector, row, codes }: { vector: number; row: number; codes: number },
): number {
  const { fround } = Math;
  const own = new Int8Array(buffer, vector, codes);
  const other = new Uint8Array(buffer, row, codes);
  let product = 0;
  for (let i = 0; i < codes; i++) product += own[i] * (other[i] - ROW_CODE_SHIFT);
  const [vectorScale] = new Float32Array(buffer, vector + codes, 1);
  const [rowScale] = new Float32Array(buffer, row + codes, 1);
  const near = fround(fround(fround(product) * rowScale) * vectorScale);
  const [squares] = new Int32Array(buffer, row + codes + 8, 1);
  const squared = fround(fround(rowScale * fround(squares)) * rowScale);
  return fround(near - fround(squared / 2));
}

/** Writes the codes of vectors or rows: the same as the kernels' encoding. */
export function encodeElements(buffer: ArrayBufferLike, encoding: ElementEncoding): void {
  const { kind, count, dimensions } = encoding;
  const weights = new Float32Array(buffer, encoding.weights, count);
  const origin = new Float32Array(buffer, encoding.origin, dimensions);
  for (let i = 0; i < count; i++) {
    const elements = new Float32Array(buffer, encoding.elements + 4 * i * dimensions, dimensions);
    const differences = elements.map((element, d) => Math.fround(element * weights[i]) - origin[d]);
    encodeOne(buffer, kind, differences, encoding.coded + i * elementCodeStride(dimensions));
  }
}

function encodeOne(
  buffer: ArrayBufferLike,
  kind: "vector" | "row",
  differences: Float32Array,
  coded: number,
): void {
  const { fround } = Math;
  const dimensions = differences.length;
  const greatest = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const top = kind === "vector" ? VECTOR_CODE_MAX : ROW_CODE_MAX;
  const isKnown = Number.isFinite(greatest);
  const factor = greatest === 0 ? 1 : Math.min(fround(top / greatest), FLOAT32_MAX);
  const codes = new Int8Array(paddedElements(dimensions));
  for (let d = 0; isKnown && d < dimensions; d++) {
    codes[d] = rounded(fround(differences[d] * factor));
  }
  const shift = kind === "vector" ? 0 : ROW_CODE_SHIFT;
  new Int8Array(buffer, coded, codes.length).set(codes.map((code) => code + shift));
  const factors = coded + codes.length;
  new Float32Array(buffer, factors, 1)[0] = isKnown ? 1 / factor : Number.NaN;
  const sum = codes.reduce((all, code) => all + code, 0);
  const squares = codes.reduce((all, code) => all + code * code, 0);
  new Int32Array(buffer, factors + 4, 2).set([sum, squares]);
}

/** The nearest whole number, of two as near the even one. */
function rounded(value: number): number {
  const down = Math.floor(value);
  const above = value - down;
  if (above === 0.5) return down % 2 === 0 ? down : down + 1;
  return above < 0.5 ? down : down + 1;
}
