/** What a ranking is, and the request that it makes of a query. */

import { fuseRanks, RANK_CONSTANT } from "./fuse-ranks.ts";

/** An attribute that words are looked for in, and what it weighs. */
export interface TextClause {
  readonly attribute: string;
  readonly weight: number;
}

/** One ranking as the form, and the address, have it. */
export type RankingForm =
  | { readonly kind: "words"; readonly clauses: readonly TextClause[] }
  | { readonly kind: "vector"; readonly attribute: string }
  | {
      readonly kind: "hybrid";
      readonly clauses: readonly TextClause[];
      readonly attribute: string;
      /** Share of the vector, 0 to 1; the words have the rest. */
      readonly vectorWeight: number;
      readonly rankConstant: number;
    }
  /** A `rank_by`, or a multi-query, in which `"$query"` and `"$vector"` stand for the query. */
  | { readonly kind: "json"; readonly text: string };

/** What a query is, ready to be asked. */
export interface RankedQuery {
  readonly text: string;
  /** Of queries like a document. */
  readonly vector: unknown;
}

/** An attribute that a vector ranking can be of. */
export interface VectorChoice {
  readonly attribute: string;
  /** The attribute of whose texts the server makes these vectors. */
  readonly embeds: string | undefined;
}

/** Results that each side of a hybrid ranking gives to the fusion. */
export const FUSION_DEPTH = 100;

/**
 * The body of the request for a ranking of `query`. Throws an error in words for people where the
 * form cannot be asked with this query.
 */
export function rankingBody(
  form: RankingForm,
  query: RankedQuery,
  options: {
    readonly limit: number;
    readonly attributes: readonly string[];
    readonly vectors: readonly VectorChoice[];
  },
): Readonly<Record<string, unknown>> {
  const common = { limit: options.limit, include_attributes: options.attributes };
  switch (form.kind) {
    case "words":
      return { rank_by: wordsClause(form.clauses, query.text), ...common };
    case "vector":
      return { rank_by: vectorClause(form.attribute, query, options.vectors), ...common };
    case "json":
      return jsonBody(form.text, query, common);
    case "hybrid": {
      const sides = hybridSides(form, query, options);
      const weights = hybridWeights(form.vectorWeight);
      const used = sides.filter((_, i) => weights[i] > 0);
      if (used.length === 1) return { ...used[0], limit: options.limit };
      return {
        queries: sides,
        rerank_by: ["RRF", { rank_constant: form.rankConstant, weights }],
        limit: options.limit,
      };
    }
  }
}

/** The two subqueries of a hybrid ranking: words, and the vector. */
export function hybridSides(
  form: Extract<RankingForm, { kind: "hybrid" }>,
  query: RankedQuery,
  {
    attributes,
    vectors,
  }: {
    readonly attributes: readonly string[];
    readonly vectors: readonly VectorChoice[];
  },
): Readonly<Record<string, unknown>>[] {
  const common = { limit: FUSION_DEPTH, include_attributes: attributes };
  return [
    { rank_by: wordsClause(form.clauses, query.text), ...common },
    { rank_by: vectorClause(form.attribute, query, vectors), ...common },
  ];
}

/** Weights of words and vector, which together are 1. */
export function hybridWeights(vectorWeight: number): [number, number] {
  const vector = Math.min(1, Math.max(0, vectorWeight));
  return [Number((1 - vector).toFixed(6)), vector];
}

/** A first ranking for a namespace: by words where it has some to search, else by its vector. */
export function firstForm(
  texts: readonly string[],
  vectors: readonly VectorChoice[],
): RankingForm | undefined {
  if (texts.length > 0) {
    return {
      kind: "words",
      clauses: texts.slice(0, 1).map((attribute) => ({ attribute, weight: 1 })),
    };
  }
  return vectors[0] === undefined ? undefined : { kind: "vector", attribute: vectors[0].attribute };
}

/** A second ranking, to compare with the first: hybrid where there is a vector, else more attributes. */
export function secondForm(
  texts: readonly string[],
  vectors: readonly VectorChoice[],
): RankingForm | undefined {
  const first = firstForm(texts, vectors);
  if (first?.kind !== "words") return first;
  const vector = vectors.find(({ embeds }) => embeds !== undefined) ?? vectors[0];
  if (vector !== undefined) {
    const { attribute } = vector;
    const { clauses } = first;
    return { kind: "hybrid", clauses, attribute, vectorWeight: 0.5, rankConstant: RANK_CONSTANT };
  }
  return {
    kind: "words",
    clauses: texts.slice(0, 3).map((attribute) => ({ attribute, weight: 1 })),
  };
}

