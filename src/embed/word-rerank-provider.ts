/**
 * Scores without a model: how much a text's words, and their three-letter parts, are those of the
 * query (the cosine of the two sets). Deterministic; meaning is beyond it. For tests and offline
 * trials.
 */

import type { Clock } from "../base/clock.ts";
import { cutModelText } from "./cut-texts.ts";
import type { RerankProvider, RerankRequest } from "./rerank-provider.ts";

/** Parts tie together forms of a word; whole words count more. Integers, so that sums are exact. */
const WORD_WEIGHT = 20;
const PART_WEIGHT = 7;
const PART_LENGTH = 3;
/** UTF-16 units after which others get their turn; some milliseconds. */
const TURN_CHARS = 65_536;

type Features = ReadonlyMap<string, number>;

/** A reranker that needs nothing but the texts. */
export class WordRerankProvider implements RerankProvider {
  readonly models: readonly string[];
  readonly #clock: Clock;

  /** Goes by each of the names in `models`. */
  constructor(models: readonly string[], clock: Clock) {
    this.models = models;
    this.#clock = clock;
  }

  async rerank(request: RerankRequest, signal?: AbortSignal): Promise<readonly number[]> {
    const wanted = featuresOf(request.query);
    const scores: number[] = [];
    let chars = 0;
    for (const document of request.documents) {
      const text = cutModelText(document);
      chars += text.length;
      if (chars > TURN_CHARS) {
        await this.#clock.sleep(0, signal);
        chars = text.length;
      }
      scores.push(similarity(wanted, featuresOf(text)));
    }
    return scores;
  }
}

/** Between 0, for nothing in common, and 1, for the same words. */
function similarity(a: Features, b: Features): number {
  let common = 0;
  for (const [feature, weight] of a) if (b.has(feature)) common += weight;
  return common === 0 ? 0 : common / Math.sqrt(weightOf(a) * weightOf(b));
}

function weightOf(features: Features): number {
  let sum = 0;
  for (const weight of features.values()) sum += weight;
  return sum;
}

function featuresOf(text: string): Features {
  const features = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const framed = `<${word}>`;
    for (let i = 0; i + PART_LENGTH <= framed.length; i++) {
      features.set(framed.slice(i, i + PART_LENGTH), PART_WEIGHT);
    }
    features.set(framed, WORD_WEIGHT);
  }
  return features;
}
