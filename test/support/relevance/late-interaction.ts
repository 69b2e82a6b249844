/** Scores documents by late interaction over a table of stems' vectors. */

import { scaleToLength } from "../../../src/embed/scale-to-length.ts";
import type { MeaningVectors } from "../../../src/embed/static/meaning-vectors.ts";
import { meaningWords } from "../../../src/embed/static/meaning-words.ts";
import type { JudgedSet } from "./judged-sets.ts";

/** Where a query's stems have their weights from: how rare they are in the set, or the table. */
export type StemWeights = "collection" | "table";

/** A text's stem: how it is spelled, and its vector of length 1, if the table has one. */
interface Stem {
  readonly spelling: string;
  readonly vector: Float32Array | undefined;
}

/** Weight of a stem that the table does not have, as of `trawl/static-en`. */
const UNKNOWN_WEIGHT = 1;

/** See the file's head. */
export class LateInteraction {
  readonly #table: MeaningVectors;
  readonly #stem: (word: string) => string;
  readonly #documents: ReadonlyMap<string, readonly Stem[]>;
  readonly #frequencies = new Map<string, number>();
  readonly #known = new Map<string, Stem>();
  /** Of two stems of the table, which many queries and documents have. */
  readonly #similarities = new Map<string, Map<string, number>>();

  /** Cuts all of a set's documents into stems. */
  constructor(table: MeaningVectors, stem: (word: string) => string, { documents }: JudgedSet) {
    this.#table = table;
    this.#stem = stem;
    this.#documents = new Map(
      documents.map(({ id, texts }) => [id, this.#stemsOf(Object.values(texts).join(" "))]),
    );
    for (const stems of this.#documents.values()) {
      for (const { spelling } of stems) {
        this.#frequencies.set(spelling, (this.#frequencies.get(spelling) ?? 0) + 1);
      }
    }
  }

  /**
   * A score for each document, 0 to 1: the mean over the query's stems, by their weights, of the
   * similarity to the document's nearest stem, to a power.
   */
  scoresOf(
    query: string,
    ids: readonly string[],
    { weights, power }: { readonly weights: StemWeights; readonly power: number },
  ): number[] {
    const stems = this.#stemsOf(query);
    const counts = stems.map((stem) => this.#weightOf(stem, weights));
    const sum = counts.reduce((total, weight) => total + weight, 0);
    return ids.map((id) => {
      const document = this.#documents.get(id) ?? [];
      let score = 0;
      stems.forEach((stem, i) => {
        score += counts[i] * this.#nearest(stem, document) ** power;
      });
      return sum === 0 ? 0 : score / sum;
    });
  }

  #nearest(stem: Stem, document: readonly Stem[]): number {
    const known = this.#similarities.get(stem.spelling) ?? new Map<string, number>();
    this.#similarities.set(stem.spelling, known);
    let nearest = 0;
    for (const other of document) {
      let similarity = known.get(other.spelling);
      if (similarity === undefined) {
        similarity = similarityOf(stem, other);
        known.set(other.spelling, similarity);
      }
      nearest = Math.max(nearest, similarity);
    }
    return nearest;
  }

  #weightOf({ spelling }: Stem, weights: StemWeights): number {
    if (weights === "collection") {
      const frequency = this.#frequencies.get(spelling) ?? 0;
      return Math.log(1 + (this.#documents.size - frequency + 0.5) / (frequency + 0.5));
    }
    const place = this.#table.places.get(spelling);
    return place === undefined ? UNKNOWN_WEIGHT : this.#table.weights[place];
  }

  /** Each once, in the order of the text. */
  #stemsOf(text: string): Stem[] {
    const spellings = new Set(meaningWords(text).map((word) => this.#stem(word)));
    return [...spellings].map((spelling) => {
      const stem = this.#known.get(spelling) ?? { spelling, vector: this.#vectorOf(spelling) };
      this.#known.set(spelling, stem);
      return stem;
    });
  }

  #vectorOf(spelling: string): Float32Array | undefined {
    const { places, dimensions, codes, levels } = this.#table;
    const place = places.get(spelling);
    if (place === undefined) return undefined;
    const vector = new Float32Array(dimensions);
    for (let i = 0; i < dimensions; i++) {
      const pair = codes[(place * dimensions + i) >>> 1];
      vector[i] = levels[i % 2 === 0 ? pair & 15 : pair >>> 4];
    }
    scaleToLength(vector, 1);
    return vector;
  }
}

function similarityOf(a: Stem, b: Stem): number {
  if (a.spelling === b.spelling) return 1;
  if (a.vector === undefined || b.vector === undefined) return 0;
  let sum = 0;
  for (let i = 0; i < a.vector.length; i++) sum += a.vector[i] * b.vector[i];
  return Math.max(0, sum);
}
