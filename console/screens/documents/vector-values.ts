/** Vectors of answers, and how they are drawn in few pixels. */

/** The numbers of a vector: base64 of little-endian float32, or an array. Undefined: it is none. */
export function vectorValues(value: unknown): Float32Array | undefined {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  if (typeof value !== "string") return undefined;
  let text: string;
  try {
    text = atob(value);
  } catch {
    return undefined;
  }
  if (text.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/** The least and the greatest value of each of `count` equal parts. */
export interface VectorOutline {
  readonly least: Float32Array;
  readonly greatest: Float32Array;
}

/** The outline of a vector in `count` parts, or in as many as it has dimensions. */
export function outlineOf(values: Float32Array, count: number): VectorOutline {
  const parts = Math.min(count, values.length);
  const least = new Float32Array(parts).fill(Number.POSITIVE_INFINITY);
  const greatest = new Float32Array(parts).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < values.length; i++) {
    const part = Math.floor((i * parts) / values.length);
    least[part] = Math.min(least[part], values[i]);
    greatest[part] = Math.max(greatest[part], values[i]);
  }
  return { least, greatest };
}
