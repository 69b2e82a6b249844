import { describe, expect, test } from "vitest";
import { countSteps } from "../../test/support/queries/count-steps.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { convertOffsets, type FragmentUnit, splitFragments } from "./fragments.ts";

const TEXT = "  First one. Second,\n third!  \r\n\r\n Naïve 🐡 fish. ";

describe("fragments", () => {
  test.each([
    ["sentence", ["First one.", "Second,", "third!", "Naïve 🐡 fish."]],
    ["paragraph", ["First one. Second,", "third!", "Naïve 🐡 fish."]],
    ["word", ["First", "one", "Second", "third", "Naïve", "🐡", "fish"]],
    ["none", ["First one. Second,\n third!  \r\n\r\n Naïve 🐡 fish."]],
  ] satisfies [FragmentUnit, string[]][])("by %s are trimmed ranges of the text", (unit, texts) => {
    const { starts, ends } = runSteps(splitFragments(TEXT, unit, "word_v3"));
    expect(Array.from(starts, (start, i) => TEXT.slice(start, ends[i]))).toEqual(texts);
  });

  test.each(["sentence", "paragraph", "word", "none"] as const)(
    "by %s are none for blank text",
    (unit) => {
      const none = { starts: new Uint32Array(0), ends: new Uint32Array(0) };
      expect(runSteps(splitFragments("", unit, "word_v3"))).toEqual(none);
      expect(runSteps(splitFragments(" \n\t\u3000 ", unit, "word_v3"))).toEqual(none);
    },
  );
});

describe("offsets", () => {
  test("are converted to bytes and code points", () => {
    const text = "aé🐡東b";
    const offsets = [0, 1, 2, 4, 5, 6];
    expect(runSteps(convertOffsets(text, offsets, "utf-8"))).toEqual([0, 1, 3, 7, 10, 11]);
    expect(runSteps(convertOffsets(text, offsets, "codepoints"))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(runSteps(convertOffsets(text, offsets, "utf-16"))).toEqual(offsets);
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
      expect([seed, text, runSteps(convertOffsets(text, offsets, "utf-8"))]).toEqual([
        seed,
        text,
        bytes,
      ]);
      expect(runSteps(convertOffsets(text, offsets, "codepoints"))).toEqual(points16);
    }
  });

  test("of long texts are converted in steps, also within pairs of surrogates", () => {
    const text = `a${"🐡".repeat(200_000)}é`;
    const offsets = [0, 65_536, 65_537, 399_999, 400_002];
    const { result, count } = countSteps(convertOffsets(text, offsets, "codepoints"));
    expect(result).toEqual([0, 32_769, 32_769, 200_000, 200_002]);
    expect(count).toBeGreaterThan(4);
  });
});
