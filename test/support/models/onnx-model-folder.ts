/** Writes folders with tiny ONNX models for tests: each token has a vector, and nothing more. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OnnxGraph, type OnnxNode, type OnnxValue, onnxOf } from "./onnx-file.ts";

/** What a folder has. */
export interface TinyOnnxModel {
  /** Each is one token; `[UNK]`, `[CLS]` and `[SEP]` come before them. */
  readonly words: readonly string[];
  /** A vector for each token, those of special tokens first. */
  readonly vectors: readonly (readonly number[])[];
  /** By default an attention mask is asked for beside the tokens. */
  readonly inputs?: readonly string[];
  /** `sentence_embedding` is the mean over all tokens that the mask has, made by the model itself. */
  readonly output?: string;
  /** Written as they are, by path in the folder. */
  readonly files?: Readonly<Record<string, unknown>>;
}

/** Tokens that stand before the words. */
export const SPECIAL_TOKENS = ["[UNK]", "[CLS]", "[SEP]"] as const;

/** The graph of such a model. */
export function tinyOnnxGraph(model: Omit<TinyOnnxModel, "words" | "files">): OnnxGraph {
  const { vectors, inputs = ["input_ids", "attention_mask"], output = "last_hidden_state" } = model;
  const dimensions = vectors[0].length;
  const isPooled = output === "sentence_embedding";
  const asked = inputs.map(
    (name): OnnxValue => ({ name, element: "int64", shape: ["texts", "tokens"] }),
  );
  const shape = isPooled ? ["texts", dimensions] : ["texts", "tokens", dimensions];
  const gathered = isPooled ? "gathered" : output;
  const gather: OnnxNode = {
    operator: "Gather",
    inputs: ["table", "input_ids"],
    outputs: [gathered],
  };
  const mean = inputs.includes("attention_mask") ? maskedMean(output) : plainMean(output);
  return {
    inputs: asked,
    outputs: [{ name: output, element: "float", shape }],
    constants: {
      table: {
        element: "float",
        shape: [vectors.length, dimensions],
        data: Float32Array.from(vectors.flat()),
      },
      tokenAxis: { element: "int64", shape: [1], data: BigInt64Array.of(1n) },
      vectorAxis: { element: "int64", shape: [1], data: BigInt64Array.of(2n) },
    },
    nodes: isPooled ? [gather, ...mean] : [gather],
  };
}

function plainMean(output: string): OnnxNode[] {
  const attributes = { axes: [1], keepdims: 0 };
  return [{ operator: "ReduceMean", inputs: ["gathered"], outputs: [output], attributes }];
}

function maskedMean(output: string): OnnxNode[] {
  const FLOAT = 1;
  const node = (operator: string, inputs: readonly string[], made: string, attributes = {}) => {
    return { operator, inputs, outputs: [made], attributes };
  };
  return [
    node("Cast", ["attention_mask"], "numbers", { to: FLOAT }),
    node("Unsqueeze", ["numbers", "vectorAxis"], "mask"),
    node("Mul", ["gathered", "mask"], "kept"),
    node("ReduceSum", ["kept", "tokenAxis"], "sums", { keepdims: 0 }),
    node("ReduceSum", ["mask", "tokenAxis"], "counts", { keepdims: 0 }),
    node("Div", ["sums", "counts"], output),
  ];
}

/** The `tokenizer.json` of such a model, in the form of BERT's. */
export function tinyTokenizer(words: readonly string[]): object {
  const vocabulary = [...SPECIAL_TOKENS, ...words];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: "BertNormalizer", lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: { type: "BertProcessing", cls: ["[CLS]", 1], sep: ["[SEP]", 2] },
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, token) => [word, token])),
    },
  };
}

/** Writes the folder. */
export function writeOnnxFolder(path: string, model: TinyOnnxModel): void {
  const files: Record<string, unknown> = {
    "model.onnx": onnxOf(tinyOnnxGraph(model)),
    "tokenizer.json": tinyTokenizer(model.words),
    ...model.files,
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    const isBytes = content instanceof Uint8Array || typeof content === "string";
    writeFileSync(file, isBytes ? content : JSON.stringify(content));
  }
}
