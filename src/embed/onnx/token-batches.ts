/** Padded tokens that one run of a model has; a run takes a part of a second to some seconds. */
const BATCH_TOKENS_MAX = 512;

/** Texts that a model is run with at once. */
export interface TokenBatch {
  /** Which of the texts, by their places. */
  readonly places: readonly number[];
  /** Tokens of the longest of them. */
  readonly length: number;
}

/**
 * Puts texts of like length together, so that little is padded. `mixes`: texts of different
 * lengths may be in one batch, since the model is told which tokens count.
 */
export function tokenBatches(lengths: readonly number[], mixes: boolean): TokenBatch[] {
  const places = lengths.map((_, place) => place).sort((a, b) => lengths[a] - lengths[b]);
  const batches: TokenBatch[] = [];
  let batch: number[] = [];
  const end = () => {
    if (batch.length > 0) batches.push({ places: batch, length: lengths[batch[batch.length - 1]] });
    batch = [];
  };
  for (const place of places) {
    const length = lengths[place];
    const isFull = (batch.length + 1) * length > BATCH_TOKENS_MAX;
    const differs = !mixes && batch.length > 0 && lengths[batch[0]] !== length;
    if (isFull || differs) end();
    batch.push(place);
  }
  end();
  return batches;
}
