import { expect, test } from "vitest";
import { safetensorsOf } from "../../../test/support/models/safetensors-file.ts";
import { readSafetensors } from "./safetensors.ts";

const TABLE = { type: "F32", shape: [2, 3], data: new Float32Array([1, 2, 3, 4, 5, 6]) } as const;

test("reads the tensors that are asked for", () => {
  const other = { type: "BF16", shape: [1], data: new Uint8Array(2) } as const;
  const file = safetensorsOf({ other, embeddings: TABLE });
  const found = readSafetensors(file, ["embeddings", "weights"]);
  expect([...found.keys()]).toEqual(["embeddings"]);
  const { type, shape, count, bytes } = found.get("embeddings") ?? {};
  expect({ type, shape, count }).toEqual({ type: "F32", shape: [2, 3], count: 6 });
  expect(new Float32Array(Uint8Array.from(bytes ?? []).buffer)).toEqual(TABLE.data);
});

function withHeader(header: string, data = new Uint8Array(24)): Uint8Array {
  const bytes = new TextEncoder().encode(header);
  const length = new Uint8Array(BigUint64Array.of(BigInt(bytes.length)).buffer);
  return Buffer.concat([length, bytes, data]);
}

const entry = (changes: object) =>
  withHeader(
    JSON.stringify({ a: { dtype: "F32", shape: [2, 3], data_offsets: [0, 24], ...changes } }),
  );

test.each([
  [new Uint8Array(7), "it has 7 bytes"],
  [new Uint8Array(8).fill(255), "at most 65536 are read"],
  [new Uint8Array(BigUint64Array.of(9n).buffer), "its header has 9 bytes, and the file 8"],
  [withHeader("nonsense"), "its header is no JSON object"],
  [withHeader("[1]"), "its header is no JSON object"],
  [withHeader('{"a": null}'), 'tensor "a" has dtype undefined'],
  [entry({ dtype: "F8_E4M3" }), 'tensor "a" has dtype "F8_E4M3"; known are'],
  [entry({ dtype: "toString" }), 'tensor "a" has dtype "toString"'],
  [entry({ shape: [2, -3] }), 'tensor "a" has shape [2,-3]'],
  [entry({ shape: [1, 1, 1, 1, 6] }), "not up to 4 whole numbers"],
  [entry({ shape: [2 ** 40, 2 ** 40] }), "has 24 bytes for"],
  [entry({ data_offsets: [0] }), "has data_offsets [0]"],
  [entry({ data_offsets: [8, 4] }), "lies at 8 to 4 of 24 bytes"],
  [entry({ data_offsets: [0, 25] }), "lies at 0 to 25 of 24 bytes"],
  [entry({ data_offsets: [0, 20] }), "has 20 bytes for 2 × 3 elements of F32"],
])("refuses hostile file %#", (file, message) => {
  expect(() => readSafetensors(file, ["a"])).toThrow(message);
});
