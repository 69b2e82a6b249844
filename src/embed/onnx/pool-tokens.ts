import type { OnnxPooling } from "./onnx-folder.ts";

/** Vectors of the tokens of several texts, all padded to one length. */
export interface TokenVectors {
  /** Texts × length × dimensions. */
  readonly data: Float32Array;
  readonly length: number;
  readonly dimensions: number;
}

/** Makes one vector of those of a text's tokens, of which the first `count` count. */
export function poolTokens(
  { data, length, dimensions }: TokenVectors,
  { row, count }: { readonly row: number; readonly count: number },
  pooling: OnnxPooling,
): Float32Array {
  const start = row * length * dimensions;
  if (pooling === "cls") return data.slice(start, start + dimensions);
  const sums = new Float64Array(dimensions);
  for (let token = 0; token < count; token++) {
    const at = start + token * dimensions;
    for (let i = 0; i < dimensions; i++) sums[i] += data[at + i];
  }
  return Float32Array.from(sums, (sum) => sum / count);
}