/** A form that was in an address; undefined where it is none. */
export function readForm(text: string | undefined): RankingForm | undefined {
  if (!text) return undefined;
  try {
    const form = JSON.parse(text) as Partial<Record<string, unknown>>;
    const hasClauses =
      Array.isArray(form.clauses) &&
      form.clauses.every(
        (clause) => typeof clause?.attribute === "string" && Number.isFinite(clause?.weight),
      );
    const hasVector = typeof form.attribute === "string";
    const isForm =
      (form.kind === "json" && typeof form.text === "string") ||
      (form.kind === "words" && hasClauses) ||
      (form.kind === "vector" && hasVector) ||
      (form.kind === "hybrid" &&
        hasClauses &&
        hasVector &&
        Number.isFinite(form.vectorWeight) &&
        Number.isFinite(form.rankConstant));
    return isForm ? (form as unknown as RankingForm) : undefined;
  } catch {
    return undefined;
  }
}

/** A ranking in a few words. */
export function formWords(form: RankingForm): string {
  switch (form.kind) {
    case "words":
      return `BM25 of ${form.clauses.map(clauseWords).join(" + ")}`;
    case "vector":
      return `vector ${form.attribute}`;
    case "hybrid": {
      const [words, vector] = hybridWeights(form.vectorWeight).map((weight) => weight.toFixed(2));
      const of = form.clauses.map(clauseWords).join(" + ");
      return `hybrid: ${words} BM25 of ${of}, ${vector} vector ${form.attribute}`;
    }
    case "json":
      return "JSON";
  }
}

/** Ids of a fusion of two sides as the server would rank them. */
export function fuseSides(
  sides: readonly (readonly string[])[],
  options: {
    readonly vectorWeight: number;
    readonly rankConstant: number;
    readonly compareIds: (a: string, b: string) => number;
  },
  limit: number,
): string[] {
  const { vectorWeight, rankConstant, compareIds } = options;
  const weights = hybridWeights(vectorWeight);
  return fuseRanks({ rankings: sides, weights, rankConstant, compareIds }, limit);
}

function clauseWords({ attribute, weight }: TextClause): string {
  return weight === 1 ? attribute : `${weight}·${attribute}`;
}

function wordsClause(clauses: readonly TextClause[], text: string): unknown {
  if (text === "") throw new Error("this ranking looks for words: write some as the query");
  const weighted = clauses.map(({ attribute, weight }) => {
    const clause = [attribute, "BM25", text];
    return weight === 1 ? clause : ["Product", weight, clause];
  });
  if (weighted.length === 0) throw new Error("choose an attribute to look for words in");
  return weighted.length === 1 ? weighted[0] : ["Sum", weighted];
}

function vectorClause(
  attribute: string,
  query: RankedQuery,
  vectors: readonly VectorChoice[],
): unknown {
  if (query.vector !== undefined) return [attribute, "ANN", query.vector];
  const choice = vectors.find((each) => each.attribute === attribute);
  if (choice?.embeds !== undefined) {
    if (query.text === "") throw new Error("this ranking embeds the query: write some words");
    return [choice.embeds, "ANN", ["Embed", query.text]];
  }
  throw new Error(
    `the server makes no vectors of texts for ${attribute}: take the vector of a document as ` +
      "the query",
  );
}

function jsonBody(
  text: string,
  query: RankedQuery,
  common: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const value = filledIn(JSON.parse(text), query);
  if (Array.isArray(value)) return { rank_by: value, ...common };
  if (typeof value !== "object" || value === null) {
    throw new Error("must be a rank_by, which is a list, or an object with the members of a query");
  }
  const body = value as Readonly<Record<string, unknown>>;
  // Members of subqueries are theirs: attributes are asked for where the rows come from.
  if (!Array.isArray(body.queries)) return { ...common, ...body };
  const { include_attributes } = common;
  const queries = body.queries.map((each) => ({ include_attributes, ...each }));
  return { limit: common.limit, ...body, queries };
}

function filledIn(value: unknown, query: RankedQuery): unknown {
  if (value === "$query") return query.text;
  if (value === "$vector") {
    if (query.vector !== undefined) return query.vector;
    throw new Error('"$vector": this query has none; take the vector of a document as the query');
  }
  if (Array.isArray(value)) return value.map((each) => filledIn(each, query));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, filledIn(member, query)]),
  );
}
