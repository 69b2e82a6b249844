/** Vectors of the API's answers as arrays of numbers. */

/** Chromium, Firefox and Safari have it since 2025; elsewhere characters are taken one by one. */
interface Base64Decoder {
  readonly fromBase64?: (text: string) => Uint8Array;
}

/**
 * A vector as an answer with `vector_encoding: "base64"` has it (float32, little-endian), or as an
 * array of numbers; nothing where it is neither or has other dimensions than `dims`.
 */
export function decodeVector(value: unknown, dims: number): Float32Array | undefined {
  if (Array.isArray(value)) {
    return value.length === dims ? Float32Array.from(value, Number) : undefined;
  }
  if (typeof value !== "string") return undefined;
  const bytes = bytesOf(value);
  if (bytes.length !== dims * Float32Array.BYTES_PER_ELEMENT) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: dims }, (_, d) => view.getFloat32(d * 4, true));
}

/** The vector with length 1, as cosines see it; one of zeros stays so. */
export function normalized(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function bytesOf(text: string): Uint8Array {
  const { fromBase64 } = Uint8Array as Base64Decoder;
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
