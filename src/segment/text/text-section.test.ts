import { expect, test } from "vitest";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { must } from "../../base/assert.ts";
import { TEXT_INDEX } from "./text-index.ts";

test("terms are found by name, however many were asked for before", () => {
  const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
  // The word of number n is in the documents whose ids are multiples of n + 1.
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`);
  const documents = Array.from({ length: 300 }, (_, id) => {
    return documentOf(BigInt(id), { text: words.filter((_, n) => id % (n + 1) === 0).join(" ") });
  });
  const { segments } = openSnapshot(schema, [{ documents }]);
  const text = must(segments[0].view.index(TEXT_INDEX, "text"), "a text index");
  const counts = words.map((_, n) => Math.ceil(300 / (n + 1)));
  for (const order of [words, words, [...words].reverse(), words.slice(0, 5)]) {
    for (const word of order) {
      const count = counts[words.indexOf(word)];
      expect([word, text.postingCount(word)]).toEqual([word, count]);
      expect(text.postings(word)?.ordinals.length).toBe(count);
      expect(text.postingCount(`${word}s`)).toBe(0);
      expect(text.postings(`${word}s`)).toBeUndefined();
    }
  }
});
