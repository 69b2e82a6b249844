/** What Lucene does with texts and lengths where Trawl does something else, for comparisons. */

import { newStemmer } from "snowball-stemmers";
import { analyzerFor } from "../../../src/text/analyzer.ts";
import { stopWordsOf } from "../../../src/text/languages/language.ts";
import { fullText } from "../queries/query-fixture.ts";

/** Where Lucene's WhitespaceTokenizer cuts: by Java's isWhitespace, which has no hard spaces. */
const WHITE_SPACE = /[^\S\u00a0\u2007\u202f\ufeff]+/;

/** As long as Trawl lets tokens be; Lucene cuts those of more than 255. */
const WORDS = fullText({ removeStopwords: false, maxTokenLength: 254 });

const PORTER = newStemmer("porter");
/** Stems by word: to make one takes microseconds. */
const STEMS = new Map<string, string>();

/**
 * The terms of Lucene's EnglishAnalyzer: words by UAX #29 in lower case, without a possessive s and
 * without stop words, stemmed by Porter's first stemmer, where Trawl has his second one.
 */
export function luceneEnglishTerms(text: string): string[] {
  const stopWords = stopWordsOf("english");
  return analyzerFor(WORDS)
    .analyze(text)
    .map(({ term }) => term.replace(/['’＇]s$/, ""))
    .filter((term) => !stopWords.has(term))
    .map(stemByPorter);
}

/** The terms of Lucene's WhitespaceAnalyzer: the case stays, and what is written beside a word. */
export function whitespaceTerms(text: string): string[] {
  return text.split(WHITE_SPACE).filter((term) => term !== "");
}

/**
 * What Lucene makes of a document's length, which it keeps in one byte (SmallFloat.intToByte4 and
 * back, since version 7): exact below 40; above, what exceeds 24 keeps its four highest bits alone.
 */
export function luceneLength(length: number): number {
  const exact = 24;
  if (length < exact) return length;
  const rest = length - exact;
  const lostBits = Math.max(0, 28 - Math.clz32(rest));
  return exact + ((rest >> lostBits) << lostBits);
}

function stemByPorter(word: string): string {
  const stem = STEMS.get(word) ?? PORTER.stem(word);
  STEMS.set(word, stem);
  return stem;
}
