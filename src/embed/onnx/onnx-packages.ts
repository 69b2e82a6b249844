/**
 * The two packages that ONNX models need: a runtime in WebAssembly, and the tokenizers. Trawl does
 * not bring them, since who has no such model would carry them for nothing.
 */

import { DatabaseError, invalid } from "../../base/errors.ts";

/** What brings them, in versions that were tried; a test holds it to package.json. */
export const ONNX_INSTALL_COMMAND = "npm install onnxruntime-web@1.30 @huggingface/tokenizers@0.2";

/** Numbers of a shape, with their values one after the other. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** What a session says of an input or an output. */
export interface OnnxValueInfo {
  readonly name: string;
  /** Of its elements; absent: it is no tensor. */
  readonly type?: string;
}

/** A model that is loaded. */
export interface OnnxSession {
  readonly inputs: readonly OnnxValueInfo[];
  readonly outputs: readonly OnnxValueInfo[];
  /** Computes one output. Blocks its thread meanwhile; throws an `Error` of the runtime's. */
  run(inputs: Readonly<Record<string, OnnxIntegers>>, output: string): Promise<OnnxTensor>;
}

/** Values of an input. */
export interface OnnxIntegers {
  readonly values: BigInt64Array;
  readonly shape: readonly [rows: number, tokens: number];
}

/** Makes tokens of a text, special ones included; unknown ones may be undefined. */
export interface OnnxTextEncoder {
  encode(
    text: string,
    options: { readonly add_special_tokens: boolean },
  ): { readonly ids: readonly (number | undefined)[] };
  get_vocab(withAddedTokens: boolean): ReadonlyMap<string, number>;
}

/** Only fatal faults are written to stderr: what is said of others comes with their errors. */
const SILENT = 4;

/** What models are made with. */
export interface OnnxPackages {
  /** Loads a model.onnx. Throws an `Error` of the runtime's for one that it cannot run. */
  openSession(model: Uint8Array): Promise<OnnxSession>;
  /** Takes what tokenizer.json and tokenizer_config.json have. Throws an `Error` of the package's. */
  openTokenizer(json: object, config: object): OnnxTextEncoder;
}

/** How packages are imported: a test has them missing. */
export interface OnnxImports {
  runtime(): Promise<typeof import("onnxruntime-web")>;
  tokenizers(): Promise<typeof import("@huggingface/tokenizers")>;
}

const INSTALLED: OnnxImports = {
  runtime: () => import("onnxruntime-web"),
  tokenizers: () => import("@huggingface/tokenizers"),
};

/**
 * Loads both packages. Throws `invalid` where one is missing, with the command that brings it, and
 * `unavailable` for one that is there and cannot be loaded.
 */
export async function loadOnnxPackages(imports = INSTALLED): Promise<OnnxPackages> {
  const runtime = await imported("onnxruntime-web", imports.runtime);
  const { Tokenizer } = await imported("@huggingface/tokenizers", imports.tokenizers);
  const { env, InferenceSession, Tensor } = runtime;
  // It runs on the thread that asks, which is there for nothing else; further threads of its own
  // would take the processors of queries.
  env.wasm.numThreads = 1;
  env.logLevel = "fatal";
  return {
    openTokenizer: (json, config) => new Tokenizer(json, config),
    async openSession(model) {
      const session = await InferenceSession.create(model, {
        executionProviders: ["wasm"],
        logSeverityLevel: SILENT,
      });
      return {
        inputs: session.inputMetadata.map(valueInfo),
        outputs: session.outputMetadata.map(valueInfo),
        async run(inputs, output) {
          const tensors = Object.entries(inputs).map(([name, { values, shape }]) => {
            return [name, new Tensor("int64", values, shape)] as const;
          });
          const feeds = Object.fromEntries(tensors);
          const results = await session.run(feeds, [output], { logSeverityLevel: SILENT });
          return results[output];
        },
      };
    },
  };
}

function valueInfo(
  value: { readonly name: string } & ({ isTensor: false } | { isTensor: true; type: string }),
): OnnxValueInfo {
  return { name: value.name, ...(value.isTensor && { type: value.type }) };
}

async function imported<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") {
      throw invalid(
        `--onnx-models needs the package ${name}, which is not installed: run ` +
          `\`${ONNX_INSTALL_COMMAND}\` in the folder that Trawl is installed in, or with ` +
          "--global where Trawl was",
      );
    }
    throw new DatabaseError(
      "unavailable",
      `--onnx-models: package ${name} cannot be loaded (${said}); \`${ONNX_INSTALL_COMMAND}\` ` +
        "installs it anew",
    );
  }
}
