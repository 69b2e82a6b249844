import type { CodeEncoding } from "./code-encoding.ts";
import { NIBBLE_BYTES } from "./code-scan.ts";
import { rotateVector } from "./scalar-rotation.ts";

/** The same as the kernels' encoding, in plain TypeScript. */
export function encodeCode(buffer: ArrayBufferLike, encoding: CodeEncoding): void {
  const { dimensions, rounds, weight } = encoding;
  const floats = (address: number) => new Float32Array(buffer, address, dimensions);
  const [row, origin] = [floats(encoding.row), floats(encoding.origin)];
  const residual = floats(encoding.residual);
  // What is stored to a Float32Array is rounded.
  for (let d = 0; d < dimensions; d++) residual[d] = Math.fround(row[d] * weight) - origin[d];
  const signs = new Uint8Array(buffer, encoding.signs, (dimensions / 8) * rounds);
  rotateVector(residual, signs, rounds);
  const centroid = floats(encoding.centroid);
  const codes = new Uint8Array(buffer, encoding.codes, (dimensions / 4 - 1) * NIBBLE_BYTES + 1);
  const shift = encoding.half === "lower" ? 0 : 4;
  const lanes = Array.from({ length: 3 }, () => new Float64Array(4));
  for (let d = 0; d < dimensions; d++) {
    residual[d] -= centroid[d];
    const isUp = residual[d] >= 0;
    if (isUp) codes[(d >> 2) * NIBBLE_BYTES] |= 1 << ((d & 3) + shift);
    lanes[0][d & 3] += residual[d] * residual[d];
    lanes[1][d & 3] += Math.abs(residual[d]);
    lanes[2][d & 3] += isUp ? centroid[d] : -centroid[d];
  }
  const joined = lanes.map(([a, b, c, d]) => a + c + (b + d));
  new Float64Array(buffer, encoding.sums, lanes.length).set(joined);
}
