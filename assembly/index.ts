// The exported ABI of kernel.wasm, and nothing else. Addresses are bytes in the imported memory;
// `gather` is 0 for rows in order. src/kernel/kernel.ts says what each routine promises.

import { nearestRows } from "./nearest";
import { dotRows, squaredDistanceRows } from "./vectors";

export function dotF32(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  dotRows<f32>(query, rows, stride, gather, count, dimensions, scores);
}

export function dotF16(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  dotRows<u16>(query, rows, stride, gather, count, dimensions, scores);
}

export function dotI8(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  dotRows<i8>(query, rows, stride, gather, count, dimensions, scores);
}

export function squaredDistanceF32(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  squaredDistanceRows<f32>(query, rows, stride, gather, count, dimensions, scores);
}

export function squaredDistanceF16(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  squaredDistanceRows<u16>(query, rows, stride, gather, count, dimensions, scores);
}

export function squaredDistanceI8(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  squaredDistanceRows<i8>(query, rows, stride, gather, count, dimensions, scores);
}

export { scanByteCodes } from "./byte-codes";
export { boundCodes, scanCodes } from "./codes";
export { encodeCode } from "./encode";
export { encodeElements } from "./encode-elements";
export { nearestCodes } from "./estimates";
export { scanRates } from "./rates";
export { rotate } from "./rotation";

export function nearestByDot(
  vectors: usize, gather: usize, count: usize, rows: usize, rowCount: usize, firstRow: u32,
  dimensions: usize, few: usize, best: usize, found: usize,
): void {
  nearestRows(
    true, vectors, gather, count, rows, rowCount, firstRow, dimensions, few, best, found,
  );
}

export function nearestByDistance(
  vectors: usize, gather: usize, count: usize, rows: usize, rowCount: usize, firstRow: u32,
  dimensions: usize, few: usize, best: usize, found: usize,
): void {
  nearestRows(
    false, vectors, gather, count, rows, rowCount, firstRow, dimensions, few, best, found,
  );
}
