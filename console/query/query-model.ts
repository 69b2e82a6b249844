/**
 * What the builder edits: a query in the form of its controls. Numbers and operands are texts as
 * they are typed, so that nothing typed is lost; build-request.ts makes the request of them and
 * says which of them are wrong.
 */

import type { BuilderOperator } from "./filter-operators.ts";
import {
  isVector,
  nearAttributes,
  type RequestSchema,
  sparseAttributes,
  stringAttributes,
  textAttributes,
} from "./request-schema.ts";

/** BM25 over one attribute or several, each with a weight. */
export interface TextRanking {
  readonly kind: "text";
  readonly attributes: readonly { readonly name: string; readonly weight: string }[];
  /** How the scores of several attributes are combined. */
  readonly combine: "Sum" | "Max";
  readonly query: string;
  readonly lastAsPrefix: boolean;
}

/** Distance to a vector: that of a text, or a given one. */
export interface VectorRanking {
  readonly kind: "vector";
  readonly method: "ANN" | "kNN";
  readonly attribute: string;
  readonly from: "text" | "values";
  readonly text: string;
  /** Name of a model; empty: that of the schema. */
  readonly model: string;
  /** JSON, or numbers with commas or spaces between them. */
  readonly values: string;
}

/** Dot product with a sparse vector. */
export interface SparseRanking {
  readonly kind: "sparse";
  readonly attribute: string;
  /** A JSON object. */
  readonly entries: string;
}

/** Order by attributes. Without any, documents come by `id`. */
export interface OrderRanking {
  readonly kind: "order";
  readonly keys: readonly { readonly attribute: string; readonly direction: "asc" | "desc" }[];
}

/** One way to rank documents. */
export type Ranking = TextRanking | VectorRanking | SparseRanking | OrderRanking;

/** A ranking and its weight in the fusion of several. */
export interface WeightedRanking {
  readonly ranking: Ranking;
  readonly weight: string;
}

/** One condition of a filter. */
export interface ConditionModel {
  readonly kind: "condition";
  readonly attribute: string;
  readonly operator: BuilderOperator;
  readonly operand: string;
  /** Of the operators over words. */
  readonly lastAsPrefix: boolean;
  /** Edits that `Fuzzy` forgives. */
  readonly distance: 0 | 1 | 2;
}

/** Conditions and groups of which all or any must hold; a group may be negated. */
export interface GroupModel {
  readonly kind: "group";
  readonly join: "And" | "Or";
  readonly not: boolean;
  readonly parts: readonly FilterModel[];
}

/** A part of a filter. */
export type FilterModel = ConditionModel | GroupModel;

/** Which attributes come back. */
export interface SelectionModel {
  readonly kind: "none" | "all" | "include" | "exclude";
  /** Of the last two. */
  readonly names: readonly string[];
}

/** A function over the documents of a group, or of all. */
export interface AggregateModel {
  readonly label: string;
  readonly of: "Count" | "Sum";
  /** What is added up. */
  readonly attribute: string;
}

/** Documents found are scored anew by a model of the server, and ordered by that. */
export interface RerankModel {
  readonly isOn: boolean;
  /** One that the server has. */
  readonly model: string;
  /** Whose texts the model reads. */
  readonly attribute: string;
  /** What they are scored against. */
  readonly query: string;
}

/** At most `limit` documents of each combination of the attributes' values. */
export interface LimitPerModel {
  readonly isOn: boolean;
  readonly attributes: readonly string[];
  readonly limit: string;
}

/** A whole query. */
export interface QueryModel {
  readonly form: "documents" | "aggregate";
  /** One, or several whose rankings are fused. */
  readonly rankings: readonly WeightedRanking[];
  /** Documents that each of several rankings finds. */
  readonly candidates: string;
  /** Of the fusion: the greater it is, the less the first ranks count. */
  readonly rankConstant: string;
  readonly filter: GroupModel;
  readonly limit: string;
  /** Of one ranking alone: the API has none for a fusion of several. */
  readonly limitPer: LimitPerModel;
  readonly offset: string;
  /** Of several rankings, it stands in place of their fusion. */
  readonly rerank: RerankModel;
  readonly selection: SelectionModel;
  /** Fragments of the texts that matched come back, too. */
  readonly highlight: boolean;
  readonly consistency: "strong" | "eventual";
  readonly aggregates: readonly AggregateModel[];
  readonly groupBy: readonly string[];
  readonly groupLimit: string;
}

/** The server's own constant of a fusion. */
export const RANK_CONSTANT = "60";

/** A filter that everything matches. */
export const NO_FILTER: GroupModel = { kind: "group", join: "And", not: false, parts: [] };

/** The query that the screen begins with: the best that the schema has, or documents by id. */
export function firstQuery(schema: RequestSchema): QueryModel {
  const kind = textAttributes(schema).length > 0 ? "text" : "order";
  return {
    form: "documents",
    rankings: [{ ranking: newRanking(kind, schema), weight: "1" }],
    candidates: "50",
    rankConstant: RANK_CONSTANT,
    filter: NO_FILTER,
    limit: "10",
    limitPer: { isOn: false, attributes: [], limit: "1" },
    offset: "0",
    rerank: {
      isOn: false,
      model: "",
      attribute: stringAttributes(schema)[0]?.name ?? "",
      query: "",
    },
    selection: usualSelection(schema),
    highlight: kind === "text",
    consistency: "strong",
    aggregates: [{ label: "count", of: "Count", attribute: "" }],
    groupBy: [],
    groupLimit: "100",
  };
}

/** An empty ranking of one kind over the first attribute that can be ranked so. */
export function newRanking(kind: Ranking["kind"], schema: RequestSchema): Ranking {
  switch (kind) {
    case "text": {
      const name = textAttributes(schema)[0]?.name ?? "";
      const attributes = [{ name, weight: "1" }];
      return { kind, attributes, combine: "Sum", query: "", lastAsPrefix: false };
    }
    case "vector": {
      const near = nearAttributes(schema);
      const attribute = near.find(({ embedModel }) => embedModel !== undefined) ?? near[0];
      const from = attribute?.embedModel === undefined ? "values" : "text";
      const name = attribute?.name ?? "";
      return { kind, method: "ANN", attribute: name, from, text: "", model: "", values: "" };
    }
    case "sparse":
      return { kind, attribute: sparseAttributes(schema)[0]?.name ?? "", entries: "" };
    case "order":
      return { kind, keys: [{ attribute: "id", direction: "asc" }] };
  }
}

/** All attributes but vectors: these are long, and nobody reads them. */
function usualSelection(schema: RequestSchema): SelectionModel {
  const vectors = [...schema.values()].filter(isVector).map(({ name }) => name);
  return vectors.length === 0 ? { kind: "all", names: [] } : { kind: "exclude", names: vectors };
}
