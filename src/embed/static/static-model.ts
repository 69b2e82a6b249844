import type { Steps } from "../../base/steps.ts";

/** A text as a vector. */
export interface StaticEmbedding {
  /** Finite. */
  readonly vector: Float32Array;
  /** Tokens that it is the mean of. */
  readonly tokens: number;
}

/** Texts to vectors by tables alone: a vector for each token, and their mean. */
export interface StaticModel {
  readonly dimensions: number;
  /** Embeds a text, in steps of less than a millisecond or so. */
  embed(text: string): Steps<StaticEmbedding>;
}
