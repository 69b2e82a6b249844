import { describe, expect, test } from "vitest";
import type { FullTextOptions } from "../model/full-text-options.ts";
import { ANALYZERS_MAX, type Analyzer, analyzerFor, lastElementPrefix } from "./analyzer.ts";
import { FULL_TEXT_DEFAULTS } from "./full-text-rules.ts";

const PROBE =
  "Puffy (🐡) visited a café, e.g. searching for clams, but left disappointed. " +
  "The foxes' e-mail: fish@sea.com 3.14 don't U.S.A. 東京タワー " +
  "supercalifragilisticexpialidociousandmorelett1234 naïve Ærø straße";

const KEEP_ALL: FullTextOptions = { ...FULL_TEXT_DEFAULTS, removeStopwords: false };

function analyzerWith(options: Partial<FullTextOptions>): Analyzer {
  return analyzerFor({ ...KEEP_ALL, ...options });
}

function termsOf(analyzer: Analyzer, text: string): string[] {
  return analyzer.analyze(text).map((token) => token.term);
}

/** The queries that find the probe text, of those given: some term of theirs is in the text. */
function hits(options: Partial<FullTextOptions>, queries: string): string[] {
  const analyzer = analyzerWith(options);
  const terms = new Set(termsOf(analyzer, PROBE));
  return queries.split(" ").filter((query) => termsOf(analyzer, query).some((t) => terms.has(t)));
}

const FOUND =
  "puffy Puffy 🐡 a the café e.g e e-mail mail sea.com fish@sea.com 3.14 don't u.s.a 東 京 東京 " +
  "タワー ærø straße";
const LONG = "supercalifragilisticexpialidociousandmorelett1234";
const NOT_FOUND = `cafe visit clam g email sea com 3 14 don t u usa ${LONG} naive aero strasse`;

describe("the probe text", () => {
  test.each(["word_v3", "word_v4"] as const)("has the tokens of %s", (tokenizer) => {
    expect(hits({ tokenizer }, FOUND).join(" ")).toBe(FOUND);
    expect(hits({ tokenizer }, NOT_FOUND)).toEqual([]);
  });

  test("has stems with stemming, and is still found by whole words", () => {
    const found = `${FOUND} visit search clam fox disappoint`;
    expect(hits({ stemming: true }, found).join(" ")).toBe(found);
    expect(hits({ stemming: true }, "cafe g usa naive")).toEqual([]);
  });

  test("has ASCII spellings with folding", () => {
    const found = `${FOUND} cafe naive aero strasse`;
    expect(hits({ asciiFolding: true }, found).join(" ")).toBe(found);
    expect(hits({ asciiFolding: true }, "aro strase")).toEqual([]);
  });

  test("has more tokens with word_v2", () => {
    const found = `${FOUND} g sea com 3 14 don t u`;
    expect(hits({ tokenizer: "word_v2" }, found).join(" ")).toBe(found);
    expect(hits({ tokenizer: "word_v2" }, "cafe visit usa naive").join(" ")).toBe("");
  });

  test("joins ideographs with word_v1 and has no emoji with word_v0", () => {
    expect(hits({ tokenizer: "word_v1" }, "東京タワー 🐡 東 京 タワー")).toEqual([
      "東京タワー",
      "🐡",
    ]);
    expect(hits({ tokenizer: "word_v0" }, "東京タワー 🐡 puffy")).toEqual(["東京タワー", "puffy"]);
  });

  test("loses tokens of more code points than the limit", () => {
    const queries = "café ærø タワー 🐡 puffy naïve straße";
    expect(hits({ maxTokenLength: 4 }, queries)).toEqual(["café", "ærø", "タワー", "🐡"]);
    expect(hits({ maxTokenLength: 49 }, LONG)).toEqual([LONG]);
    expect(hits({ maxTokenLength: 48 }, LONG)).toEqual([]);
  });

  test("is found by capitals only as written when case matters", () => {
    expect(hits({ caseSensitive: true }, "Puffy puffy U.S.A u.s.a")).toEqual(["Puffy", "U.S.A"]);
  });

  test("has no stop words by default", () => {
    expect(hits({ removeStopwords: true }, "a the for but e left")).toEqual(["e", "left"]);
  });
});

