/**
 * A folder with a static embedding model, in the form that model2vec made common:
 * `model.safetensors` with a vector for each token, `tokenizer.json`, and `config.json`. Read once
 * for all threads: vectors are in shared memory, and each thread makes a tokenizer of its own.
 */

import { join } from "node:path";
import { KIB, MIB } from "../../base/byte-sizes.ts";
import { invalid, isDatabaseError } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import { parseRecord } from "../json-record.ts";
import { readBounded } from "../read-bounded.ts";
import { parseTokenizer } from "./parse-tokenizer.ts";
import { readSafetensors, type Tensor } from "./safetensors.ts";

/** Bytes of `model.safetensors`; our choice: half a million vectors of 256 32-bit elements. */
const MODEL_BYTES_MAX = 512 * MIB;
/** Bytes of `tokenizer.json`, each thread's of which takes some times as much memory. */
const TOKENIZER_BYTES_MAX = 32 * MIB;
const CONFIG_BYTES_MAX = 64 * KIB;
/**
 * Heap of a vocabulary's token in a thread beside its spelling, which tokenizer.json bounds: 60 to
 * 77 bytes were measured with the spelling, by kind of model.
 */
const TOKEN_BYTES = 64;
/** For messages where a file is not there. */
const LAYOUT = "a folder of a static model has model.safetensors, tokenizer.json, config.json";
/** Names of the tensor with the vectors: model2vec's, and sentence-transformers'. */
const VECTORS = ["embeddings", "embedding.weight"] as const;

/** A model that was read; it can be posted to other threads, which share its vectors. */
export interface ModelFolder {
  /** By which schemas know it. */
  readonly name: string;
  /** For messages. */
  readonly path: string;
  readonly dimensions: number;
  /** One after the other, in shared memory. */
  readonly vectors: Float32Array | Float16Array | Int8Array;
  /** How much each token counts, by its number; absent: all as much. */
  readonly weights?: Float32Array;
  /** Place of each token's vector, by its number; absent: the number. */
  readonly places?: Int32Array;
  /** Whether a text's vector is scaled to length 1. */
  readonly normalizes: boolean;
  /** The bytes of tokenizer.json, in shared memory. */
  readonly tokenizer: Uint8Array;
  /** What all threads share of it. */
  readonly sharedBytes: number;
  /** What each thread takes beside that once it embeds with it; an upper bound. */
  readonly threadBytes: number;
}

/** Which folder is read, and who hears how large it is. */
export interface ModelFolderSource {
  /** By which schemas know it. */
  readonly name: string;
  readonly path: string;
  /** Hears what model.safetensors has before it is read, of which most is shared; may throw. */
  readonly checkSize: (fileBytes: number) => void;
}

/**
 * Reads and checks a folder. Throws `invalid`, with the file and what is wrong in it, or how its
 * folder should look, and what `checkSize` throws.
 */
export async function readModelFolder({
  name,
  path,
  checkSize,
}: ModelFolderSource): Promise<ModelFolder> {
  const file = join(path, "model.safetensors");
  const bytes = await readBounded(file, { bytesMax: MODEL_BYTES_MAX, layout: LAYOUT, checkSize });
  const table = inFile(file, () => readTable(bytes));
  const configFile = join(path, "config.json");
  const config = await readBounded(configFile, { bytesMax: CONFIG_BYTES_MAX, layout: LAYOUT });
  const { normalize } = inFile(configFile, () => parseRecord(textOf(config), "it"));
  const tokenizerFile = join(path, "tokenizer.json");
  const json = await readBounded(tokenizerFile, {
    bytesMax: TOKENIZER_BYTES_MAX,
    layout: LAYOUT,
  });
  const { tokensMax } = inFile(tokenizerFile, () => parseTokenizer(textOf(json)));
  const { vectors, weights, places, dimensions } = table;
  const tokenCount = places?.length ?? vectors.length / dimensions;
  if (tokensMax > tokenCount) {
    const has = `${tokensMax} tokens, and model.safetensors vectors for ${tokenCount}`;
    throw invalid(`${tokenizerFile} has ${has}; both must be of one model`);
  }
  return {
    name,
    path,
    ...table,
    normalizes: normalize === true,
    tokenizer: new Uint8Array(sharedCopy(json)),
    sharedBytes: vectors.byteLength + json.length,
    threadBytes:
      tokensMax * TOKEN_BYTES +
      json.length +
      (weights?.byteLength ?? 0) +
      (places?.byteLength ?? 0),
  };
}

