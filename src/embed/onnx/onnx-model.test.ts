import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OnnxElement, onnxOf } from "../../../test/support/models/onnx-file.ts";
import {
  SPECIAL_TOKENS,
  type TinyOnnxModel,
  tinyOnnxGraph,
  tinyTokenizer,
  writeOnnxFolder,
} from "../../../test/support/models/onnx-model-folder.ts";
import { readOnnxFolder, readOnnxModel } from "./onnx-folder.ts";
import { OnnxModel } from "./onnx-model.ts";
import { loadOnnxPackages, type OnnxPackages } from "./onnx-packages.ts";

const WORDS = ["a", "boat", "fish", "in", "the", "harbour"];
const TOKENS: readonly string[] = [...SPECIAL_TOKENS, ...WORDS];
/** Any numbers, of which no two tokens have the same. */
const VECTORS = TOKENS.map((_, token) => [token + 1, (token * 7) % 5, -token, 0.5]);
const TEXTS = ["boat", "the fish in the harbour", "", "a boat zebra", "Fish!"];

let root = "";
let packages: OnnxPackages;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "trawl-onnx-"));
  packages = await loadOnnxPackages();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function open(name: string, given: Partial<TinyOnnxModel> = {}): Promise<OnnxModel> {
  const path = join(root, name);
  writeOnnxFolder(path, { words: WORDS, vectors: VECTORS, ...given });
  const folder = await readOnnxFolder(path);
  return OnnxModel.open(folder, await readOnnxModel(folder), packages);
}

/** All texts' vectors, and how many runs it took. */
async function embed(model: OnnxModel, texts: readonly string[]) {
  const planned = model.plan(texts);
  const vectors: Float32Array[] = [];
  for (const batch of planned.batches) {
    const made = await model.run(planned, batch);
    batch.places.forEach((place, i) => {
      vectors[place] = made[i];
    });
  }
  return { vectors, tokens: planned.tokenCount, runs: planned.batches.length };
}

/** What BERT's tokenizer makes of these texts, slowly. */
function tokensOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z]+|[^a-z\s]/g) ?? [];
  return ["[CLS]", ...words.map((word) => (WORDS.includes(word) ? word : "[UNK]")), "[SEP]"];
}

