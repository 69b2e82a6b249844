/**
 * What others have measured on the judged sets, with the settings that they had. k3 has no like in
 * Lucene, which counts a term as often as the query has it: that is what Trawl does for k3 without
 * bounds.
 */

import type { FullTextSettings, TextValue } from "./judged-search.ts";
import type { JudgedSetName } from "./judged-sets.ts";
import { luceneEnglishTerms, whitespaceTerms } from "./lucene-rules.ts";
import { averagePrecision, type Measure, ndcgAt, recallAt } from "./trec-metrics.ts";

/** How far from a published figure Trawl's own may be. */
export const DIFFERENCE_MAX = 0.01;

/** Results of a query that count. */
export const RESULTS_MAX = 1000;

/** What is measured, by the names that trec_eval's users know. */
export const MEASURES = {
  "nDCG@10": ndcgAt(10),
  MAP: averagePrecision,
  "R@100": recallAt(100),
} as const satisfies Record<string, Measure>;

/** Name of a measure. */
export type MeasureName = keyof typeof MEASURES;

/** Figures of one set with one choice of settings. */
export interface PublishedFigures {
  readonly set: JudgedSetName;
  /** What is special about the settings, for people. */
  readonly with: string;
  readonly settings: FullTextSettings;
  /** What is written, and asked, of a text. */
  readonly value: (text: string) => TextValue;
  /** Lucene's; for those named below, what a plain program made of its formula. */
  readonly figures: Readonly<Partial<Record<MeasureName, number>>>;
  readonly origin: "Lucene" | "its formula";
  /** The terms that Lucene makes of a text. */
  readonly luceneTerms: (text: string) => readonly string[];
}

const LINEAR = 1e9;
const ENGLISH = { language: "english", stemming: true, remove_stopwords: true, k3: LINEAR };
const ANSERINI = { k1: 0.9, b: 0.4 };
const ENGLISH_WORDS = { value: (text: string) => text, luceneTerms: luceneEnglishTerms };

/**
 * All of them; the sets' READMEs say where they are from. The index behind the Yoruba figures has
 * 1,387,088 terms, 174,539 of them distinct, which is what white space alone makes of the texts.
 */
export const PUBLISHED: readonly PublishedFigures[] = [
  {
    set: "scifact",
    with: "k1 0.9, b 0.4",
    settings: { ...ENGLISH, ...ANSERINI },
    ...ENGLISH_WORDS,
    figures: { "nDCG@10": 0.6789, "R@100": 0.9253 },
    origin: "Lucene",
  },
  {
    set: "cacm",
    with: "k1 0.9, b 0.4",
    settings: { ...ENGLISH, ...ANSERINI },
    ...ENGLISH_WORDS,
    figures: { MAP: 0.3123 },
    origin: "Lucene",
  },
  {
    set: "cisi",
    with: "k1 0.9, b 0.4",
    settings: { ...ENGLISH, ...ANSERINI },
    ...ENGLISH_WORDS,
    figures: { "nDCG@10": 0.36, MAP: 0.198 },
    origin: "its formula",
  },
  {
    set: "cranfield",
    with: "k1 0.9, b 0.4",
    settings: { ...ENGLISH, ...ANSERINI },
    ...ENGLISH_WORDS,
    figures: { "nDCG@10": 0.357, MAP: 0.28 },
    origin: "its formula",
  },
  {
    set: "cranfield",
    with: "k1 1.2, b 0.75",
    settings: { ...ENGLISH, k1: 1.2, b: 0.75 },
    ...ENGLISH_WORDS,
    figures: { "nDCG@10": 0.375, MAP: 0.296 },
    origin: "its formula",
  },
  {
    set: "miracl-yo",
    with: "k1 0.9, b 0.4, words by white space",
    settings: { tokenizer: "pre_tokenized_array", ...ANSERINI, k3: LINEAR },
    value: whitespaceTerms,
    figures: { "nDCG@10": 0.4059, "R@100": 0.7325 },
    origin: "Lucene",
    luceneTerms: whitespaceTerms,
  },
];

/** Scores of the films for "star wars", by attribute and id. */
export const STAR_WARS_SCORES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  title: {
    11: 10.971989,
    12180: 9.923633,
    181812: 8.053349,
    140607: 8.053349,
    181808: 8.053349,
    348350: 8.053349,
    74849: 8.053349,
    392216: 8.053349,
  },
  overview: { 1022100: 8.9880295, 278427: 8.845748 },
};