/** Reads the tensors of a table, which refer to each other. */
function readTable(
  file: Uint8Array,
): Pick<ModelFolder, "dimensions" | "vectors" | "weights" | "places"> {
  const tensors = readSafetensors(file, [...VECTORS, "weights", "mapping"]);
  const rows = tensors.get(VECTORS[0]) ?? tensors.get(VECTORS[1]);
  if (rows === undefined) throw invalid(`it has no tensor named ${VECTORS.join(" or ")}`);
  const [count, dimensions] = rows.shape;
  if (
    rows.shape.length !== 2 ||
    count < 1 ||
    dimensions < 1 ||
    dimensions > VECTOR_DIMENSIONS_MAX
  ) {
    const shape = rows.shape.join(" × ");
    throw invalid(`its vectors have shape ${shape}, not tokens × 1 to ${VECTOR_DIMENSIONS_MAX}`);
  }
  const vectors = vectorsOf(rows);
  const weighted = tensors.get("weights");
  const mapped = tensors.get("mapping");
  const places = mapped && placesOf(mapped, count);
  const weights = weighted && numbersOf(weighted, "weights", places?.length ?? count);
  return { dimensions, vectors, ...(weights && { weights }), ...(places && { places }) };
}

function vectorsOf({ type, bytes, count }: Tensor): ModelFolder["vectors"] {
  const buffer = sharedCopy(bytes);
  switch (type) {
    case "F32":
      return finite(new Float32Array(buffer, 0, count));
    case "F16":
      return finite(new Float16Array(buffer, 0, count));
    case "I8":
      return new Int8Array(buffer, 0, count);
    default:
      throw invalid(`its vectors are ${type}; known are F32, F16 and I8`);
  }
}

/** In memory of its own, where elements begin at multiples of their size. */
function sharedCopy(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

function finite<T extends Float32Array | Float16Array>(vectors: T): T {
  for (let i = 0; i < vectors.length; i++) {
    if (!Number.isFinite(vectors[i])) throw invalid(`element ${i} of its vectors is ${vectors[i]}`);
  }
  return vectors;
}

/** A list of numbers as long as the vocabulary. */
function numbersOf({ type, shape, bytes, count }: Tensor, name: string, length: number) {
  if (shape.length !== 1 || count !== length) {
    throw invalid(`its ${name} have shape ${shape.join(" × ")}, not ${length}, one for each token`);
  }
  const { buffer } = Uint8Array.from(bytes);
  switch (type) {
    case "F64":
      return finite(Float32Array.from(new Float64Array(buffer)));
    case "F32":
      return finite(new Float32Array(buffer));
    case "F16":
      return finite(Float32Array.from(new Float16Array(buffer)));
    default:
      throw invalid(`its ${name} are ${type}; known are F64, F32 and F16`);
  }
}

function placesOf({ type, shape, bytes, count }: Tensor, rows: number): Int32Array {
  const { buffer } = Uint8Array.from(bytes);
  if (shape.length !== 1 || (type !== "I32" && type !== "I64")) {
    throw invalid(`its mapping is ${type} of shape ${shape.join(" × ")}, not a list of I32 or I64`);
  }
  const places = type === "I32" ? new Int32Array(buffer) : new BigInt64Array(buffer);
  // Before it is made of 32 bits, which the upper half of a number would be lost in.
  for (let i = 0; i < count; i++) {
    if (places[i] < 0 || places[i] >= rows) {
      throw invalid(`element ${i} of its mapping is ${places[i]}, and it has ${rows} vectors`);
    }
  }
  return places instanceof Int32Array ? places : Int32Array.from(places, Number);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Says which file a fault is in. */
function inFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDatabaseError(error, "invalid")) throw error;
    throw invalid(`${file}: ${error.message}`);
  }
}
