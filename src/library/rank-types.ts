/** Rankings and computed attributes that are checked against the type of the documents. */

import type { AttributeOf } from "./document-types.ts";
import type { FilterOf, TokenOptions } from "./filter-types.ts";

/**
 * A ranking such as `["vector", "ANN", [0.1, 0.8]]`, `["title", "BM25", "sea"]`, `["id", "asc"]`.
 * Operators and the form are checked, attributes are not. Assert arrays that are built at run time
 * to be rankings: `parts as RankBy`.
 */
export type RankBy = RankByOf<unknown>;

/** A ranking of documents of this type. */
export type RankByOf<Document> =
  | AnnRankOf<Document>
  | readonly [AttributeOf<Document>, "kNN", QueryVector]
  | OrderOf<Document>
  | readonly OrderOf<Document>[]
  | ScoreOf<Document>;

/** A ranking by nearest vectors whose recall can be measured. */
export type AnnRankOf<Document> = readonly [AttributeOf<Document>, "ANN", QueryVector];

/** One computed attribute of documents of this type. */
export type ComputedOf<Document> =
  | readonly [AttributeOf<Document>, "VectorDist", Vector | readonly Vector[]]
  | readonly ["Highlight", AttributeOf<Document>, (HighlightOptions<Document> | null)?]
  | ScoreOf<Document>;

/** A score: text, sparse vectors, filters, and arithmetic over them. */
export type ScoreOf<Document> =
  | readonly [AttributeOf<Document>, "BM25", string | readonly string[], (TokenOptions | null)?]
  | readonly [AttributeOf<Document>, "SparseKNN", Readonly<Record<string, number>>]
  | readonly ["Sum", readonly ScoreOf<Document>[]]
  | readonly ["Max", readonly (number | ScoreOf<Document>)[]]
  | readonly ["Max", number, ScoreOf<Document>]
  | readonly ["Max", ScoreOf<Document>, number | ScoreOf<Document>]
  | readonly ["Product", number, ScoreOf<Document>]
  | readonly ["Product", ScoreOf<Document>, number]
  | AttributeScore<Document>
  | readonly ["Dist", AttributeScore<Document>, number | string]
  | readonly ["Saturate" | "Decay", ScoreOf<Document>, CurveParameters]
  | FilterOf<Document>;

type AttributeScore<Document> = readonly ["Attribute", AttributeOf<Document>];

type OrderOf<Document> = readonly [AttributeOf<Document>, "asc" | "desc"];

/** Numbers, or base64 of little-endian float32. */
type Vector = readonly number[] | string;

type QueryVector =
  | Vector
  | readonly Vector[]
  | readonly ["Embed", string, ({ readonly model?: string | null } | null)?];

interface CurveParameters {
  /** Value at which the curve is one half: a number, or a duration such as `7d`. */
  readonly midpoint: number | string;
  readonly exponent?: number | null;
}

interface HighlightOptions<Document> {
  readonly fragment_by?: "word" | "sentence" | "paragraph" | "none" | null;
  readonly fragment_limit?: number | null;
  readonly include_offsets?: "utf-8" | "utf-16" | "codepoints" | null;
  readonly rank_fragments_by?: ScoreOf<Document> | null;
}
