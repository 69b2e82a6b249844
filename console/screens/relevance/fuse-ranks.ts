/** Reciprocal rank fusion, as the server's `rerank_by: ["RRF", …]` does it. */

/** The server's constant where none is given. */
export const RANK_CONSTANT = 60;

/** Rankings of one query, and what they weigh. */
export interface FusionOptions {
  readonly rankings: readonly (readonly string[])[];
  /** One for each ranking, 0 or more; a ranking of weight 0 does not count. */
  readonly weights: readonly number[];
  readonly rankConstant: number;
  /** Tells which of two ids comes first where scores are equal. */
  readonly compareIds: (a: string, b: string) => number;
}

/**
 * The best `limit` ids by the sum of `weight / (rankConstant + rank)` over the rankings that have
 * them, ranks from 1. Scores are float32 and equal ones go by id, as on the server, so that a grid
 * of weights needs each ranking once and no request for each point.
 */
export function fuseRanks(options: FusionOptions, limit: number): string[] {
  const scores = new Map<string, number>();
  options.rankings.forEach((ranking, k) => {
    const weight = options.weights[k];
    if (weight === 0) return;
    ranking.forEach((id, i) => {
      const score = weight / (options.rankConstant + i + 1);
      scores.set(id, (scores.get(id) ?? 0) + score);
    });
  });
  return [...scores]
    .map(([id, score]) => ({ id, score: Math.fround(score) }))
    .sort((a, b) => b.score - a.score || options.compareIds(a.id, b.id))
    .slice(0, limit)
    .map(({ id }) => id);
}

/** The order of ids: integers by number, others as text. */
export function compareIds(a: string, b: string): number {
  const areNumbers = /^\d{1,20}$/.test(a) && /^\d{1,20}$/.test(b);
  if (areNumbers) return a.length - b.length || compareText(a, b);
  return compareText(a, b);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
