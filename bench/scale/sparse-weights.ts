/** Sparse vectors of the shape that SPLADE and its kin make. */

import { type Random, seededRandom } from "../../src/base/random.ts";
import { ZipfRanks } from "../zipf-ranks.ts";

/** Flattens the law at its head: the most frequent name is in a fifth of all documents. */
const RANK_SHIFT = 100;
const TOPICS = 2_000;
const TOPIC_NAMES = 200;
const TOPIC_SHARE = 0.5;
const TOPIC_SEED = 51;
/** Names of a document, and of a query. */
const DOCUMENT_NAMES = { least: 60, most: 180 };
const QUERY_NAMES = { least: 20, most: 40 };

/** Draws of one vocabulary; the seed says which draws. */
export class SparseWeights {
  readonly #random: Random;
  readonly #ranks: ZipfRanks;
  readonly #topics: readonly (readonly number[])[];

  /** `names` is how many there are in all. */
  constructor(names: number, seed: number) {
    const topicRanks = new ZipfRanks(seededRandom(TOPIC_SEED), names, RANK_SHIFT);
    this.#topics = Array.from({ length: TOPICS }, () =>
      Array.from({ length: TOPIC_NAMES }, () => topicRanks.next()),
    );
    this.#random = seededRandom(seed);
    this.#ranks = new ZipfRanks(this.#random, names, RANK_SHIFT);
  }

  nextDocument(): Record<string, number> {
    return this.#next(DOCUMENT_NAMES);
  }

  nextQuery(): Record<string, number> {
    return this.#next(QUERY_NAMES);
  }

  /** Half of the names are those of a topic; most weights are small. */
  #next({ least, most }: typeof DOCUMENT_NAMES): Record<string, number> {
    const random = this.#random;
    const count = least + random.below(most - least + 1);
    const topic = this.#topics[random.below(TOPICS)];
    const weights: Record<string, number> = {};
    for (let left = count; left > 0; ) {
      const isOfTopic = random.next() < TOPIC_SHARE;
      const name = `t${isOfTopic ? topic[random.below(TOPIC_NAMES)] : this.#ranks.next()}`;
      if (weights[name] !== undefined) continue;
      weights[name] = Number((0.02 + 2.5 * random.next() ** 2).toFixed(3));
      left--;
    }
    return weights;
  }
}
