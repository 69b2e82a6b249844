/**
 * BM25 as a book would write it: every term's postings in a map, every document that has any of
 * them scored, all sorted. The arithmetic rounds where `src/text/bm25.ts` does; what a text's terms
 * are, and what a length counts as, is the caller's.
 */

import type { ScoredDocument } from "./trec-metrics.ts";

/** What a search depends on beside the documents. */
export interface NaiveSettings {
  readonly terms: (text: string) => readonly string[];
  readonly k1: number;
  readonly b: number;
  /** Without it a term counts as often as the query has it. */
  readonly k3?: number;
  /** What an index keeps of a length; the length itself if it is left out. */
  readonly storedLength?: (length: number) => number;
}

/** Searches the texts that it was made of. */
export class NaiveBm25 {
  readonly #settings: NaiveSettings;
  readonly #ids: readonly string[];
  readonly #lengths: readonly number[];
  /** Frequencies by place of the document, by term. */
  readonly #postings = new Map<string, Map<number, number>>();
  /** All terms of all texts. */
  readonly termCount: number;

  constructor(
    texts: readonly { readonly id: string; readonly text: string }[],
    settings: NaiveSettings,
  ) {
    this.#settings = settings;
    this.#ids = texts.map(({ id }) => id);
    this.#lengths = texts.map(({ text }, place) => {
      const terms = settings.terms(text);
      for (const term of terms) {
        const postings = this.#postings.get(term) ?? new Map<number, number>();
        postings.set(place, (postings.get(place) ?? 0) + 1);
        this.#postings.set(term, postings);
      }
      return terms.length;
    });
    this.termCount = this.#lengths.reduce((sum, length) => sum + length, 0);
  }

  /** Distinct terms of all texts. */
  get uniqueCount(): number {
    return this.#postings.size;
  }

  /** The best `limit` documents by score, equal ones by id from the first on. */
  search(query: string, limit: number): ScoredDocument[] {
    const { terms, k1, b, k3, storedLength = (length) => length } = this.#settings;
    const wanted = terms(query);
    const count = this.#ids.length;
    const average = this.termCount / count;
    const scores = new Map<number, number>();
    for (const term of new Set(wanted)) {
      const postings = this.#postings.get(term) ?? new Map<number, number>();
      const df = postings.size;
      const qtf = wanted.filter((other) => other === term).length;
      const idf = Math.fround(Math.log(Math.fround(1 + (count - df + 0.5) / (df + 0.5))));
      const inQuery = k3 === undefined ? qtf : (qtf * (k3 + 1)) / (qtf + k3);
      const weight = Math.fround(Math.fround(idf * Math.fround(k1 + 1)) * inQuery);
      for (const [place, tf] of postings) {
        const norm = k1 * (1 - b + (b * storedLength(this.#lengths[place])) / average);
        const score = Math.fround(weight * Math.fround(tf / Math.fround(tf + norm)));
        scores.set(place, (scores.get(place) ?? 0) + score);
      }
    }
    return [...scores]
      .map(([place, score]) => ({ id: this.#ids[place], score: Math.fround(score) }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }
}
