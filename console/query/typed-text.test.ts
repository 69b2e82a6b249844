import { expect, test } from "vitest";
import { newRanking, type TextRanking, type VectorRanking } from "./query-model.ts";
import { readRequestSchema } from "./request-schema.ts";
import { withTypedText } from "./typed-text.ts";

const schema = readRequestSchema({
  title: {
    type: "string",
    full_text_search: true,
    embed: { model: "trawl/static-en", attribute: "embed_title" },
  },
});
const words = (query: string) => ({ ...newRanking("text", schema), query }) as TextRanking;
const meaning = (text: string) => ({ ...newRanking("vector", schema), text }) as VectorRanking;

test("what was typed for words is looked for by meaning, and the other way round", () => {
  expect(withTypedText(meaning(""), [words("a ship")])).toEqual(meaning("a ship"));
  expect(withTypedText(words(""), [words(" "), meaning("a ship")])).toEqual(words("a ship"));
});

test("a text of one's own stays, and what takes no text is as it was", () => {
  expect(withTypedText(meaning("a storm"), [words("a ship")])).toEqual(meaning("a storm"));
  const values = { ...meaning(""), from: "values" } as const;
  expect(withTypedText(values, [words("a ship")])).toEqual(values);
  const order = newRanking("order", schema);
  expect(withTypedText(order, [words("a ship")])).toEqual(order);
});
