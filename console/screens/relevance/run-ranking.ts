/** Rankings asked of the server: for the lists, and for measures over all saved queries. */

import type { ApiClient } from "../../api/api-client.ts";
import { type DocumentRow, queryDocuments } from "../../api/documents.ts";
import { parseExact, stringifyExact } from "../../api/exact-json.ts";
import { runBounded } from "../../base/run-bounded.ts";
import { compareIds } from "./fuse-ranks.ts";
import {
  FUSION_DEPTH,
  fuseSides,
  hybridSides,
  type RankedQuery,
  type RankingForm,
  rankingBody,
  type VectorChoice,
} from "./ranking-form.ts";
import { type Measures, meanMeasures, measuresOf } from "./ranking-measures.ts";
import { gradesOf, type JudgedQuery, type QueryInput } from "./saved-judgments.ts";

/** Queries of one measurement that are under way; a namespace answers 16 at once. */
const AT_ONCE = 4;
/** Results that the average precision looks at. */
const MEASURED_DEPTH = 100;

/** Where rankings are asked. */
export interface RankingPlace {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly vectors: readonly VectorChoice[];
  readonly signal: AbortSignal;
}

/** How a measurement goes on. */
export type OnDone = (done: number) => void;

/** Measures of one ranking: of each query, in their order, and their means. */
export interface MeasuredRanking {
  readonly byQuery: readonly Measures[];
  readonly mean: Measures | undefined;
}

/** One point of the grid. */
export interface GridPoint {
  readonly vectorWeight: number;
  readonly mean: Measures | undefined;
}

/** The ranked documents of a query, with the attributes asked for. */
export async function runRanking(
  place: RankingPlace,
  form: RankingForm,
  query: QueryInput,
  shown: { readonly limit: number; readonly attributes: readonly string[] },
): Promise<readonly DocumentRow[]> {
  const asked = await rankedQuery(place, form, query);
  const body = rankingBody(form, asked, { ...shown, vectors: place.vectors });
  const { namespace, signal } = place;
  const { value } = await queryDocuments(place.api, { namespace, body, signal });
  if ((value.results?.length ?? 0) > 1) {
    throw new Error("a multi-query needs rerank_by, so that there is one ranking");
  }
  const rows = value.rows ?? value.results?.[0]?.rows;
  if (rows === undefined) throw new Error("this request answers no documents: it needs rank_by");
  return rows;
}

/** Measures a ranking by the grades of each query. */
export async function measureRanking(
  place: RankingPlace,
  form: RankingForm,
  queries: readonly JudgedQuery[],
  onDone: OnDone,
): Promise<MeasuredRanking> {
  const shown = { limit: MEASURED_DEPTH, attributes: [] };
  const byQuery = await runBounded(
    queries,
    async (query) => {
      const rows = await runRanking(place, form, query, shown);
      return measuresOf(idsOf(rows), gradesOf(query));
    },
    { atOnce: AT_ONCE, signal: place.signal, onDone },
  );
  return { byQuery, mean: meanMeasures(byQuery) };
}

/** Weights of the grid: from words alone to the vector alone. */
const GRID_WEIGHTS = Array.from({ length: 11 }, (_, i) => i / 10);

/**
 * Measures a hybrid ranking at each weight. Both sides of each query are asked once; they are fused
 * here, by the server's rule.
 */
export async function measureGrid(
  place: RankingPlace,
  form: Extract<RankingForm, { kind: "hybrid" }>,
  queries: readonly JudgedQuery[],
  onDone: OnDone,
): Promise<GridPoint[]> {
  const { namespace, signal, vectors } = place;
  const sides = await runBounded(
    queries,
    async (query) => {
      const asked = await rankedQuery(place, form, query);
      const body = { queries: hybridSides(form, asked, { attributes: [], vectors }) };
      const { value } = await queryDocuments(place.api, { namespace, body, signal });
      return (value.results ?? []).map(({ rows = [] }) => idsOf(rows));
    },
    { atOnce: AT_ONCE, signal, onDone },
  );
  return GRID_WEIGHTS.map((vectorWeight) => {
    const options = { vectorWeight, rankConstant: form.rankConstant, compareIds };
    const all = queries.map((query, i) =>
      measuresOf(fuseSides(sides[i], options, FUSION_DEPTH), gradesOf(query)),
    );
    return { vectorWeight, mean: meanMeasures(all) };
  });
}

/** Ids as text, as grades name documents. */
export function idsOf(rows: readonly DocumentRow[]): string[] {
  return rows.map(({ id }) => String(id));
}

/** A query with its vector, if it is like a document: that one's, of the ranking's attribute. */
async function rankedQuery(
  place: RankingPlace,
  form: RankingForm,
  { text, like }: QueryInput,
): Promise<RankedQuery> {
  if (like === undefined) return { text, vector: undefined };
  const hasAttribute = form.kind === "vector" || form.kind === "hybrid";
  const attribute = hasAttribute ? form.attribute : place.vectors[0]?.attribute;
  if (form.kind === "words" || attribute === undefined) return { text, vector: undefined };
  const body = {
    filters: ["id", "Eq", parseExact(like)],
    limit: 1,
    include_attributes: [attribute],
    vector_encoding: "base64",
  };
  const { namespace, signal } = place;
  const { value } = await queryDocuments(place.api, { namespace, body, signal });
  const row = value.rows?.[0];
  if (row === undefined) throw new Error(`there is no document with the id ${like}`);
  const vector = row[attribute];
  if (vector === undefined) throw new Error(`document ${like} has no ${attribute}`);
  return { text, vector };
}

/** A document's id as JSON, from what a person typed: text that is no number needs no quotes. */
export function idJson(typed: string, idType: string): string | undefined {
  const text = typed.trim();
  if (text === "") return undefined;
  if (idType === "uint") return /^\d{1,20}$/.test(text) ? text : undefined;
  return text.startsWith('"') ? text : stringifyExact(text);
}
