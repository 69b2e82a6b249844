/**
 * How good a ranking is by judgments of people, by the conventions of NIST's trec_eval: what is not
 * judged is not relevant, and a mean is over all judged queries, where one without results has 0.
 */

/** Grades of one query's documents by id as text: 0 is not relevant, 3 is perfect. */
export type Grades = ReadonlyMap<string, number>;

/** A measure of one query: ids from the best on, and the grades. */
export type RankingMeasure = (ranked: readonly string[], grades: Grades) => number;

/** Results that the measures with a cut look at. */
export const CUT = 10;

/** What the screen shows of a ranking. */
export interface Measures {
  readonly ndcg: number;
  readonly reciprocalRank: number;
  readonly averagePrecision: number;
}

/**
 * Normalized discounted cumulative gain of the first `cut` results: the grade is the gain, the
 * logarithm to base 2 of the rank plus 1 the discount (Järvelin and Kekäläinen, 2002). 1 is the
 * best order that there is; 0 where nothing relevant is known.
 */
export function ndcgAt(cut: number): RankingMeasure {
  return (ranked, grades) => {
    const gains = ranked.slice(0, cut).map((id) => Math.max(grades.get(id) ?? 0, 0));
    const ideal = [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
    const best = discounted(ideal.slice(0, cut));
    return best === 0 ? 0 : discounted(gains) / best;
  };
}

/** 1 over the rank of the first relevant document (its mean is MRR); 0 where none was found. */
export const reciprocalRank: RankingMeasure = (ranked, grades) => {
  const first = ranked.findIndex((id) => isRelevant(id, grades));
  return first === -1 ? 0 : 1 / (first + 1);
};

/** The mean, over the relevant documents, of the precision where each was found, 0 if it was not. */
export const averagePrecision: RankingMeasure = (ranked, grades) => {
  const relevant = [...grades.values()].filter((grade) => grade > 0).length;
  if (relevant === 0) return 0;
  let found = 0;
  let sum = 0;
  ranked.forEach((id, i) => {
    if (isRelevant(id, grades)) sum += ++found / (i + 1);
  });
  return sum / relevant;
};

/** All measures of one query. */
export function measuresOf(ranked: readonly string[], grades: Grades): Measures {
  return {
    ndcg: ndcgAt(CUT)(ranked, grades),
    reciprocalRank: reciprocalRank(ranked, grades),
    averagePrecision: averagePrecision(ranked, grades),
  };
}

/** Means over queries; nothing where there is none. */
export function meanMeasures(all: readonly Measures[]): Measures | undefined {
  if (all.length === 0) return undefined;
  const mean = (of: (measures: Measures) => number) =>
    all.reduce((sum, measures) => sum + of(measures), 0) / all.length;
  return {
    ndcg: mean(({ ndcg }) => ndcg),
    reciprocalRank: mean(({ reciprocalRank: rank }) => rank),
    averagePrecision: mean(({ averagePrecision: precision }) => precision),
  };
}

/** How many of the first `cut` results have a grade: what is not judged counts as not relevant. */
export function judgedOf(ranked: readonly string[], grades: Grades, cut: number): number {
  return ranked.slice(0, cut).filter((id) => grades.has(id)).length;
}

function isRelevant(id: string, grades: Grades): boolean {
  return (grades.get(id) ?? 0) > 0;
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);
}
