import { expect, test } from "vitest";
import { choicesOf } from "./namespace-choices.ts";

test("a namespace's attributes are what can be searched, shown and filtered by", () => {
  const choices = choicesOf({
    schema: {
      id: { type: "uint" },
      body: {
        type: "string",
        filterable: false,
        full_text_search: {},
        embed: { attribute: "embed_body", model: "m" },
      },
      title: { type: "string", filterable: true },
      note: { type: "string", filterable: true },
      year: { type: "int", filterable: true },
      price: { type: "float", filterable: false },
      tags: { type: "[]string", filterable: true },
      at: { type: "datetime", filterable: true },
      raw: { type: "bytes", filterable: false },
      embed_body: { type: "[3]f16", ann: {} },
      vector: { type: "[128]f32", ann: {} },
      many: { type: "[][3]f32", ann: {} },
    },
  });
  expect(choices.texts).toEqual(["body"]);
  expect(choices.shown).toEqual(["body", "title"]);
  expect(choices.vectors).toEqual([
    { attribute: "embed_body", embeds: "body" },
    { attribute: "vector", embeds: undefined },
  ]);
  expect(choices.filters).toEqual([
    { attribute: "id", kind: "whole" },
    { attribute: "title", kind: "value" },
    { attribute: "note", kind: "value" },
    { attribute: "year", kind: "whole" },
    { attribute: "at", kind: "time" },
  ]);
});

test("ids that are no numbers make no bounds", () => {
  expect(choicesOf({ schema: { id: { type: "string" } } }).filters).toEqual([]);
});