describe("positions", () => {
  const analyzer = analyzerFor(FULL_TEXT_DEFAULTS);
  const distance = (text: string): number => {
    const [first, second] = analyzer.analyze(text);
    return second.position - first.position;
  };

  test("count stop words, so that phrases keep their distances", () => {
    expect(distance("visited a café")).toBe(2);
    expect(distance("visited the café")).toBe(2);
    expect(distance("visited café")).toBe(1);
  });

  test("count tokens that are too long", () => {
    const tokens = analyzerWith({ maxTokenLength: 3 }).analyze("one three two");
    expect(tokens.map(({ term, position }) => [term, position])).toEqual([
      ["one", 0],
      ["two", 2],
    ]);
  });

  test("come with the token's range in the text", () => {
    const text = "🐡 The CAFÉS";
    expect(analyzerWith({ stemming: true }).analyze(text)).toEqual([
      { term: "🐡", position: 0, start: 0, end: 2 },
      { term: "the", position: 1, start: 3, end: 6 },
      { term: "café", position: 2, start: 7, end: 12 },
    ]);
  });

  test("are the same with and without token objects", () => {
    const visited: [string, number][] = [];
    analyzer.forEachTerm(PROBE, (term, position) => visited.push([term, position]));
    expect(visited).toEqual(analyzer.analyze(PROBE).map((t) => [t.term, t.position]));
  });
});

describe("the last token as prefix", () => {
  test("is folded, but neither stemmed nor dropped", () => {
    const analyzer = analyzerFor({ ...FULL_TEXT_DEFAULTS, stemming: true });
    const { tokens, prefix } = analyzer.lastTokenPrefix("The searching FOXES ");
    expect([tokens.map((token) => token.term), prefix]).toEqual([["search"], "foxes"]);
    expect(analyzer.lastTokenPrefix("fox the").prefix).toBe("the");
  });

  test("keeps its case and accents as the options say", () => {
    expect(analyzerWith({ caseSensitive: true }).lastTokenPrefix("É").prefix).toBe("É");
    expect(analyzerWith({}).lastTokenPrefix("É").prefix).toBe("é");
    expect(analyzerWith({ asciiFolding: true }).lastTokenPrefix("É").prefix).toBe("e");
  });

  test("is absent from a query without tokens", () => {
    expect(analyzerWith({}).lastTokenPrefix(" ?")).toEqual({ tokens: [], prefix: undefined });
    expect(lastElementPrefix([])).toEqual({ tokens: [], prefix: undefined });
  });

  test("is the last element of a query of whole tokens", () => {
    const { tokens, prefix } = lastElementPrefix(["Red fish", "Bl"]);
    expect([tokens.map((token) => token.term), prefix]).toEqual([["Red fish"], "Bl"]);
  });
});

test("elements of pre_tokenized_array are terms as they are", () => {
  const analyzer = analyzerFor({
    ...KEEP_ALL,
    tokenizer: "pre_tokenized_array",
    caseSensitive: true,
    asciiFolding: true,
    maxTokenLength: 1,
  });
  const long = "Ünïcode ".repeat(40);
  const terms = ["The Red-Fish ", "the", "", long].map((element) => termsOf(analyzer, element));
  expect(terms).toEqual([["The Red-Fish "], ["the"], [""], [long]]);
});

test("equal options share an analyzer, and the number kept is bounded", () => {
  const first = analyzerFor({ ...KEEP_ALL, k1: 2 });
  expect(analyzerFor({ ...KEEP_ALL, k1: 2 })).toBe(first);
  for (let count = 0; count < ANALYZERS_MAX; count++) analyzerWith({ k1: 3 + count });
  expect(analyzerFor({ ...KEEP_ALL, k1: 2 })).not.toBe(first);
});
