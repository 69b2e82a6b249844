import { expect, test } from "vitest";
import { mapChoices, typedId } from "./map-choices.ts";

test("what can be drawn and what colours can be of is in the schema", () => {
  const choices = mapChoices({
    schema: {
      id: { type: "uuid" },
      body: { type: "string", embed: { attribute: "embed_body", model: "m" } },
      tags: { type: "[]string" },
      raw: { type: "bytes" },
      embed_body: { type: "[3]f16", ann: { distance_metric: "cosine_distance" } },
      vector: { type: "[128]f32", ann: { distance_metric: "euclidean_squared" } },
      many: { type: "[][3]f32", ann: {} },
      words: { type: "{}f16" },
    },
  });
  expect(choices).toEqual({
    vectors: [
      { attribute: "embed_body", dims: 3, isCosine: true, embeds: "body" },
      { attribute: "vector", dims: 128, isCosine: false, embeds: undefined },
    ],
    colors: ["body", "tags"],
    hidden: ["raw", "embed_body", "vector", "many", "words"],
    idType: "uuid",
  });
});

test("typed ids are numbers where the namespace's are", () => {
  expect(typedId(" 12 ", "uint")).toBe(12);
  expect(typedId("18446744073709551615", "uint")).toBe(2n ** 64n - 1n);
  expect(typedId("x", "uint")).toBeUndefined();
  expect(typedId("12", "string")).toBe("12");
  expect(typedId("", "string")).toBeUndefined();
});
