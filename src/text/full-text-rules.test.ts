import { describe, expect, test } from "vitest";
import {
  completeFullTextOptions,
  FULL_TEXT_DEFAULTS,
  type NamedFullTextOptions,
  validateFullTextOptions,
} from "./full-text-rules.ts";

function complaint(named: NamedFullTextOptions): string | undefined {
  return validateFullTextOptions(completeFullTextOptions(named), named);
}

describe("options that are refused", () => {
  test.each([
    [
      { caseSensitive: true, stemming: true },
      "stemming is not supported when case sensitivity is enabled",
    ],
    [
      { caseSensitive: true, removeStopwords: true },
      "stopword removal is not supported when case sensitivity is enabled",
    ],
    [
      { language: "turkish", removeStopwords: true },
      "stopword removal is not supported for language: turkish",
    ],
    [
      { tokenizer: "pre_tokenized_array", stemming: true },
      "cannot specify stemming with `pre_tokenized_array` tokenizer",
    ],
    [
      { tokenizer: "pre_tokenized_array", removeStopwords: true },
      "cannot specify remove_stopwords with `pre_tokenized_array` tokenizer",
    ],
    [
      { tokenizer: "pre_tokenized_array", caseSensitive: false },
      "cannot specify case_sensitive: false with `pre_tokenized_array` tokenizer",
    ],
    [
      { tokenizer: "pre_tokenized_array", language: "english" },
      "cannot specify language with `pre_tokenized_array` tokenizer",
    ],
    [{ maxTokenLength: 0 }, "max_token_length must be between 1 and 254, but got 0"],
    [{ maxTokenLength: 255 }, "max_token_length must be between 1 and 254, but got 255"],
    [{ maxTokenLength: 1.5 }, "max_token_length must be between 1 and 254, but got 1.5"],
    [{ k1: 0 }, "k1 must be greater than 0, but got 0"],
    [{ b: 1.1 }, "b must be between 0 and 1, but got 1.1"],
    [{ b: -0.1 }, "b must be between 0 and 1, but got -0.1"],
    [{ k3: -1 }, "k3 must be greater than 0, but got -1"],
  ] satisfies [NamedFullTextOptions, string][])("%j", (named, message) => {
    expect(complaint(named)).toBe(message);
  });
});

describe("options that are completed", () => {
  test("from the defaults", () => {
    expect(completeFullTextOptions({ stemming: true })).toEqual({
      ...FULL_TEXT_DEFAULTS,
      stemming: true,
    });
    expect(complaint({})).toBeUndefined();
  });

  test.each([
    { caseSensitive: true },
    { language: "greek" },
    { language: "tamil", stemming: true },
    { tokenizer: "pre_tokenized_array" },
  ] satisfies NamedFullTextOptions[])("%j keeps stop words", (named) => {
    expect(completeFullTextOptions(named).removeStopwords).toBe(false);
    expect(complaint(named)).toBeUndefined();
  });

  test("from what the attribute has", () => {
    const previous = completeFullTextOptions({ k1: 2, language: "german", removeStopwords: false });
    expect(completeFullTextOptions({ b: 0.5 }, previous)).toEqual({ ...previous, b: 0.5 });
  });

  test("pre_tokenized_array forces its settings and leaves no trace of them", () => {
    const whole = completeFullTextOptions({ tokenizer: "pre_tokenized_array", k1: 2 });
    expect([whole.stemming, whole.removeStopwords, whole.caseSensitive]).toEqual([
      false,
      false,
      true,
    ]);
    expect(completeFullTextOptions({ tokenizer: "word_v3" }, whole)).toEqual({
      ...FULL_TEXT_DEFAULTS,
      k1: 2,
    });
  });
});