function meanOf(tokens: readonly string[]): number[] {
  return [0, 1, 2, 3].map(
    (i) =>
      tokens.reduce((sum, token) => sum + VECTORS[TOKENS.indexOf(token)][i], 0) / tokens.length,
  );
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function expectNear(vectors: readonly Float32Array[], expected: readonly (readonly number[])[]) {
  expect(vectors).toHaveLength(expected.length);
  vectors.forEach((vector, i) => {
    expect(vector).toHaveLength(expected[i].length);
    vector.forEach((value, j) => void expect(value).toBeCloseTo(expected[i][j], 5));
  });
}

describe("a text's vector", () => {
  test("is the mean of its tokens' vectors, whatever else is in the batch", async () => {
    const model = await open("mean");
    expect(model.dimensions).toBe(4);
    const { vectors, tokens, runs } = await embed(model, TEXTS);
    expectNear(vectors, TEXTS.map(tokensOf).map(meanOf));
    expect(tokens).toBe(TEXTS.flatMap(tokensOf).length);
    expect(runs).toBe(1);
    for (const text of TEXTS) {
      expectNear((await embed(model, [text])).vectors, [meanOf(tokensOf(text))]);
    }
  });

  test("is that of the first token, and of length 1, where the folder says so", async () => {
    const files = {
      "1_Pooling/config.json": { word_embedding_dimension: 4, pooling_mode_cls_token: true },
      "modules.json": ["Transformer", "Pooling", "Normalize"].map((name) => ({
        type: `sentence_transformers.models.${name}`,
      })),
    };
    const { vectors } = await embed(await open("cls", { files }), TEXTS);
    expectNear(
      vectors,
      TEXTS.map(() => unit(VECTORS[TOKENS.indexOf("[CLS]")])),
    );
    const means = { "modules.json": files["modules.json"] };
    const scaled = await embed(await open("unit", { files: means }), TEXTS);
    expectNear(scaled.vectors, TEXTS.map(tokensOf).map(meanOf).map(unit));
  });

  test("is the model's own where it has one for each text", async () => {
    // Without a mask the model's mean is over padding, too: no text is padded.
    const inputs = ["input_ids", "token_type_ids"];
    const model = await open("pooled", { inputs, output: "sentence_embedding" });
    const { vectors, runs } = await embed(model, [...TEXTS, "harbour"]);
    expectNear(vectors, [...TEXTS, "harbour"].map(tokensOf).map(meanOf));
    expect(runs).toBe(new Set(TEXTS.map((text) => tokensOf(text).length)).size);
  });

  test("is made with a mask of what is a text's own, where the model asks for one", async () => {
    const model = await open("masked", { output: "sentence_embedding" });
    const { vectors, runs } = await embed(model, TEXTS);
    expectNear(vectors, TEXTS.map(tokensOf).map(meanOf));
    expect(runs).toBe(1);
  });

  test("is of the first tokens of a text that is too long, and of its ending", async () => {
    const files = { "sentence_bert_config.json": { max_seq_length: 6 } };
    const model = await open("short", { files });
    const text = "a boat in the harbour fish fish fish";
    const { vectors, tokens } = await embed(model, [text]);
    const kept = ["[CLS]", "a", "boat", "in", "the", "[SEP]"];
    expectNear(vectors, [meanOf(kept)]);
    expect(tokens).toBe(kept.length);
  });

  test("of many and long texts takes several runs", async () => {
    const texts = Array.from({ length: 30 }, (_, i) => "boat ".repeat(1 + ((i * 37) % 90)));
    texts.push("fish ".repeat(2_000));
    const { vectors, runs } = await embed(await open("many"), texts);
    const cut = texts.map(tokensOf).map((tokens) => {
      return tokens.length <= 512 ? tokens : [...tokens.slice(0, 511), "[SEP]"];
    });
    expectNear(vectors, cut.map(meanOf));
    expect(runs).toBeGreaterThan(2);
  });
});

describe("a folder is refused", () => {
  const graph = tinyOnnxGraph({ vectors: VECTORS });
  const withOutput = (name: string, element: OnnxElement = "float") => ({
    ...graph,
    nodes: [{ ...graph.nodes[0], outputs: ["gathered"] }],
    outputs: [{ name, element, shape: ["texts"] }],
  });
  const cases: readonly [string, Readonly<Record<string, unknown>>, string][] = [
    ["broken", { "model.onnx": "no model" }, "model.onnx is no ONNX model that can be run: "],
    ["no-json", { "tokenizer.json": "{" }, "tokenizer.json is no JSON"],
    ["no-model", { "tokenizer.json": {} }, "tokenizer.json is no tokenizer that can be read: "],
    [
      "no-words",
      { "tokenizer.json": { model: { type: "WordPiece", unk_token: "[UNK]", vocab: {} } } },
      "tokenizer.json has no vocabulary; take the tokenizer.json that the model came with",
    ],
    [
      "ids",
      {
        "model.onnx": onnxOf(tinyOnnxGraph({ vectors: VECTORS, inputs: ["input_ids", "pixels"] })),
      },
      'model.onnx has an input "pixels"; known are input_ids, attention_mask, token_type_ids',
    ],
    [
      "no-ids",
      { "model.onnx": onnxOf({ ...graph, ...onlyMask() }) },
      'model.onnx has no input "input_ids"',
    ],
    [
      "floats",
      { "model.onnx": onnxOf({ ...graph, ...floatMask() }) },
      'model.onnx has an input "attention_mask" of float32; it must be int64',
    ],
    [
      "outputs",
      { "model.onnx": onnxOf({ ...graph, ...twoOutputs() }) },
      "model.onnx has the outputs x, y; one must be sentence_embedding,",
    ],
    [
      "shapes",
      { "model.onnx": onnxOf({ ...withOutput("ids"), ...tokenShape() }) },
      'model.onnx gives "ids" of shape 9 × 4 for 2 texts of 4 tokens; it must be texts × dimens',
    ],
    [
      "half",
      { "model.onnx": onnxOf({ ...graph, ...halfOutput() }) },
      'model.onnx gives "last_hidden_state" of float16; it must be float32',
    ],
    [
      "vocabulary",
      { "tokenizer.json": tinyTokenizer([...WORDS, "quay"]) },
      "model.onnx fails with two short texts: ",
    ],
    [
      "pooling",
      { "1_Pooling/config.json": { pooling_mode_max_tokens: true, pooling_mode_cls_token: false } },
      "config.json asks for pooling_mode_max_tokens; known are pooling_mode_mean_tokens and",
    ],
    [
      "modules",
      { "modules.json": [{ type: "sentence_transformers.models.Dense" }] },
      'names Dense, which the model\'s output "last_hidden_state" comes before',
    ],
    ["modules-type", { "modules.json": [{}] }, "modules.json has a module whose `type` is undef"],
    ["modules-list", { "modules.json": { a: 1 } }, "modules.json must be a list of modules"],
    ["outside", { "model.onnx_data": "" }, "model.onnx_data has weights of "],
  ];

  test.each(cases)("%s", async (name, files, message) => {
    const opened = open(`bad-${name}`, { files });
    await expect(opened).rejects.toMatchObject({ code: "invalid" });
    await expect(opened).rejects.toThrow(message);
  });

  test("that is not there, with what it should have", async () => {
    await expect(readOnnxFolder(join(root, "nowhere"))).rejects.toThrow(
      "nowhere has no model.onnx and no onnx/model.onnx; a folder of an ONNX model has model.onnx",
    );
  });

  function onlyMask() {
    return {
      inputs: graph.inputs.filter(({ name }) => name === "attention_mask"),
      nodes: [{ ...graph.nodes[0], inputs: ["table", "attention_mask"] }],
    };
  }

  function floatMask() {
    return {
      inputs: graph.inputs.map((one, i) => (i === 0 ? one : { ...one, element: "float" as const })),
    };
  }

  function twoOutputs() {
    const nodes = ["x", "y"].map((name) => ({ ...graph.nodes[0], outputs: [name] }));
    return { nodes, outputs: ["x", "y"].map((name) => ({ ...graph.outputs[0], name })) };
  }

  function halfOutput() {
    const table = { element: "float16" as const, shape: [9, 4], data: new Float16Array(36) };
    return {
      constants: { table },
      outputs: graph.outputs.map((one) => ({ ...one, element: "float16" as const })),
    };
  }

  /** The table itself, whatever the texts are. */
  function tokenShape() {
    return {
      nodes: [{ operator: "Identity", inputs: ["table"], outputs: ["ids"] }],
      outputs: [{ name: "ids", element: "float" as const, shape: ["texts", 4] }],
    };
  }
});
