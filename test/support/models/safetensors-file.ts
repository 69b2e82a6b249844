/** Makes safetensors files for tests. */

/** A tensor to write. */
export interface TensorContent {
  readonly type: string;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView<ArrayBuffer>;
}

/** The bytes of a file with these tensors, by name. */
export function safetensorsOf(tensors: Readonly<Record<string, TensorContent>>): Uint8Array {
  const entries: [string, unknown][] = [["__metadata__", { format: "pt" }]];
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [name, { type, shape, data }] of Object.entries(tensors)) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    entries.push([name, { dtype: type, shape, data_offsets: [at, at + bytes.length] }]);
    pieces.push(bytes);
    at += bytes.length;
  }
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const length = new Uint8Array(BigUint64Array.of(BigInt(header.length)).buffer);
  return Buffer.concat([length, header, ...pieces]);
}
