/** Texts of words whose frequency falls with their rank, as in natural language. */

import { type Random, seededRandom } from "../../src/base/random.ts";
import { ZipfRanks } from "../zipf-ranks.ts";

const WORDS = 100_000;
const WORDS_MIN = 5;
const WORDS_MAX = 400;
/** So many of the most frequent words are the stop words of these texts. */
const STOP_WORDS = 20;
const VOCABULARY_SEED = 31;

/** Draws of one vocabulary; the seed says which draws. */
export class ZipfTexts {
  readonly #random: Random;
  readonly #words = drawWords(seededRandom(VOCABULARY_SEED));
  readonly #stopWords = new Set(this.#words.slice(0, STOP_WORDS));
  readonly #ranks: ZipfRanks;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#ranks = new ZipfRanks(this.#random, WORDS);
  }

  /** A text of some 44 words, with the lengths spread as those of paragraphs are. */
  nextText(): string {
    const drawn = Math.round(Math.exp(3.6 + 1.2 * this.#normal()));
    const count = Math.max(WORDS_MIN, Math.min(WORDS_MAX, drawn));
    return Array.from({ length: count }, () => this.#words[this.#ranks.next()]).join(" ");
  }

  /** So many different words of one text that is drawn for it, the given number stop words. */
  nextQuery({ words, stopWords }: { readonly words: number; readonly stopWords: number }): string {
    for (;;) {
      const drawn = [...new Set(this.nextText().split(" "))];
      const isStopWord = (word: string) => this.#stopWords.has(word);
      const frequent = drawn.filter(isStopWord).slice(0, stopWords);
      const others = drawn.filter((word) => !isStopWord(word)).slice(0, words - stopWords);
      if (frequent.length + others.length === words) return [...frequent, ...others].join(" ");
    }
  }

  /** Nearly normal, with a deviation of a half. */
  #normal(): number {
    return this.#random.next() + this.#random.next() + this.#random.next() - 1.5;
  }
}

/** Distinct words of two to five syllables. */
function drawWords(random: Random): string[] {
  const syllables = [..."bcdfghklmnprstvz"].flatMap((c) => [..."aeiou"].map((v) => c + v));
  const words = new Set<string>();
  while (words.size < WORDS) {
    const count = 2 + random.below(3) + (words.size > 2_000 ? 1 : 0);
    const drawn = Array.from({ length: count }, () => syllables[random.below(syllables.length)]);
    words.add(drawn.join(""));
  }
  return [...words];
}
