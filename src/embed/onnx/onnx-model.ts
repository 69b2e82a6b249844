/**
 * An ONNX model that embeds texts: what it must take and give, and how that becomes vectors.
 * Everything is tried once when it is opened, so that what cannot work is told at the start.
 */

import { DatabaseError, invalid, isDatabaseError } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import { scaleToLength } from "../scale-to-length.ts";
import type { OnnxFolder, OnnxPooling } from "./onnx-folder.ts";
import type {
  OnnxIntegers,
  OnnxPackages,
  OnnxSession,
  OnnxTensor,
  OnnxValueInfo,
} from "./onnx-packages.ts";
import { OnnxTokenizer } from "./onnx-tokenizer.ts";
import { type TokenBatch, tokenBatches } from "./token-batches.ts";

/** What a model may be asked for; the first one it must take. */
const INPUTS = ["input_ids", "attention_mask", "token_type_ids"];
/** Outputs that are a text's vector. */
const TEXT_OUTPUTS = ["sentence_embedding", "sentence_embeddings"];
/** Outputs that have a vector for each token. */
const TOKEN_OUTPUTS = ["last_hidden_state", "token_embeddings"];

/** Texts that are to be embedded. */
export interface OnnxTexts {
  /** Tokens of each. */
  readonly tokens: readonly (readonly number[])[];
  /** To be run one after the other, in any order. */
  readonly batches: readonly TokenBatch[];
  readonly tokenCount: number;
}

/** See the file's head. */
export class OnnxModel {
  readonly dimensions: number;
  readonly #folder: OnnxFolder;
  readonly #session: OnnxSession;
  readonly #tokenizer: OnnxTokenizer;
  readonly #output: string;

  private constructor(
    parts: Pick<OnnxProbe, "folder" | "session" | "tokenizer" | "output">,
    dimensions: number,
  ) {
    this.#folder = parts.folder;
    this.#session = parts.session;
    this.#tokenizer = parts.tokenizer;
    this.#output = parts.output;
    this.dimensions = dimensions;
  }

  /** Loads `model`, of the folder. Throws `invalid`, with the file, what is wrong and what to do. */
  static async open(
    folder: OnnxFolder,
    model: Uint8Array,
    packages: OnnxPackages,
  ): Promise<OnnxModel> {
    const tokenizer = new OnnxTokenizer(folder, packages);
    const session = await packages.openSession(model).catch((error: unknown) => {
      throw invalid(
        `${folder.modelFile} is no ONNX model that can be run: ${said(error)}; export it anew, ` +
          "as `optimum-cli export onnx` does",
      );
    });
    checkInputs(folder, session.inputs);
    const output = outputOf(folder, session.outputs);
    const dimensions = await probe({ folder, session, tokenizer, output });
    return new OnnxModel({ folder, session, tokenizer, output }, dimensions);
  }

