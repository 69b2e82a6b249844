import { expect, test } from "vitest";
import { hashEmbeddingProvider } from "./hash-embedding-provider.ts";
import { noEmbeddingProvider } from "./no-embedding-provider.ts";

async function embed(...texts: string[]): Promise<readonly Float32Array[]> {
  const request = { model: "any", texts, dimensions: 128 };
  return (await hashEmbeddingProvider.embed(request)).vectors;
}

function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

test("texts that share words are nearer than others", async () => {
  const [walrus, walruses, clams] = await embed(
    "the walrus sleeps on the ice",
    "walruses are sleeping on thin ice",
    "a recipe of clams with garlic butter",
  );
  expect(similarity(walrus, walruses)).toBeGreaterThan(similarity(walrus, clams) + 0.2);
});

test("vectors have length 1 and the dimensions asked for, also without words", async () => {
  for (const vector of await embed("one two three", "…!", "東京", "x")) {
    expect(vector).toHaveLength(128);
    expect(similarity(vector, vector)).toBeCloseTo(1, 5);
  }
});

test("the same text gives the same vector for ever", async () => {
  const [first] = await embed("trawl");
  const [second] = await embed("trawl");
  expect(second).toEqual(first);
  const nonZero = [...first.entries()].filter(([, value]) => value !== 0).map(([i]) => i);
  expect(nonZero).toMatchInlineSnapshot(`
    [
      10,
      21,
      37,
      79,
      115,
      119,
    ]
  `);
});

test("tokens are words", async () => {
  const request = { model: "any", texts: ["one two", "…"], dimensions: 8 };
  expect((await hashEmbeddingProvider.embed(request)).tokens).toBe(3);
});

test("without an embedder, models are known but nothing is embedded", async () => {
  expect(noEmbeddingProvider.dimensionsOf("openai/text-embedding-3-large")).toBe(3072);
  const request = { model: "openai/text-embedding-3-large", texts: ["a"], dimensions: 3072 };
  await expect(noEmbeddingProvider.embed(request)).rejects.toThrow("--embedder");
});
