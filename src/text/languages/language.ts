/** What is known of each language: its stemmer and its stop words. */
import { newStemmer } from "snowball-stemmers";
import type { Language } from "../../model/full-text-options.ts";
import { stemGreek } from "./greek-stemmer.ts";
import { STOP_WORDS } from "./stop-words-table.ts";

const STOP_WORD_SETS = new Map<Language, ReadonlySet<string>>();
const STEMMERS = new Map<Language, (word: string) => string>();

/** Tells whether `language` has a list of stop words. All 18 languages have a stemmer. */
export function hasStopWords(language: Language): language is keyof typeof STOP_WORDS {
  return language in STOP_WORDS;
}

/** Returns the stop words of `language` in lower case; empty if it has no list. */
export function stopWordsOf(language: Language): ReadonlySet<string> {
  let words = STOP_WORD_SETS.get(language);
  if (words === undefined) {
    words = new Set(hasStopWords(language) ? STOP_WORDS[language].split(" ") : []);
    STOP_WORD_SETS.set(language, words);
  }
  return words;
}

/**
 * Returns the Snowball stemmer of `language`, for words in lower case. It costs microseconds per
 * word, so callers remember what it returned.
 */
export function stemmerOf(language: Language): (word: string) => string {
  let stem = STEMMERS.get(language);
  if (stem === undefined) {
    stem = language === "greek" ? stemGreek : snowballStemmer(language);
    STEMMERS.set(language, stem);
  }
  return stem;
}

function snowballStemmer(language: Language): (word: string) => string {
  const stemmer = newStemmer(language);
  return (word) => stemmer.stem(word);
}