  /** Makes tokens of texts, and says which are run together: some milliseconds for a long text. */
  plan(texts: readonly string[]): OnnxTexts {
    const tokens = texts.map((text) => this.#tokenizer.tokensOf(text));
    const lengths = tokens.map(({ length }) => length);
    return {
      tokens,
      batches: tokenBatches(lengths, takes(this.#session, "attention_mask")),
      tokenCount: lengths.reduce((sum, length) => sum + length, 0),
    };
  }

  /** Vectors of a batch of the texts. Blocks the thread. Throws `invalid` where the model fails. */
  async run({ tokens }: OnnxTexts, { places }: TokenBatch): Promise<Float32Array[]> {
    const rows = places.map((place) => tokens[place]);
    const output = await runRows(this.#session, this.#output, rows, this.#folder.padToken);
    const vectors = vectorsOf(output, rows, this.#folder.pooling);
    for (const vector of vectors) {
      const wrong = vector.find((value) => !Number.isFinite(value));
      if (wrong !== undefined) throw invalid(`it makes a vector with ${wrong} of a text`);
      if (this.#folder.normalizes) scaleToLength(vector, 1);
    }
    return vectors;
  }
}

/** A model that was not tried yet. */
interface OnnxProbe {
  readonly folder: OnnxFolder;
  readonly session: OnnxSession;
  readonly tokenizer: OnnxTokenizer;
  readonly output: string;
}

function takes({ inputs }: OnnxSession, name: string): boolean {
  return inputs.some((input) => input.name === name);
}

function checkInputs({ modelFile }: OnnxFolder, inputs: readonly OnnxValueInfo[]): void {
  for (const { name, type } of inputs) {
    if (!INPUTS.includes(name)) {
      throw invalid(
        `${modelFile} has an input "${name}"; known are ${INPUTS.join(", ")}: take a model that ` +
          "embeds texts, exported for feature extraction",
      );
    }
    if (type === "int64") continue;
    throw invalid(
      `${modelFile} has an input "${name}" of ${type ?? "no tensor"}; it must be int64, as ` +
        "exports for feature extraction have it",
    );
  }
  if (inputs.some(({ name }) => name === INPUTS[0])) return;
  throw invalid(`${modelFile} has no input "${INPUTS[0]}"; take a model that embeds texts`);
}

/** Which output has the vectors. */
function outputOf(folder: OnnxFolder, outputs: readonly OnnxValueInfo[]): string {
  const { modelFile, otherModules } = folder;
  const find = (names: readonly string[]) => outputs.find(({ name }) => names.includes(name));
  const ofTexts = find(TEXT_OUTPUTS);
  const only = outputs.length === 1 ? outputs[0] : undefined;
  const output = ofTexts ?? find(TOKEN_OUTPUTS) ?? only;
  if (output === undefined) {
    const names = outputs.map(({ name }) => name).join(", ");
    throw invalid(
      `${modelFile} has the outputs ${names}; one must be ` +
        `${[...TEXT_OUTPUTS, ...TOKEN_OUTPUTS].join(", ")}, or there must be one alone: export ` +
        "the model for feature extraction",
    );
  }
  if (output.type !== "float32") {
    throw invalid(
      `${modelFile} gives "${output.name}" of ${output.type ?? "no tensor"}; it must be float32: ` +
        "export it with outputs of float32 (its weights may be quantized)",
    );
  }
  if (ofTexts === undefined && otherModules.length > 0) {
    throw invalid(
      `modules.json beside ${modelFile} names ${otherModules.join(" and ")}, which the model's ` +
        `output "${output.name}" comes before: take an export with the output ${TEXT_OUTPUTS[0]}`,
    );
  }
  return output.name;
}

/** Runs a model with two texts of different length, one with the last token, and looks at all. */
async function probe({ folder, session, tokenizer, output }: OnnxProbe): Promise<number> {
  const { modelFile, tokenizerFile } = folder;
  const word = tokenizer.tokensOf("a");
  const longer = [...word, tokenizer.tokenMax].slice(-folder.tokensMax);
  const rows = takes(session, "attention_mask") ? [word, longer] : [longer, longer];
  const given = await runRows(session, output, rows, folder.padToken).catch((error: unknown) => {
    throw invalid(
      `${modelFile} fails with two short texts: ${said(error)}; it must take any number of ` +
        `texts and tokens, and all ${tokenizer.tokenMax + 1} tokens of ${tokenizerFile}: both ` +
        "files must be of one model",
    );
  });
  const dimensions = given.dims.at(-1) ?? 0;
  const shapes = [
    [2, dimensions],
    [2, longer.length, dimensions],
  ];
  const isKnown = shapes.some((shape) => shape.join() === given.dims.join());
  if (isKnown && dimensions >= 1 && dimensions <= VECTOR_DIMENSIONS_MAX) return dimensions;
  throw invalid(
    `${modelFile} gives "${output}" of shape ${given.dims.join(" × ")} for 2 texts of ` +
      `${longer.length} tokens; it must be texts × dimensions or texts × tokens × dimensions, ` +
      `with 1 to ${VECTOR_DIMENSIONS_MAX} dimensions`,
  );
}

/** Pads rows to one length and runs the model with them. Throws `invalid` where that fails. */
async function runRows(
  session: OnnxSession,
  output: string,
  rows: readonly (readonly number[])[],
  padToken: number,
): Promise<OnnxTensor & { readonly data: Float32Array }> {
  const length = Math.max(...rows.map((row) => row.length));
  const integers = (valueAt: (row: readonly number[], i: number) => number): OnnxIntegers => {
    const values = new BigInt64Array(rows.length * length);
    rows.forEach((row, at) => {
      for (let i = 0; i < length; i++) values[at * length + i] = BigInt(valueAt(row, i));
    });
    return { values, shape: [rows.length, length] };
  };
  const all: Record<string, OnnxIntegers> = {
    input_ids: integers((row, i) => row[i] ?? padToken),
    attention_mask: integers((row, i) => (i < row.length ? 1 : 0)),
    token_type_ids: integers(() => 0),
  };
  const asked = Object.fromEntries(session.inputs.map(({ name }) => [name, all[name]]));
  try {
    const { type, dims, data } = await session.run(asked, output);
    if (data instanceof Float32Array) return { type, dims, data };
    throw invalid(`its output "${output}" has elements of ${type}`);
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    throw new DatabaseError("invalid", said(error), { cause: error });
  }
}

function vectorsOf(
  { dims, data }: OnnxTensor & { readonly data: Float32Array },
  rows: readonly (readonly number[])[],
  pooling: OnnxFolder["pooling"],
): Float32Array[] {
  const dimensions = dims.at(-1) ?? 0;
  if (dims.length === 2) {
    return rows.map((_, row) => data.slice(row * dimensions, (row + 1) * dimensions));
  }
  const tokens = { data, length: dims[1], dimensions };
  return rows.map(({ length: count }, row) => poolTokens(tokens, { row, count }, pooling));
}

/** What the runtime says, in one line. */
function said(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s+/g, " ").slice(0, 300);
}

/** Vectors of the tokens of several texts, all padded to one length. */
interface TokenVectors {
  /** Texts × length × dimensions. */
  readonly data: Float32Array;
  readonly length: number;
  readonly dimensions: number;
}

/** Makes one vector of those of a text's tokens, of which the first `count` count. */
function poolTokens(
  { data, length, dimensions }: TokenVectors,
  { row, count }: { readonly row: number; readonly count: number },
  pooling: OnnxPooling,
): Float32Array {
  const start = row * length * dimensions;
  if (pooling === "cls") return data.slice(start, start + dimensions);
  const sums = new Float64Array(dimensions);
  for (let token = 0; token < count; token++) {
    const at = start + token * dimensions;
    for (let i = 0; i < dimensions; i++) sums[i] += data[at + i];
  }
  return Float32Array.from(sums, (sum) => sum / count);
}
