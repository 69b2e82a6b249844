/**
 * `trawl/static-en`: English words by what they mean, and all words by how they are spelled. The
 * first dimensions are the mean of the vectors of a text's stems in the table, each by its weight;
 * the others say which stems a text has: each is hashed to a few signed dimensions ("feature
 * hashing", Weinberger et al. 2009). So texts are near each other that speak of the same in other
 * words, and names and words that no table has are not lost.
 */

import type { Steps } from "../../base/steps.ts";
import { hashText, mixBits } from "../hash-text.ts";
import { scaleToLength } from "../scale-to-length.ts";
import type { MeaningVectors } from "./meaning-vectors.ts";
import { meaningWords } from "./meaning-words.ts";
import type { StaticEmbedding, StaticModel } from "./static-model.ts";

/** Dimensions that say which stems there are. */
const SPELLING_DIMENSIONS = 256;
/** Dimensions of which each stem has a share. */
const HASHES = 8;
/** Between the hashes of a stem: 2^32 by the golden ratio, as SplitMix has it. */
const HASH_STEP = 0x9e3779b9;
/** Share of the similarity of two texts that their spelling has; measured (ADR 43). */
const SPELLING_SHARE = 0.5;
/** Weight of a stem that the table does not have: most of them are rare. */
const UNKNOWN_WEIGHT = 1;
/** Words between two pauses: under a millisecond. */
const STEP_WORDS = 512;
/** Remembered stems of words: to make one takes microseconds. */
const STEMS_MAX = 16_384;
/** Longest word that is remembered: V8 may keep the whole text for a longer part of it. */
const REMEMBERED_UNITS_MAX = 12;

/** See the file's head. */
export class MeaningModel implements StaticModel {
  readonly #vectors: MeaningVectors;
  readonly #stem: (word: string) => string;
  readonly #stems = new Map<string, string>();

  /** `stem` must be the one that the table was made with. */
  constructor(vectors: MeaningVectors, stem: (word: string) => string) {
    this.#vectors = vectors;
    this.#stem = stem;
  }

  get dimensions(): number {
    return this.#vectors.dimensions + SPELLING_DIMENSIONS;
  }

  *embed(text: string): Steps<StaticEmbedding> {
    const words = meaningWords(text);
    const vector = new Float32Array(this.dimensions);
    for (let i = 0; i < words.length; i++) {
      this.#add(this.#stemOf(words[i]), vector);
      if (i % STEP_WORDS === STEP_WORDS - 1) yield;
    }
    this.#balance(vector, words.length);
    return { vector, tokens: words.length };
  }

  #add(stem: string, vector: Float32Array): void {
    const { dimensions, places, weights } = this.#vectors;
    const place = places.get(stem);
    const weight = place === undefined ? UNKNOWN_WEIGHT : weights[place];
    if (place !== undefined) this.#addMeaning(place, weight, vector);
    const spelling = vector.subarray(dimensions);
    let hash = hashText(stem);
    for (let i = 0; i < HASHES; i++) {
      hash = mixBits(hash + HASH_STEP);
      const sign = hash >>> 31 === 1 ? -1 : 1;
      spelling[(hash & 0x7fffffff) % SPELLING_DIMENSIONS] += sign * weight;
    }
  }

  #addMeaning(place: number, weight: number, vector: Float32Array): void {
    const { dimensions, codes, levels } = this.#vectors;
    const start = (place * dimensions) / 2;
    for (let i = 0; i < dimensions; i += 2) {
      const pair = codes[start + i / 2];
      vector[i] += weight * levels[pair & 15];
      vector[i + 1] += weight * levels[pair >>> 4];
    }
  }

  /** Gives meaning and spelling their shares, however long a text is, and the whole length 1. */
  #balance(vector: Float32Array, words: number): void {
    const meaning = vector.subarray(0, this.#vectors.dimensions);
    const spelling = vector.subarray(this.#vectors.dimensions);
    // A text without words, or whose features cancel out, still needs a direction.
    if (words === 0 || spelling.every((value) => value === 0)) spelling[0] = 1;
    const isUnknown = meaning.every((value) => value === 0);
    scaleToLength(meaning, Math.sqrt(1 - SPELLING_SHARE));
    scaleToLength(spelling, isUnknown ? 1 : Math.sqrt(SPELLING_SHARE));
  }

  #stemOf(word: string): string {
    if (word.length > REMEMBERED_UNITS_MAX) return this.#stem(word);
    let stem = this.#stems.get(word);
    if (stem === undefined) {
      stem = this.#stem(word);
      if (this.#stems.size >= STEMS_MAX) this.#stems.clear();
      this.#stems.set(word, stem);
    }
    return stem;
  }
}
