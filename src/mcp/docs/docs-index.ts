/** A search over the documentation: some hundred pieces in memory, scored as documents are. */

import { type Analyzer, analyzerFor } from "../../text/analyzer.ts";
import { inverseDocumentFrequency, queryWeight, termScore, termWeight } from "../../text/bm25.ts";
import { FULL_TEXT_DEFAULTS } from "../../text/full-text-rules.ts";
import type { DocsPiece } from "./docs-piece.ts";

/** Whoever asks in sentences means the words that are not in all of them. */
const OPTIONS = { ...FULL_TEXT_DEFAULTS, stemming: true, removeStopwords: true };
/** Words of a heading, and of the page's name, say more than others what a piece is about. */
const HEADING_WEIGHT = 3;

interface Indexed {
  readonly piece: DocsPiece;
  /** How often it has each term. */
  readonly terms: ReadonlyMap<string, number>;
  /** In terms. */
  readonly length: number;
}

/** See the file's head. */
export class DocsIndex {
  readonly #analyzer: Analyzer = analyzerFor(OPTIONS);
  readonly #pieces: readonly Indexed[];
  readonly #averageLength: number;
  /** How many pieces have each term. */
  readonly #frequencies = new Map<string, number>();

  constructor(pieces: readonly DocsPiece[]) {
    this.#pieces = pieces.map((piece) => this.#index(piece));
    const length = this.#pieces.reduce((sum, indexed) => sum + indexed.length, 0);
    this.#averageLength = length / Math.max(1, this.#pieces.length);
  }

  /** The best pieces for some words, the best first; none that has none of them. */
  search(query: string, limit: number): DocsPiece[] {
    const counts = countTerms(this.#analyzer, query);
    const weights = [...counts].map(([term, frequency]) => {
      const found = this.#frequencies.get(term) ?? 0;
      const idf = inverseDocumentFrequency(this.#pieces.length, found);
      return [term, termWeight(idf, queryWeight(frequency, OPTIONS.k3), OPTIONS.k1)] as const;
    });
    return this.#pieces
      .map((indexed) => ({ piece: indexed.piece, score: this.#score(indexed, weights) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ piece }) => piece);
  }

  #score({ terms, length }: Indexed, weights: readonly (readonly [string, number])[]): number {
    let score = 0;
    for (const [term, weight] of weights) {
      const frequency = terms.get(term) ?? 0;
      if (frequency > 0)
        score += termScore(weight, frequency, length / this.#averageLength, OPTIONS);
    }
    return score;
  }

  #index(piece: DocsPiece): Indexed {
    const terms = countTerms(this.#analyzer, piece.text);
    const about = countTerms(this.#analyzer, [piece.path, ...piece.headings].join("\n"));
    for (const [term, count] of about) {
      terms.set(term, (terms.get(term) ?? 0) + HEADING_WEIGHT * count);
    }
    for (const term of terms.keys()) {
      this.#frequencies.set(term, (this.#frequencies.get(term) ?? 0) + 1);
    }
    return { piece, terms, length: [...terms.values()].reduce((sum, count) => sum + count, 0) };
  }
}

function countTerms(analyzer: Analyzer, text: string): Map<string, number> {
  const counts = new Map<string, number>();
  analyzer.forEachTerm(text, (term) => counts.set(term, (counts.get(term) ?? 0) + 1));
  return counts;
}
