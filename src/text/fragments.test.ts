import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { convertOffsets, type FragmentUnit, splitFragments } from "./fragments.ts";

const TEXT = "  First one. Second,\n third!  \r\n\r\n Naïve 🐡 fish. ";

describe("fragments", () => {
  test.each([
    ["sentence", ["First one.", "Second,", "third!", "Naïve 🐡 fish."]],
    ["paragraph", ["First one. Second,", "third!", "Naïve 🐡 fish."]],
    ["word", ["First", "one", "Second", "third", "Naïve", "🐡", "fish"]],
    ["none", ["First one. Second,\n third!  \r\n\r\n Naïve 🐡 fish."]],
  ] satisfies [FragmentUnit, string[]][])("by %s are trimmed ranges of the text", (unit, texts) => {
    const fragments = splitFragments(TEXT, unit, "word_v3");
    expect(fragments.map(({ start, end }) => TEXT.slice(start, end))).toEqual(texts);
  });

  test.each(["sentence", "paragraph", "word", "none"] as const)(
    "by %s are none for blank text",
    (unit) => {
      expect(splitFragments("", unit, "word_v3")).toEqual([]);
      expect(splitFragments(" \n\t\u3000 ", unit, "word_v3")).toEqual([]);
    },
  );
});

describe("offsets", () => {
  test("are converted to bytes and code points", () => {
    const text = "aé🐡東b";
    const offsets = [0, 1, 2, 4, 5, 6];
    expect(convertOffsets(text, offsets, "utf-8")).toEqual([0, 1, 3, 7, 10, 11]);
    expect(convertOffsets(text, offsets, "codepoints")).toEqual([0, 1, 2, 3, 4, 5]);
    expect(convertOffsets(text, offsets, "utf-16")).toEqual(offsets);
  });

  test("agree with encoding the text before them, lone surrogates included", () => {
    const seed = 5;
    const random = seededRandom(seed);
    const parts = ["a", "é", "東", "🐡", "\ud800"];
    for (let round = 0; round < 500; round++) {
      const points = Array.from({ length: 12 }, () => parts[random.below(parts.length)]);
      const text = points.join("");
      const offsets: number[] = [];
      for (let offset = 0; offset <= text.length; offset++) {
        const low = text.charCodeAt(offset);
        if (!(low >= 0xdc00 && low <= 0xdfff)) offsets.push(offset, offset);
      }
      const before = offsets.map((offset) => text.slice(0, offset));
      const bytes = before.map((start) => Buffer.byteLength(start));
      const points16 = before.map((start) => Array.from(start).length);
      expect([seed, text, convertOffsets(text, offsets, "utf-8")]).toEqual([seed, text, bytes]);
      expect(convertOffsets(text, offsets, "codepoints")).toEqual(points16);
    }
  });
});
