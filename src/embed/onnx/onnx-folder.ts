/**
 * A folder with an ONNX model that embeds texts, in the form of sentence-transformers and of their
 * exports: `model.onnx`, `tokenizer.json`, and what says how a text's tokens become one vector.
 */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { KIB, MIB } from "../../base/byte-sizes.ts";
import { invalid } from "../../base/errors.ts";
import { isRecord, type JsonRecord, parseRecord, quoted } from "../json-record.ts";
import { readBounded } from "../read-bounded.ts";

/** Bytes of model.onnx; our choice: the runtime's whole memory ends at four times as much. */
const MODEL_BYTES_MAX = 1024 * MIB;
/** Bytes of tokenizer.json, of which a thread takes some times as much memory. */
const TOKENIZER_BYTES_MAX = 32 * MIB;
const CONFIG_BYTES_MAX = 1024 * KIB;
/** Tokens of a text that count, where the folder does not say less: time and memory rise with them. */
const TOKENS_MAX = 512;
/** Fewer leave no room for what models put around a text. */
const TOKENS_MIN = 3;
/** Where exports have the model. */
const MODEL_FILES = ["model.onnx", join("onnx", "model.onnx")];
const LAYOUT = "a folder of an ONNX model has model.onnx (or onnx/model.onnx) and tokenizer.json";

/** How the vectors of tokens become one. */
export type OnnxPooling = "mean" | "cls";

/** What the files say, apart from the model itself. */
export interface OnnxFolder {
  readonly modelFile: string;
  readonly tokenizerFile: string;
  readonly tokenizer: JsonRecord;
  /** Of tokenizer_config.json; empty without one. */
  readonly tokenizerConfig: JsonRecord;
  /** Tokens of a text that count, special ones included. */
  readonly tokensMax: number;
  /** Stands behind shorter texts, where nothing heeds it. */
  readonly padToken: number;
  readonly pooling: OnnxPooling;
  /** Whether vectors are scaled to length 1. */
  readonly normalizes: boolean;
  /** Steps of modules.json that only the model itself can take. */
  readonly otherModules: readonly string[];
}

/** Sizes of the two files that take memory. */
export interface OnnxFileSizes {
  readonly modelBytes: number;
  readonly tokenizerBytes: number;
}

/** Looks how large a folder's files are. Throws `invalid` where one is not there, or too large. */
export async function onnxFileSizes(path: string): Promise<OnnxFileSizes> {
  const tokenizerFile = join(path, "tokenizer.json");
  return {
    modelBytes: await sizeOf(await modelFileOf(path), MODEL_BYTES_MAX),
    tokenizerBytes: await sizeOf(tokenizerFile, TOKENIZER_BYTES_MAX),
  };
}

/** Reads and checks all files but the model. Throws `invalid`, with the file and what is wrong. */
export async function readOnnxFolder(path: string): Promise<OnnxFolder> {
  const modelFile = await modelFileOf(path);
  await refuseOutsideWeights(modelFile);
  const tokenizerFile = join(path, "tokenizer.json");
  const tokenizer = await readRecord(tokenizerFile, TOKENIZER_BYTES_MAX);
  const tokenizerConfig = (await readConfig(path, "tokenizer_config.json")) ?? {};
  const lengths = await readConfig(path, "sentence_bert_config.json");
  const config = await readConfig(path, "config.json");
  const modules = await readModules(join(path, "modules.json"));
  return {
    modelFile,
    tokenizerFile,
    tokenizer,
    tokenizerConfig,
    tokensMax: tokensMax(
      [
        lengths?.max_seq_length,
        tokenizerConfig.model_max_length,
        isRecord(tokenizer.truncation) ? tokenizer.truncation.max_length : undefined,
      ],
      config?.max_position_embeddings,
    ),
    padToken: padToken(tokenizer),
    pooling: await readPooling(path),
    normalizes: modules.includes("Normalize"),
    otherModules: modules.filter((name) => !KNOWN_MODULES.has(name)),
  };
}

/** Reads the model's bytes, which the runtime copies. */
export function readOnnxModel({ modelFile }: Pick<OnnxFolder, "modelFile">): Promise<Uint8Array> {
  return readBounded(modelFile, { bytesMax: MODEL_BYTES_MAX, layout: LAYOUT });
}

