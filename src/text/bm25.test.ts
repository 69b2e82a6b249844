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

test.each([
  ["fish", [0.19350067, 0.11623961, 0.14426166]],
  ["fish fish", [0.34830117, 0.20923129, 0.25967097]],
  ["fish fish swim", [0.85607296, 0.20923129, 0.9407541]],
])("scores for %s are those of the public service to the last digit", (query, expected) => {
  const documents = ["fish fish swim", "fish tank water deep blue", "swim swim fish"];
  expect(scores(documents, query)).toEqual(expected.map(Math.fround));
});

test("scores without documents are those of the public service", () => {
  const weight = termWeight(inverseDocumentFrequency(0, 0), queryWeight(1, 8), OPTIONS.k1);
  const score = (frequency: number, length: number) =>
    termScore(weight, frequency, length, OPTIONS);
  expect(score(1, 1)).toBe(Math.fround(Math.LN2));
  expect(score(2, 2).toFixed(5)).toBe("0.74387");
  expect(score(1, 3).toFixed(5)).toBe("0.38123");
  expect(score(0, 3)).toBe(0);
});

test("a term that the query repeats weighs more, but ever less so", () => {
  expect([0, 1, 2, 3].map((frequency) => queryWeight(frequency, 8))).toEqual([0, 1, 1.8, 27 / 11]);
});

test("a term that every document has still weighs something, however many there are", () => {
  expect(inverseDocumentFrequency(10, 10)).toBeGreaterThan(0);
  expect(inverseDocumentFrequency(1e12, 1e12)).toBeCloseTo(0.5e-12, 20);
});

test("rounding costs a weight less than 1e-4 of it, at every frequency", () => {
  for (const count of [1, 10, 1000, 1e6, 1e8]) {
    for (let without = 0; without <= count; without = Math.ceil(1.01 * (without + 1))) {
      const exact = Math.log1p((without + 0.5) / (count - without + 0.5));
      const error = inverseDocumentFrequency(count, count - without) / exact - 1;
      expect(Math.abs(error), `${without} of ${count}`).toBeLessThan(1e-4);
    }
  }
});
