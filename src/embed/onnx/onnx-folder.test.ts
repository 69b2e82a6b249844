import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onnxOf } from "../../../test/support/models/onnx-file.ts";
import {
  tinyOnnxGraph,
  tinyTokenizer,
  writeOnnxFolder,
} from "../../../test/support/models/onnx-model-folder.ts";
import { onnxFileSizes, readOnnxFolder } from "./onnx-folder.ts";

let root = "";
let folders = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "trawl-onnx-folder-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A folder with these files beside its model and tokenizer. */
function folder(files: Readonly<Record<string, unknown>>): string {
  const path = join(root, String(folders++));
  writeOnnxFolder(path, { words: [], vectors: [[1], [2], [3]], files });
  return path;
}

test("without further files, the mean of 512 tokens is taken as it is", async () => {
  const path = folder({});
  const { modelFile, tokenizerConfig, ...read } = await readOnnxFolder(path);
  expect([modelFile, tokenizerConfig]).toEqual([join(path, "model.onnx"), {}]);
  expect(read).toMatchObject({ tokensMax: 512, padToken: 0, pooling: "mean", normalizes: false });
});

test.each([
  ["sentence-transformers' length before others", { bert: 256, config: 100, truncation: 128 }, 256],
  ["the tokenizer's own before that of its last use", { config: 300, truncation: 128 }, 300],
  ["that of its last use", { truncation: 128 }, 128],
  ["no more than there are places", { bert: 256, places: 130 }, 130],
  ["no more than 512", { bert: 8192, places: 8194 }, 512],
  ["numbers that mean no limit", { config: 1e30, truncation: 128 }, 512],
  ["nonsense is passed over", { bert: 0, config: 77 }, 77],
])("a text's tokens: %s", async (_name, given, tokensMax) => {
  const { bert, config, truncation, places } = given as Readonly<Record<string, number>>;
  const path = folder({
    "tokenizer.json": {
      ...tinyTokenizer([]),
      truncation: truncation === undefined ? null : { max_length: truncation },
      padding: { pad_id: 7 },
    },
    "sentence_bert_config.json": { max_seq_length: bert },
    "tokenizer_config.json": { model_max_length: config },
    "config.json": { max_position_embeddings: places },
  });
  expect(await readOnnxFolder(path)).toMatchObject({ tokensMax, padToken: 7 });
});

test("the model may be in a folder of its own, and sizes are told before it is read", async () => {
  const model = onnxOf(tinyOnnxGraph({ vectors: [[1], [2], [3], [4]] }));
  const path = folder({ "onnx/model.onnx": model });
  rmSync(join(path, "model.onnx"));
  expect((await readOnnxFolder(path)).modelFile).toBe(join(path, "onnx", "model.onnx"));
  const { modelBytes, tokenizerBytes } = await onnxFileSizes(path);
  expect(modelBytes).toBe(model.length);
  expect(tokenizerBytes).toBe(JSON.stringify(tinyTokenizer([])).length);
});
