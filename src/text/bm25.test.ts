import { expect, test } from "vitest";
import { analyzerFor } from "./analyzer.ts";
import { inverseDocumentFrequency, queryWeight, termScore, termWeight } from "./bm25.ts";
import { FULL_TEXT_DEFAULTS } from "./full-text-rules.ts";

const OPTIONS = FULL_TEXT_DEFAULTS;

/** Scores of all documents for a query, from the formula and nothing else. */
function scores(documents: readonly string[], query: string): number[] {
  const analyzer = analyzerFor(OPTIONS);
  const termsOf = (text: string) => analyzer.analyze(text).map((token) => token.term);
  const analyzed = documents.map(termsOf);
  const average = analyzed.reduce((sum, terms) => sum + terms.length, 0) / documents.length;
  const queryTerms = termsOf(query);
  return analyzed.map((terms) => {
    let sum = 0;
    for (const term of new Set(queryTerms)) {
      const matching = analyzed.filter((other) => other.includes(term)).length;
      const idf = inverseDocumentFrequency(documents.length, matching);
      const inQuery = queryWeight(count(queryTerms, term), OPTIONS.k3);
      const weight = termWeight(idf, inQuery, OPTIONS.k1);
      sum += termScore(weight, count(terms, term), terms.length / average, OPTIONS);
    }
    return Math.fround(sum);
  });
}

function count(terms: readonly string[], term: string): number {
  return terms.filter((other) => other === term).length;
}

test("scores of three documents are those of the public service", () => {
  const documents = ["fish fish swim", "fish tank water deep blue", "swim swim fish"];
  const expected = [0.19350067, 0.11623961, 0.14426166].map(Math.fround);
  expect(scores(documents, "fish")).toEqual(expected);
});

test("scores without documents are those of the public service", () => {
  const weight = termWeight(inverseDocumentFrequency(0, 0), queryWeight(1, 8), OPTIONS.k1);
  const score = (frequency: number, length: number) =>
    termScore(weight, frequency, length, OPTIONS);
  expect(score(1, 1)).toBe(Math.fround(Math.LN2));
  expect(score(2, 2)).toBeCloseTo(0.74387, 5);
  expect(score(1, 3)).toBeCloseTo(0.38123, 5);
  expect(score(0, 3)).toBe(0);
});

test("a term that the query repeats weighs more, but ever less so", () => {
  expect([0, 1, 2, 3].map((frequency) => queryWeight(frequency, 8))).toEqual([0, 1, 1.8, 27 / 11]);
});

test("a term that every document has still weighs something, however many there are", () => {
  expect(inverseDocumentFrequency(10, 10)).toBeGreaterThan(0);
  expect(inverseDocumentFrequency(1e12, 1e12)).toBeCloseTo(0.5e-12, 20);
});
