import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import type { EmbeddingConfig } from "./config.ts";
import { embeddingSource } from "./embedding-source.ts";

test("a model without room says so to who asks for it, and takes nothing", async () => {
  const ownRefusal = "static model trawl/static-en takes 1.0 GiB: raise --memory-limit";
  const config = { kind: "none" } as const;
  const source = embeddingSource({ config, folders: [], ownRefusal }, new InstantClock());
  const request = { model: "trawl/static-en", texts: ["boat"], dimensions: 384 };
  await expect(source.embed(request)).rejects.toMatchObject({
    code: "invalid",
    message: `💔 ${ownRefusal}`,
  });
  expect(source.loadedBytes()).toEqual(new Map());
  const roomy = embeddingSource({ config, folders: [] }, new InstantClock());
  expect((await roomy.embed(request)).vectors[0]).toHaveLength(384);
  expect([...roomy.loadedBytes().keys()]).toEqual(["trawl/static-en"]);
});

test("an unknown model is reported, and its dimensions are not requested", () => {
  const [none, http] = [
    { kind: "none" },
    { kind: "http", url: "http://here", modelDimensions: {} },
  ];
  const sourceOf = (config: EmbeddingConfig) =>
    embeddingSource({ config, folders: [] }, new InstantClock());
  const source = sourceOf(none as EmbeddingConfig);
  expect(() => source.dimensionsOf("trawl/static-eng")).toThrow(
    'embedding model "trawl/static-eng" is not there: name "trawl/static-en"',
  );
  expect(source.dimensionsOf("trawl/static-en")).toBe(384);
  expect(source.dimensionsOf("openai/text-embedding-3-small")).toBe(1536);
  // A service may have it.
  expect(sourceOf(http as EmbeddingConfig).dimensionsOf("acme/own")).toBeUndefined();
});
