/**
 * The safetensors format, as far as tables of vectors need it. Integers are little-endian:
 *
 *     offset  size  meaning
 *          0     8  N, length of the header
 *          8     N  JSON: { name: { dtype, shape, data_offsets: [start, end] } }; the name
 *                   `__metadata__` is no tensor
 *      8 + N        data; offsets count from here
 *
 * Everything is checked before it is used: files come from anywhere.
 */

import { KIB } from "../../base/byte-sizes.ts";
import { invalid } from "../../base/errors.ts";
import { quoted } from "../json-record.ts";

/** Bytes of a header; our choice: some hundred tensors, where tables of vectors have three. */
const HEADER_BYTES_MAX = 64 * KIB;
/** Dimensions of a tensor's shape; vectors in a table have two. */
const RANK_MAX = 4;

const BYTES_PER_ELEMENT = { F64: 8, F32: 4, F16: 2, I8: 1, I32: 4, I64: 8 } as const;

/** Kinds of elements that are read; others are refused where their tensor is. */
export type TensorType = keyof typeof BYTES_PER_ELEMENT;

/** A tensor in the file. */
export interface Tensor {
  readonly type: TensorType;
  readonly shape: readonly number[];
  /** Elements, all shape's dimensions multiplied. */
  readonly count: number;
  /** A view of the file's bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Reads the tensors whose names are in `wanted`; others may be of any kind. Throws `invalid`, with
 * what is wrong and where.
 */
export function readSafetensors(file: Uint8Array, wanted: readonly string[]): Map<string, Tensor> {
  const { header, dataStart } = readHeader(file);
  const data = file.subarray(dataStart);
  const tensors = new Map<string, Tensor>();
  for (const name of wanted) {
    if (Object.hasOwn(header, name)) tensors.set(name, readTensor(data, name, header[name]));
  }
  return tensors;
}

function readHeader(file: Uint8Array): {
  readonly header: Readonly<Record<string, unknown>>;
  readonly dataStart: number;
} {
  if (file.length < 8)
    throw refusal(`it has ${file.length} bytes, and its header's length takes 8`);
  const length = new DataView(file.buffer, file.byteOffset, 8).getBigUint64(0, true);
  if (length > HEADER_BYTES_MAX) {
    throw refusal(`its header has ${length} bytes, at most ${HEADER_BYTES_MAX} are read`);
  }
  const dataStart = 8 + Number(length);
  if (dataStart > file.length) {
    throw refusal(`its header has ${length} bytes, and the file ${file.length}`);
  }
  const header = parseObject(new TextDecoder().decode(file.slice(8, dataStart)));
  if (header === undefined) throw refusal("its header is no JSON object");
  return { header, dataStart };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // No JSON at all; the caller says so.
  }
  return undefined;
}

function readTensor(data: Uint8Array, name: string, entry: unknown): Tensor {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
  if (typeof dtype !== "string" || !Object.hasOwn(BYTES_PER_ELEMENT, dtype)) {
    const known = Object.keys(BYTES_PER_ELEMENT).join(", ");
    throw refusal(`tensor "${name}" has dtype ${quoted(dtype)}; known are ${known}`);
  }
  if (!isSizes(shape) || shape.length > RANK_MAX) {
    throw refusal(`tensor "${name}" has shape ${quoted(shape)}, not up to 4 whole numbers`);
  }
  if (!isSizes(offsets) || offsets.length !== 2) {
    throw refusal(`tensor "${name}" has data_offsets ${quoted(offsets)}, not [start, end]`);
  }
  const type = dtype as TensorType;
  const [start, end] = offsets;
  if (start > end || end > data.length) {
    throw refusal(`tensor "${name}" lies at ${start} to ${end} of ${data.length} bytes of data`);
  }
  const count = shape.reduce((product, size) => product * size, 1);
  if (count * BYTES_PER_ELEMENT[type] !== end - start) {
    const what = `${end - start} bytes for ${shape.join(" × ")} elements of ${type}`;
    throw refusal(`tensor "${name}" has ${what}`);
  }
  return { type, shape, count, bytes: data.subarray(start, end) };
}

function isSizes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

function refusal(what: string): Error {
  return invalid(`no safetensors file that can be read: ${what}`);
}
