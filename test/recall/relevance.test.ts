/**
 * How good the order of BM25 is on real texts with judgments by people: as good as what was
 * published for Lucene, and the same as that of a naive program. What differs from Lucene comes
 * from its rules, since the naive program has the published figures when it follows them.
 */

import { describe, expect, test } from "vitest";
import { analyzerFor } from "../../src/text/analyzer.ts";
import { fullText } from "../support/queries/query-fixture.ts";
import { hasJudgedSet, readJudgedSet } from "../support/relevance/judged-sets.ts";
import { luceneEnglishTerms, luceneLength } from "../support/relevance/lucene-rules.ts";
import {
  exactLuceneTwin,
  figureOf,
  foundByTrawl,
  foundNaively,
  luceneTwin,
  namedFigures,
  openJudged,
  searchAll,
  textsOf,
} from "../support/relevance/measured-figures.ts";
import { NaiveBm25 } from "../support/relevance/naive-bm25.ts";
import {
  DIFFERENCE_MAX,
  PUBLISHED,
  type PublishedFigures,
  RESULTS_MAX,
  STAR_WARS_SCORES,
} from "../support/relevance/published-figures.ts";

/** `toBeCloseTo` has no bounds of its own. */
function expectNear(actual: number, published: number, differenceMax: number): void {
  expect(actual).toBeGreaterThanOrEqual(published - differenceMax);
  expect(actual).toBeLessThanOrEqual(published + differenceMax);
}

function publishedOf(name: string): PublishedFigures {
  const of = PUBLISHED.find(({ set }) => set === name);
  if (of === undefined) throw new Error(`nothing is published of ${name}`);
  return of;
}

describe.each(PUBLISHED)("on $set with $with", (of) => {
  test.skipIf(!hasJudgedSet(of.set))("BM25 is as good as published", async () => {
    const set = readJudgedSet(of.set);
    const found = await foundByTrawl(set, of);
    for (const [measure, published] of namedFigures(of)) {
      expectNear(figureOf(measure, found, set), published, DIFFERENCE_MAX);
    }
  });
});

/** Text settings, as the wire and as the naive program has them; the others are left at defaults. */
const COMPARED = [
  { set: "scifact", settings: { stemming: true, k1: 0.9, b: 0.4 }, analysis: { stemming: true } },
  { set: "miracl-yo", settings: { k1: 1.2, b: 0.75 }, analysis: {} },
] as const;

describe.each(COMPARED)("on $set", ({ set: name, settings, analysis }) => {
  test.skipIf(!hasJudgedSet(name))("a naive BM25 finds the same with the same scores", async () => {
    const set = readJudgedSet(name);
    const analyzer = analyzerFor(fullText(analysis));
    const terms = (text: string) => analyzer.analyze(text).map(({ term }) => term);
    const { k1, b } = settings;
    const naive = foundNaively(set, new NaiveBm25(textsOf(set), { terms, k1, b, k3: 8 }));
    const search = await openJudged(set, { settings, value: (text) => text });
    const rankBy = (text: string) => ["text", "BM25", text];
    expect(await searchAll(search, set, { rankBy, limit: RESULTS_MAX })).toEqual(naive);
    await search.index();
    expect(await searchAll(search, set, { rankBy, limit: RESULTS_MAX })).toEqual(naive);
    await search.close();
  });
});

describe("the naive BM25 by Lucene's rules", () => {
  test.skipIf(!hasJudgedSet("cacm"))("has the terms and the figure of cacm", () => {
    const set = readJudgedSet("cacm");
    const of = publishedOf("cacm");
    const naive = luceneTwin(set, of);
    expect(naive.termCount).toBe(320_968);
    expectNear(figureOf("MAP", foundNaively(set, naive), set), 0.3123, 0.0002);
  });

  test.skipIf(!hasJudgedSet("scifact"))("has the published figures of scifact", () => {
    const set = readJudgedSet("scifact");
    const of = publishedOf("scifact");
    const [rounded, exact] = [luceneTwin(set, of), exactLuceneTwin(set, of)];
    const found = foundNaively(set, rounded);
    // To all digits; without the rounding of lengths to a byte nDCG@10 is less by 0.0012.
    for (const [measure, published] of namedFigures(of)) {
      expect(figureOf(measure, found, set)).toBeCloseTo(published, 4);
    }
    expect(figureOf("nDCG@10", foundNaively(set, exact), set)).toBeCloseTo(0.6777, 4);
  });

  test.skipIf(!hasJudgedSet("miracl-yo"))("has the terms of the published index", () => {
    const set = readJudgedSet("miracl-yo");
    const of = publishedOf("miracl-yo");
    const naive = luceneTwin(set, of);
    // One less than published: Lucene's tokenizer cuts a token of more than 255 characters in two.
    expect([naive.termCount, naive.uniqueCount]).toEqual([1_387_087, 174_538]);
    const found = foundNaively(set, naive);
    expect(figureOf("R@100", found, set)).toBeCloseTo(0.7325, 4);
    expectNear(figureOf("nDCG@10", found, set), 0.4059, 0.001);
  });
});

test.skipIf(!hasJudgedSet("msrd-movies"))("the naive BM25 has Lucene's scores of overviews", () => {
  const { documents } = readJudgedSet("msrd-movies");
  const overviews = documents.map(({ id, texts }) => ({ id, text: texts.overview }));
  // Lucene counts the documents that have a term, Trawl those that have the attribute.
  const written = overviews.filter(({ text }) => text !== "");
  expect(overviews.length - written.length).toBe(57);
  const rules = { terms: luceneEnglishTerms, k1: 1.2, b: 0.75, storedLength: luceneLength };
  const found = new NaiveBm25(written, rules).search("star wars", 2);
  for (const { id, score } of found) expect(score).toBeCloseTo(STAR_WARS_SCORES.overview[id], 4);
});

test.skipIf(!hasJudgedSet("msrd-movies"))("single scores are near to Lucene's", async () => {
  const set = readJudgedSet("msrd-movies");
  const settings = { language: "english", stemming: true, k1: 1.2, b: 0.75 };
  const search = await openJudged(set, { settings, value: (text) => text });
  for (const [attribute, scores] of Object.entries(STAR_WARS_SCORES)) {
    const found = await search.search([attribute, "BM25", "star wars"], 1000);
    const published = Object.entries(scores);
    const first = found.slice(0, published.length).map(({ id }) => id);
    expect(first.toSorted()).toEqual(published.map(([id]) => id).toSorted());
    for (const [id, score] of published) {
      const own = found.find((document) => document.id === id)?.score ?? 0;
      expectNear(own, score, DIFFERENCE_MAX);
    }
  }
  await search.close();
});
