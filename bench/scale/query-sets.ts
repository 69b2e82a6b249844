/** The queries that `bench/http-scale.ts` sends, by kind. */

import { seededRandom } from "../../src/base/random.ts";
import { prepareJson, vectorBase64 } from "../http-harness.ts";
import { LateTokens } from "../late-tokens.ts";
import { type ClusteredVector, ClusteredVectors, centresOf } from "./clustered-vectors.ts";
import { DOCUMENT_SEED, NAMESPACE, type ScaleSet, TAGS } from "./scale-set.ts";
import { SparseWeights } from "./sparse-weights.ts";
import { ZipfTexts } from "./zipf-texts.ts";

/** Queries of each kind. */
const QUERIES = 250;
/** Of a kind, those whose exact results are looked up, and that are explained. */
export const SAMPLE = 100;
const LIMIT = 10;
const QUERY_SEED = 43;
const FILTER_SEED = 44;
/** Shares of documents that filters keep, in percent. */
const VECTOR_FILTERS = [50, 20, 10, 5, 2, 1, 0.1];
const TEXT_FILTERS = [50, 10, 1];
const FURTHER_FILTERS = [10, 1];
/** Of several vectors each: an exact search of all takes half a second. */
const LATE_QUERIES = 20;
const LATE_QUERY_VECTORS = 32;
const WORDS = [1, 2, 3, 4, 5];

/** Queries of a kind, each another one. */
export interface QuerySet {
  readonly name: string;
  readonly queries: readonly object[];
  /** The same, each with its exact answer; only of vectors. */
  readonly exact?: readonly object[];
}

/** A query as a request that can be sent again and again. */
export function requestOf(query: object): Uint8Array[] {
  return prepareJson(`/v2/namespaces/${NAMESPACE}/query`, query);
}

/** All that are asked of a set, those without filters first. */
export function querySetsOf(set: ScaleSet): QuerySet[] {
  if (set.kind === "texts") return textQueries();
  if (set.kind === "sparse") return sparseQueries(set);
  if (set.kind === "late") return lateQueries(set);
  if (set.kind === "hybrid") return [...vectorQueries(set).slice(0, 1), words(), hybrid(set)];
  if (set.kind !== "vectors") return plainVectorQueries(set);
  return vectorQueries(set);
}

function plainVectorQueries(set: ScaleSet): QuerySet[] {
  const drawn = drawVectors(set);
  const first = nearest("nearest", drawn, "vector");
  return set.kind === "two-vectors" ? [first, nearest("of the second", drawn, "second")] : [first];
}

function vectorQueries(set: ScaleSet): QuerySet[] {
  const all = centresOf(set.documents);
  const drawn = drawVectors(set);
  const tags = tagFilters();
  const centres = (percent: number, shift: number) => {
    const count = Math.ceil((all * percent) / 100);
    return ({ centre }: ClusteredVector) => {
      const from = Math.floor(((centre + Math.floor(shift * all)) % all) / count) * count;
      return range("centre", from, from + count);
    };
  };
  const sets = [nearest("nearest", drawn, "vector")];
  for (const percent of VECTOR_FILTERS) {
    sets.push(nearest(`filter of ${percent} %`, drawn, "vector", tags(percent)));
  }
  for (const percent of VECTOR_FILTERS) {
    const near = `${percent} %, the query's clusters among them`;
    sets.push(nearest(near, drawn, "vector", centres(percent, 0)));
    const far = `${percent} %, clusters elsewhere`;
    sets.push(nearest(far, drawn, "vector", centres(percent, 1 / 2)));
  }
  return sets;
}

type Filter = readonly unknown[];

function range(attribute: string, from: number, below: number): Filter {
  return [
    "And",
    [
      [attribute, "Gte", from],
      [attribute, "Lt", below],
    ],
  ];
}

/** Filters that keep so many percent, each others. */
function tagFilters(): (percent: number) => () => Filter {
  const random = seededRandom(FILTER_SEED);
  return (percent) => {
    const count = (TAGS * percent) / 100;
    return () => {
      const from = random.below(TAGS - count + 1);
      return count === 1 ? ["tag", "Eq", from] : range("tag", from, from + count);
    };
  };
}

/** Without a filter, and with those of `FURTHER_FILTERS`. */
function eachFilter(of: (name: string, nextFilter?: () => Filter) => QuerySet): QuerySet[] {
  const tags = tagFilters();
  const filtered = FURTHER_FILTERS.map((percent) => of(`filter of ${percent} %`, tags(percent)));
  return [of("all"), ...filtered];
}

