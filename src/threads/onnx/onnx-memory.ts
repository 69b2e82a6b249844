import { sizeText } from "../../base/amount-text.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { invalid } from "../../base/errors.ts";
import type { OnnxFileSizes } from "../../embed/onnx/onnx-folder.ts";

/** Share of the memory limit that all ONNX models together may take; our choice. */
const ONNX_MEMORY_SHARE = 0.5;
/** The runtime, its thread, and what runs of 512 tokens take for a moment; above what was measured. */
const RUNTIME_BYTES = 128 * MIB;
/** Of the runtime's memory for each byte of a model.onnx while it is loaded, which is not given back. */
const MODEL_BYTES_FACTOR = 4;
/** Heap for each byte of a tokenizer.json; 27 were measured for Unigram, less for other kinds. */
const TOKENIZER_BYTES_FACTOR = 28;
/** What all models share, where models are listed. */
const RUNTIME = "runtime";

/** A model that asks for memory. */
export interface OnnxMemoryAsked extends OnnxFileSizes {
  readonly name: string;
  readonly path: string;
}

/** What models were given. */
export interface OnnxMemory {
  /** By model; what all share has the name `runtime`. */
  readonly bytes: ReadonlyMap<string, number>;
  readonly plannedBytes: number;
  readonly bytesMax: number;
}

/** Gives models their memory, in order. Throws `invalid` for the first one that has no room. */
export function planOnnxMemory(
  models: readonly OnnxMemoryAsked[],
  memoryBytesMax: number,
): OnnxMemory {
  const bytesMax = Math.floor(memoryBytesMax * ONNX_MEMORY_SHARE);
  const bytes = new Map([[RUNTIME, RUNTIME_BYTES]]);
  let plannedBytes = RUNTIME_BYTES;
  for (const { name, path, modelBytes, tokenizerBytes } of models) {
    const own = MODEL_BYTES_FACTOR * modelBytes + TOKENIZER_BYTES_FACTOR * tokenizerBytes;
    plannedBytes += own;
    bytes.set(name, own);
    if (plannedBytes <= bytesMax) continue;
    throw invalid(
      `ONNX model ${name} (${path}) takes ${sizeText(own)}, and the runtime and models before ` +
        `it ${sizeText(plannedBytes - own)}; ONNX models may have ${sizeText(bytesMax)}, ` +
        `${100 * ONNX_MEMORY_SHARE} % of --memory-limit (${sizeText(memoryBytesMax)}): raise it ` +
        `to ${sizeText(Math.ceil(plannedBytes / ONNX_MEMORY_SHARE))}, take a quantized export, ` +
        "or leave a model out of --onnx-models",
    );
  }
  return { bytes, plannedBytes, bytesMax };
}