/** Steps of modules.json that are taken here. */
const KNOWN_MODULES: ReadonlySet<string> = new Set(["Transformer", "Pooling", "Normalize"]);

async function modelFileOf(path: string): Promise<string> {
  for (const name of MODEL_FILES) {
    if (await isThere(join(path, name))) return join(path, name);
  }
  throw invalid(`${path} has no ${MODEL_FILES.join(" and no ")}; ${LAYOUT}`);
}

/** Large exports have their weights in a second file. */
async function refuseOutsideWeights(modelFile: string): Promise<void> {
  for (const file of [`${modelFile}_data`, `${modelFile}.data`]) {
    if (!(await isThere(file))) continue;
    throw invalid(
      `${file} has weights of ${modelFile}; models are taken whose weights are in model.onnx ` +
        "itself: export it without external data, or take a smaller one",
    );
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function sizeOf(file: string, bytesMax: number): Promise<number> {
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${file} cannot be read (${error.code}); ${LAYOUT}`);
  });
  if (!stats.isFile()) throw invalid(`${file} is no file; ${LAYOUT}`);
  if (stats.size <= bytesMax) return stats.size;
  throw invalid(
    `${file} has ${stats.size} bytes; at most ${bytesMax} are read: take a smaller or a ` +
      "quantized export of the model",
  );
}

async function readRecord(file: string, bytesMax: number): Promise<JsonRecord> {
  return parseRecord(await readText(file, bytesMax), file);
}

async function readText(file: string, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await readBounded(file, { bytesMax, layout: LAYOUT }));
}

/** A file that may be missing. */
async function readConfig(path: string, name: string): Promise<JsonRecord | undefined> {
  const file = join(path, name);
  return (await isThere(file)) ? readRecord(file, CONFIG_BYTES_MAX) : undefined;
}

/**
 * What the first file says that says something, as sentence-transformers has it, and no more than
 * the model has places for. Files have huge numbers for "no limit".
 */
function tokensMax(lengths: readonly unknown[], places: unknown): number {
  const isLength = (value: unknown) => typeof value === "number" && value >= TOKENS_MIN;
  const known = [lengths.find(isLength), places].filter(isLength);
  return Math.floor(Math.min(TOKENS_MAX, ...known.map(Number)));
}

function padToken({ padding }: JsonRecord): number {
  const token = isRecord(padding) ? padding.pad_id : undefined;
  return typeof token === "number" && Number.isSafeInteger(token) && token >= 0 ? token : 0;
}

/** The steps of sentence-transformers by their last names, such as `Pooling`; none without a file. */
async function readModules(file: string): Promise<readonly string[]> {
  if (!(await isThere(file))) return [];
  const text = await readText(file, CONFIG_BYTES_MAX);
  const { modules } = parseRecord(`{"modules":${text}}`, file);
  if (!Array.isArray(modules)) throw invalid(`${file} must be a list of modules`);
  return modules.map((module: unknown) => {
    const type = isRecord(module) ? module.type : undefined;
    if (typeof type === "string") return type.slice(type.lastIndexOf(".") + 1);
    throw invalid(`${file} has a module whose \`type\` is ${quoted(type)}, not a string`);
  });
}

/** Without a file that says otherwise, the mean, as most models have it. */
async function readPooling(path: string): Promise<OnnxPooling> {
  const config = await readConfig(path, join("1_Pooling", "config.json"));
  if (config === undefined) return "mean";
  const modes = Object.keys(config).filter(
    (name) => name.startsWith("pooling_mode_") && config[name] === true,
  );
  if (modes.length === 1 && modes[0] === "pooling_mode_mean_tokens") return "mean";
  if (modes.length === 1 && modes[0] === "pooling_mode_cls_token") return "cls";
  const file = join(path, "1_Pooling", "config.json");
  throw invalid(
    `${file} asks for ${modes.join(" and ") || "no pooling"}; known are ` +
      "pooling_mode_mean_tokens and pooling_mode_cls_token, one of them: take another model",
  );
}