function sparseQueries({ dimensions }: ScaleSet): QuerySet[] {
  const weights = new SparseWeights(dimensions, QUERY_SEED);
  const drawn = Array.from({ length: QUERIES }, () => weights.nextQuery());
  return eachFilter((name, nextFilter) => ({
    name,
    queries: drawn.map((query) => ({
      rank_by: ["terms", "SparseKNN", query],
      limit: LIMIT,
      filters: nextFilter?.(),
    })),
  }));
}

function lateQueries({ dimensions }: ScaleSet): QuerySet[] {
  const documents = new LateTokens(dimensions, DOCUMENT_SEED);
  const others = new LateTokens(dimensions, QUERY_SEED);
  const drawn = Array.from({ length: LATE_QUERIES }, (_, i) => {
    const document = documents.nextDocument();
    const words =
      i % 2 === 0
        ? others.nextDocument(LATE_QUERY_VECTORS)
        : others.nextQuery(document, LATE_QUERY_VECTORS);
    return words.map((vector) => JSON.parse(vectorBase64(vector)));
  });
  return eachFilter((name, nextFilter) => {
    const filters = drawn.map(() => nextFilter?.());
    const of = (method: string, i: number, otherwise?: Filter) => ({
      rank_by: ["tokens", method, drawn[i]],
      limit: LIMIT,
      filters: filters[i] ?? otherwise,
    });
    return {
      name,
      queries: drawn.map((_, i) => of("ANN", i)),
      exact: drawn.map((_, i) => of("kNN", i, ["id", "Gte", 0])),
    };
  });
}

function nearest(
  name: string,
  drawn: readonly ClusteredVector[],
  attribute: string,
  filter?: (query: ClusteredVector) => Filter,
): QuerySet {
  const filters = drawn.map((query) => filter?.(query));
  const of = (kind: string, i: number, otherwise?: Filter) => {
    const rankBy = [attribute, kind, JSON.parse(vectorBase64(drawn[i].vector))];
    return { rank_by: rankBy, limit: LIMIT, filters: filters[i] ?? otherwise };
  };
  return {
    name,
    queries: drawn.map((_, i) => of("ANN", i)),
    // An exact search needs a filter; this one is true of all.
    exact: drawn.map((_, i) => of("kNN", i, ["id", "Gte", 0])),
  };
}

function drawVectors({ kind, documents, dimensions }: ScaleSet): ClusteredVector[] {
  const random = seededRandom(QUERY_SEED);
  const vectors = new ClusteredVectors({ dimensions, centres: centresOf(documents) }, QUERY_SEED);
  return Array.from({ length: QUERIES }, () => {
    if (kind !== "uniform") return vectors.next();
    const vector = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
    return { vector, centre: 0 };
  });
}

function textQueries(): QuerySet[] {
  const texts = new ZipfTexts(DOCUMENT_SEED);
  const tags = tagFilters();
  const questions = Array.from({ length: QUERIES }, () =>
    bestTexts(texts.nextQuery({ words: 15, stopWords: 7 })),
  );
  const conjunction = (text: string) => ({
    ...bestTexts(text),
    filters: ["text", "ContainsAllTokens", text],
  });
  const filtered = (percent: number) => {
    const nextFilter = tags(percent);
    return drawWords(WORDS).map((text) => ({ ...bestTexts(text), filters: nextFilter() }));
  };
  return [
    words(),
    { name: "all of 2 and 3 words", queries: drawWords([2, 3]).map(conjunction) },
    { name: "15 words, 7 of them stop words", queries: questions },
    ...TEXT_FILTERS.map((percent) => ({
      name: `1 to 5 words, filter of ${percent} %`,
      queries: filtered(percent),
    })),
  ];
}

function words(): QuerySet {
  return { name: "1 to 5 words", queries: drawWords(WORDS).map(bestTexts) };
}

function hybrid(set: ScaleSet): QuerySet {
  const [{ queries: near }] = plainVectorQueries(set);
  const best = words().queries;
  const queries = near.map((query, i) => ({
    queries: [query, best[i]],
    rerank_by: ["RRF"],
    limit: LIMIT,
  }));
  return { name: "both, fused by RRF", queries };
}

/** Texts of so many words, in turns. */
function drawWords(counts: readonly number[]): string[] {
  const texts = new ZipfTexts(DOCUMENT_SEED);
  return Array.from({ length: QUERIES }, (_, i) =>
    texts.nextQuery({ words: counts[i % counts.length], stopWords: 0 }),
  );
}

function bestTexts(text: string): { readonly rank_by: readonly unknown[]; readonly limit: number } {
  return { rank_by: ["text", "BM25", text], limit: LIMIT };
}
