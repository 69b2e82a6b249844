import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fullText } from "../../../test/support/queries/query-fixture.ts";
import { STEM_SAMPLES } from "../../../test/support/texts/stem-samples-table.ts";
import { LANGUAGES, type Language } from "../../model/full-text-options.ts";
import { analyzerFor } from "../analyzer.ts";
import { completeFullTextOptions, validateFullTextOptions } from "../full-text-rules.ts";
import { stemGreek } from "./greek-stemmer.ts";
import { hasStopWords, stemmerOf, stopWordsOf } from "./language.ts";

describe("the stemmer", () => {
  test.each(LANGUAGES)("of %s gives the stems of Snowball", (language) => {
    const pairs = STEM_SAMPLES[language].split(" ").map((pair) => pair.split("="));
    expect(pairs).toHaveLength(60);
    expect(pairs.map(([word]) => [word, stemmerOf(language)(word)])).toEqual(pairs);
  });

  test.each([
    ["வீட்டில்", "வீடு"],
    ["பள்ளிக்கு", "பள்ளி"],
    ["பறவைகள்", "பறவை"],
    ["தமிழர்கள்", "தமிழர்"],
    ["சென்றான்", "செல்"],
    ["வந்தார்கள்", "வ"],
  ])("for Tamil makes of %s %s", (word, stem) => {
    expect(stemmerOf("tamil")(word)).toBe(stem);
  });

  test.each([
    ["αυτοκίνητα", "αυτοκινητ"],
    ["χορδίζουμε", "χορδ"],
    ["χορδίζοντας", "χορδιζ"],
    ["κρέατος", "κρε"],
    ["γεγονότων", "γεγον"],
    ["αγάμε", "αγαμ"],
    ["ίσα", "ισ"],
    ["βυζαντινισμός", "βυζαντ"],
    ["μαμάδες", "μαμ"],
    ["λαμπάδες", "λαμπαδ"],
    ["το", "το"],
  ])("for Greek makes of %s %s", (word, stem) => {
    expect(stemGreek(word)).toBe(stem);
  });
});

/** Snowball has no lists of theirs. */
const WITHOUT_STOP_WORDS: readonly Language[] = ["arabic", "greek", "romanian", "tamil", "turkish"];

describe("stop words", () => {
  test("exist for thirteen languages", () => {
    const without = LANGUAGES.filter((language) => !hasStopWords(language));
    expect(without).toEqual(WITHOUT_STOP_WORDS);
  });

  test.each([
    ["arabic", "من في على إلى هذا"],
    ["greek", "και το να είναι από"],
    ["romanian", "și de la este cu"],
    ["tamil", "ஒரு என்று மற்றும் இந்த இது"],
    ["turkish", "ve bir bu için ile"],
  ] as const)("of %s are none: its commonest words are terms", (language, text) => {
    expect(stopWordsOf(language).size).toBe(0);
    const terms = (removeStopwords: boolean) =>
      analyzerFor(fullText({ language, removeStopwords }))
        .analyze(text)
        .map(({ term, position }) => [term, position]);
    expect(terms(false)).toEqual(text.split(" ").map((word, position) => [word, position]));
    expect(terms(true)).toEqual(terms(false));
    // So nobody is promised that they are removed: that is off, and refused if it is asked for.
    const byDefault = completeFullTextOptions({ language });
    expect(byDefault.removeStopwords).toBe(false);
    expect(validateFullTextOptions(byDefault)).toBeUndefined();
    const asked = { language, removeStopwords: true } as const;
    expect(validateFullTextOptions(completeFullTextOptions(asked), asked)).toBe(
      `stopword removal is not supported for language: ${language}`,
    );
  });

  // SHA-256, the first half, of the words of Snowball's stop.txt, sorted, with spaces between: of
  // https://github.com/snowballstem/snowball-website at commit b934d6b.
  test.each([
    ["danish", 94, "26e282167725a3e3"],
    ["dutch", 101, "e30d3322f01bc1d4"],
    ["finnish", 229, "5e13e636f9e08de7"],
    ["french", 154, "9054328acf20afaa"],
    ["german", 231, "60f2df7346d68de4"],
    ["hungarian", 198, "f3e571a0ce3a730d"],
    ["italian", 279, "fcc13f5f3c83fea6"],
    ["norwegian", 172, "a8e62e99ef12d21b"],
    ["portuguese", 203, "3a2c1ef1c23d038b"],
    ["russian", 159, "65df61dff36b6cd2"],
    ["spanish", 308, "0dfbb97363b81b6a"],
    ["swedish", 114, "2cb31a2848086803"],
  ] as const)("of %s are the %i of Snowball", (language, count, digest) => {
    const words = stopWordsOf(language);
    const sorted = [...words].sort().join(" ");
    const sha = createHash("sha256").update(sorted).digest("hex").slice(0, 16);
    expect([words.size, sha]).toEqual([count, digest]);
  });

  test("of English are the 33 of Lucene", () => {
    expect([...stopWordsOf("english")].sort().join(" ")).toBe(
      "a an and are as at be but by for if in into is it no not of on or such that the their " +
        "then there these they this to was will with",
    );
  });

  test.each(LANGUAGES.filter((language) => !WITHOUT_STOP_WORDS.includes(language)))(
    "of %s are dropped as words of a text, also with a capital",
    (language) => {
      const words = [...stopWordsOf(language)];
      expect(words.length).toBeGreaterThan(30);
      const capitals = words.map((word) => word[0].toUpperCase() + word.slice(1));
      const analyzer = analyzerFor(fullText({ language, removeStopwords: true }));
      expect(analyzer.analyze([...words, ...capitals, "Trawl3"].join(" "))).toMatchObject([
        { term: "trawl3", position: 2 * words.length },
      ]);
    },
  );
});
