/**
 * Measures of a ranking against judgments, by the conventions of NIST's trec_eval: documents go by
 * score, equal scores by id from the last to the first, so that no order of a system's own counts;
 * what is not judged is not relevant; means are over all judged queries (its option -c), and a
 * query without results has 0.
 */

/** What was found for one query. */
export interface ScoredDocument {
  readonly id: string;
  readonly score: number;
}

/** Grades of one query's documents by id; those above 0 are relevant. */
export type Judgments = ReadonlyMap<string, number>;

/** A measure of one query: ids from the best on, and the judgments. */
export type Measure = (ranked: readonly string[], judgments: Judgments) => number;

/** The order in which trec_eval takes what was found: its scores are float32. */
export function trecOrder(found: readonly ScoredDocument[]): string[] {
  return found
    .map(({ id, score }) => ({ id, score: Math.fround(score) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

/**
 * Normalized discounted cumulative gain of the first `cut`: the grade is the gain, the logarithm to
 * base 2 of the rank plus 1 the discount (Järvelin and Kekäläinen, 2002, as trec_eval's ndcg_cut).
 */
export function ndcgAt(cut: number): Measure {
  return (ranked, judgments) => {
    const gains = ranked.slice(0, cut).map((id) => Math.max(judgments.get(id) ?? 0, 0));
    const ideal = [...judgments.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
    const best = discounted(ideal.slice(0, cut));
    return best === 0 ? 0 : discounted(gains) / best;
  };
}

/** The mean over all relevant documents of the precision where each was found, 0 if it was not. */
export const averagePrecision: Measure = (ranked, judgments) => {
  let relevant = 0;
  let sum = 0;
  ranked.forEach((id, i) => {
    if ((judgments.get(id) ?? 0) <= 0) return;
    relevant++;
    sum += relevant / (i + 1);
  });
  const count = relevantCount(judgments);
  return count === 0 ? 0 : sum / count;
};

/** The share of the relevant documents that is among the first `cut`. */
export function recallAt(cut: number): Measure {
  return (ranked, judgments) => {
    const found = ranked.slice(0, cut).filter((id) => (judgments.get(id) ?? 0) > 0);
    const count = relevantCount(judgments);
    return count === 0 ? 0 : found.length / count;
  };
}

/** The mean of a measure over all judged queries; `found` has what was found by query. */
export function meanOf(
  measure: Measure,
  found: ReadonlyMap<string, readonly ScoredDocument[]>,
  judged: ReadonlyMap<string, Judgments>,
): number {
  let sum = 0;
  for (const [query, judgments] of judged) {
    sum += measure(trecOrder(found.get(query) ?? []), judgments);
  }
  return judged.size === 0 ? 0 : sum / judged.size;
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
}

function relevantCount(judgments: Judgments): number {
  return [...judgments.values()].filter((grade) => grade > 0).length;
}
