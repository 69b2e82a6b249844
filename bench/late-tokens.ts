/** Documents of several vectors, each a word in one of the document's topics. */

import { type Random, seededRandom } from "../src/base/random.ts";
import { normal } from "./bench-segments.ts";

const WORDS = 2000;
const TOPICS = 200;
const TOPIC_WORDS = 60;
const DOCUMENT_TOPICS = 3;
const SPACE_SEED = 1;
const VECTORS_MAX = 63;

/** Draws of one space; the seed says which draws. */
export class LateTokens {
  readonly #random: Random;
  readonly #words: readonly Float32Array[];
  readonly #topics: readonly Float32Array[];
  readonly #topicWords: readonly (readonly number[])[];

  constructor(dimensions: number, seed: number) {
    const space = seededRandom(SPACE_SEED);
    const vectors = (length: number) =>
      Array.from({ length }, () => Float32Array.from({ length: dimensions }, () => normal(space)));
    this.#words = vectors(WORDS);
    this.#topics = vectors(TOPICS);
    this.#topicWords = this.#topics.map(() =>
      Array.from({ length: TOPIC_WORDS }, () => Math.floor(WORDS * space.next() ** 2)),
    );
    this.#random = seededRandom(seed);
  }

  /** A document of 1 to 63 vectors, or of so many. */
  nextDocument(length = 1 + this.#random.below(VECTORS_MAX)): Float32Array[] {
    const own = Array.from({ length: DOCUMENT_TOPICS }, () => this.#random.below(TOPICS));
    return Array.from({ length }, () => this.#nextVector(own[this.#random.below(own.length)]));
  }

  /** So many words of a document, as a query would say them. */
  nextQuery(tokens: readonly Float32Array[], length: number): Float32Array[] {
    return Array.from({ length }, () =>
      tokens[this.#random.below(tokens.length)].map((value) => value + 0.4 * normal(this.#random)),
    );
  }

  /** A word, moved towards what it is about. */
  #nextVector(topic: number): Float32Array {
    const random = this.#random;
    const own = this.#topicWords[topic];
    const isOfTopic = random.next() < 0.7;
    const word = this.#words[isOfTopic ? own[random.below(TOPIC_WORDS)] : random.below(WORDS)];
    return word.map((value, d) => value + 0.4 * this.#topics[topic][d] + 0.4 * normal(random));
  }
}
