import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  safetensorsOf,
  type TensorContent,
} from "../../../test/support/models/safetensors-file.ts";
import { runSteps } from "../../base/steps.ts";
import { FolderModel } from "./folder-model.ts";
import { readModelFolder } from "./model-folder.ts";

const root = mkdtempSync(join(tmpdir(), "trawl-model-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const WORDS = { "[UNK]": 0, fish: 1, boat: 2, sea: 3 };
const ROWS = [9, 9, 1, 0, 0, 1, 3, 4];
const F32 = { type: "F32", shape: [4, 2], data: new Float32Array(ROWS) };

let made = 0;

/** Writes a folder; members of `files` replace its files. */
function folder(
  tensors: Readonly<Record<string, TensorContent>>,
  { config = { normalize: true }, words = WORDS }: { config?: object; words?: object } = {},
): string {
  const path = join(root, String(++made));
  mkdirSync(path);
  const model = { type: "WordLevel", unk_token: "[UNK]", vocab: words };
  const tokenizer = { normalizer: { type: "Lowercase" }, pre_tokenizer: SPLIT, model };
  writeFileSync(join(path, "model.safetensors"), safetensorsOf(tensors));
  writeFileSync(join(path, "tokenizer.json"), JSON.stringify(tokenizer));
  writeFileSync(join(path, "config.json"), JSON.stringify(config));
  return path;
}

const SPLIT = { type: "WhitespaceSplit" };

const folderAt = (path: string) => ({ name: "mine", path, checkSize: () => {} });

async function embed(path: string, text: string) {
  const model = new FolderModel(await readModelFolder(folderAt(path)));
  const { vector, tokens } = runSteps(model.embed(text));
  return { vector: [...vector], tokens };
}

test("a text is the mean of its tokens' vectors, of any kind of elements", async () => {
  const mean = { vector: [2, 2], tokens: 2 };
  const raw = { config: {} };
  expect(await embed(folder({ embeddings: F32 }, raw), "Fish unheard sea")).toEqual(mean);
  const f16 = { ...F32, type: "F16", data: new Float16Array(ROWS) };
  expect(await embed(folder({ embeddings: f16 }, raw), "fish sea")).toEqual(mean);
  const i8 = { ...F32, type: "I8", data: new Int8Array(ROWS) };
  expect(await embed(folder({ embeddings: i8 }, raw), "fish sea")).toEqual(mean);
  expect(await embed(folder({ "embedding.weight": F32 }, raw), "fish sea")).toEqual(mean);
});

test("vectors are scaled where the folder says so, and zero without a known token", async () => {
  const path = folder({ embeddings: F32 });
  const { vector } = await embed(path, "sea");
  expect(vector[0]).toBeCloseTo(0.6, 6);
  expect(vector[1]).toBeCloseTo(0.8, 6);
  expect(await embed(path, "unheard")).toEqual({ vector: [0, 0], tokens: 0 });
});

test("tokens have weights, and may share vectors", async () => {
  const weights = { type: "F64", shape: [4], data: new Float64Array([0, 2, 1, 0.5]) };
  const mapping = { type: "I64", shape: [4], data: new BigInt64Array([0n, 1n, 1n, 2n]) };
  const rows = { type: "F32", shape: [3, 2], data: new Float32Array([9, 9, 1, 0, 0, 4]) };
  const path = folder({ embeddings: rows, weights, mapping }, { config: {} });
  expect(await embed(path, "fish boat sea sea")).toEqual({ vector: [0.75, 1], tokens: 4 });
});

test("only the first 512 tokens count", async () => {
  const text = `${"fish ".repeat(512)}${"boat ".repeat(600)}`;
  expect(await embed(folder({ embeddings: F32 }), text)).toEqual({ vector: [1, 0], tokens: 512 });
});

const bad = (changes: object) => folder({ embeddings: { ...F32, ...changes } });

test.each([
  [() => join(root, "none"), "model.safetensors cannot be read (ENOENT)"],
  [() => folder({}), "it has no tensor named embeddings"],
  [() => bad({ shape: [8] }), "its vectors have shape 8,"],
  [() => bad({ shape: [8, 1, 1] }), "its vectors have shape 8 × 1 × 1"],
  [() => bad({ type: "I32" }), "its vectors are I32; known are F32, F16 and I8"],
  [() => bad({ data: new Float32Array(8).fill(Number.NaN) }), "element 0 of its vectors is NaN"],
  [() => bad({ shape: [2, 4] }), "has 4 tokens, and model.safetensors vectors for 2"],
  [
    () =>
      folder({ embeddings: F32, weights: { type: "F32", shape: [1], data: new Float32Array(1) } }),
    "its weights have shape 1, not 4",
  ],
  [
    () => folder({ embeddings: F32, mapping: { type: "I32", shape: [1], data: Int32Array.of(4) } }),
    "element 0 of its mapping is 4, and it has 4 vectors",
  ],
  [
    () =>
      folder({
        embeddings: F32,
        mapping: { type: "I64", shape: [1], data: BigInt64Array.of(2n ** 32n) },
      }),
    "element 0 of its mapping is 4294967296, and it has 4 vectors",
  ],
  [
    () =>
      folder({ embeddings: F32, mapping: { type: "F32", shape: [1], data: new Float32Array(1) } }),
    "its mapping is F32 of shape 1",
  ],
])("refuses folder %#, and says what is wrong", async (make, message) => {
  await expect(readModelFolder(folderAt(make()))).rejects.toThrow(message);
});

test("a file that is too large is refused before it is read", async () => {
  const path = folder({ embeddings: F32 });
  writeFileSync(join(path, "config.json"), " ".repeat(64 * 1024 + 1));
  await expect(readModelFolder(folderAt(path))).rejects.toThrow("config.json has 65537 bytes");
});

test("a text whose vector floats cannot hold is refused", async () => {
  const weights = { type: "F32", shape: [4], data: new Float32Array(4).fill(100) };
  const huge = { ...F32, data: new Float32Array(8).fill(3e38) };
  for (const config of [{}, { normalize: true }]) {
    const path = folder({ embeddings: huge, weights }, { config });
    await expect(embed(path, "fish")).rejects.toThrow(
      'embedding model "mine" makes a vector of Infinity',
    );
  }
});

test("what is no file is refused, and not waited for", async () => {
  const path = folder({ embeddings: F32 });
  rmSync(join(path, "config.json"));
  execFileSync("mkfifo", [join(path, "config.json")]);
  await expect(readModelFolder(folderAt(path))).rejects.toThrow("config.json is no file");
  rmSync(join(path, "config.json"));
  mkdirSync(join(path, "config.json"));
  await expect(readModelFolder(folderAt(path))).rejects.toThrow("config.json is no file");
});

test("who reads a folder hears how large it is before that, and may refuse", async () => {
  const path = folder({ embeddings: F32 });
  const sizes: number[] = [];
  const checkSize = (bytes: number) => {
    sizes.push(bytes);
    throw new Error("no room");
  };
  await expect(readModelFolder({ name: "mine", path, checkSize })).rejects.toThrow("no room");
  expect(sizes).toEqual([statSync(join(path, "model.safetensors")).size]);
});

test("a folder says what threads share, and what each takes beside that", async () => {
  const weights = { type: "F32", shape: [4], data: new Float32Array(4) };
  const mapping = { type: "I32", shape: [4], data: new Int32Array(4) };
  const path = folder({ embeddings: F32, weights, mapping });
  const jsonBytes = statSync(join(path, "tokenizer.json")).size;
  const { sharedBytes, threadBytes } = await readModelFolder(folderAt(path));
  expect(sharedBytes).toBe(4 * 2 * 4 + jsonBytes);
  expect(threadBytes).toBe(4 * 64 + jsonBytes + 16 + 16);
});
