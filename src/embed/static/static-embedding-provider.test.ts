import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import type { Steps } from "../../base/steps.ts";
import { hashEmbeddingProvider } from "../hash-embedding-provider.ts";
import { StaticEmbeddingProvider } from "./static-embedding-provider.ts";
import type { StaticEmbedding } from "./static-model.ts";

function* lengthOf(text: string): Steps<StaticEmbedding> {
  yield;
  return { vector: Float32Array.of(text.length, 1), tokens: 3 };
}

function provider(load: () => Promise<{ dimensions: number; embed: typeof lengthOf }>) {
  const models = new Map([["mine", { dimensions: 2, threadBytes: 70, load }]]);
  const clock = new InstantClock();
  return new StaticEmbeddingProvider({ models, others: hashEmbeddingProvider, clock });
}

const model = { dimensions: 2, embed: lengthOf };

test("a model is loaded by the first request for it, once", async () => {
  let loads = 0;
  const source = provider(async () => {
    loads++;
    return model;
  });
  expect(source.dimensionsOf("mine")).toBe(2);
  expect(loads).toBe(0);
  expect(source.loadedBytes()).toEqual(new Map());
  const request = { model: "mine", texts: ["a", "abc"], dimensions: 2 };
  const [first, second] = await Promise.all([source.embed(request), source.embed(request)]);
  expect(first).toEqual({
    vectors: [Float32Array.of(1, 1), Float32Array.of(3, 1)],
    tokens: 6,
  });
  expect(second).toEqual(first);
  expect(loads).toBe(1);
  expect(source.loadedBytes()).toEqual(new Map([["mine", 70]]));
});

test("what could not be loaded is tried again", async () => {
  let loads = 0;
  const source = provider(async () => {
    if (++loads === 1) throw new Error("no disk");
    return model;
  });
  const request = { model: "mine", texts: ["a"], dimensions: 2 };
  await expect(source.embed(request)).rejects.toThrow("no disk");
  expect((await source.embed(request)).tokens).toBe(3);
});

test("other models are another provider's", async () => {
  const source = provider(async () => model);
  const request = { model: "theirs", texts: ["a"], dimensions: 8 };
  expect(await source.embed(request)).toEqual(await hashEmbeddingProvider.embed(request));
  expect(source.dimensionsOf("theirs")).toBe(hashEmbeddingProvider.dimensionsOf("theirs"));
});

test("dimensions that the model does not have are refused", async () => {
  const request = { model: "mine", texts: ["a"], dimensions: 3 };
  await expect(provider(async () => model).embed(request)).rejects.toThrow(
    'embedding model "mine" makes vectors of 2 dimensions, and 3 are asked for',
  );
});

test("long texts are cut", async () => {
  const request = { model: "mine", texts: ["a".repeat(100_000)], dimensions: 2 };
  const { vectors } = await provider(async () => model).embed(request);
  expect(vectors[0][0]).toBe(32_768);
});
