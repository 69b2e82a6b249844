/** One query of each kind over the artworks. */

import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import type { Namespace } from "./load-artworks.ts";
import { wordVectors } from "./word-vectors.ts";

/** What a query found, ready for a table. */
export interface Found {
  readonly columns: readonly string[];
  readonly lines: readonly (readonly unknown[])[];
  /** Whole time in the server. */
  readonly milliseconds: number;
}

/** One stop of the tour. */
export interface TourStop {
  readonly title: string;
  readonly note: string;
  /** The heart of the query, as it would be typed. */
  readonly shown: string;
  readonly run: (namespace: Namespace) => Promise<Found>;
}

type QueryParameters = Turbopuffer.NamespaceQueryParams;

/** A query for documents, shown with these attributes and their score. */
function documents(parameters: QueryParameters, columns: readonly string[]): TourStop["run"] {
  return async (namespace) => {
    const included = columns.filter((name) => !isComputed(name, parameters));
    const answer = await namespace.query({ ...parameters, include_attributes: included });
    return found(columns, answer.rows, answer.performance);
  };
}

function isComputed(name: string, { compute_attributes = {} }: QueryParameters): boolean {
  return name in compute_attributes;
}

function found(
  columns: readonly string[],
  rows: readonly Record<string, unknown>[] = [],
  performance: { server_total_ms: number },
): Found {
  const shown = rows.some((row) => "$dist" in row) ? ["$dist", ...columns] : columns;
  const lines = rows.map((row) => shown.map((name) => cellOf(row[name])));
  return { columns: shown, lines, milliseconds: performance.server_total_ms };
}

/** Highlights are arrays of fragments; datetimes need no more than their date here. */
function cellOf(value: unknown): unknown {
  if (Array.isArray(value) && typeof value[0]?.text === "string") return value[0].text;
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return value.slice(0, 10);
  return value;
}

type RankBy = NonNullable<QueryParameters["rank_by"]>;

const BOATS: RankBy = ["about", "ANN", ["Embed", "fishing boats in a harbour"]];
const STORM: RankBy = ["about", "BM25", "storm at sea"];

/** The tour, in the order in which it is shown. */
export const TOUR: readonly TourStop[] = [
  {
    title: "Vector search (ANN) by a text that the server embeds",
    note: "The nearest artworks to a phrase, by cosine distance.",
    shown: '["about", "ANN", ["Embed", "fishing boats in a harbour"]]',
    run: documents({ rank_by: BOATS, limit: 4 }, ["title", "artists", "subjects"]),
  },
  {
    title: "Exact nearest neighbours (kNN) under a filter",
    note: "The same phrase among prints begun after 1960.",
    shown: '["about", "kNN", ["Embed", …]], filters: start_year > 1960 and a print',
    run: documents(
      {
        rank_by: ["about", "kNN", ["Embed", "fishing boats in a harbour"]],
        filters: [
          "And",
          [
            ["start_year", "Gt", 1960],
            ["classification", "Eq", "on paper, print"],
          ],
        ],
        limit: 4,
      },
      ["title", "artists", "start_year"],
    ),
  },
  {
    title: "Late interaction: many vectors per artwork",
    note: "Each word of the query looks for its nearest word among an artwork's subjects.",
    shown: '["subject_words", "ANN", [vector of "lighthouse", vector of "moon"]]',
    run: documents(
      { rank_by: ["subject_words", "ANN", wordVectors("lighthouse moon")], limit: 4 },
      ["title", "subjects"],
    ),
  },
  {
    title: "Full-text search (BM25) with highlights",
    note: "Stemmed words of title and subjects; the best fragment of each hit.",
    shown: '["about", "BM25", "storm at sea"]',
    run: documents(
      {
        rank_by: STORM,
        limit: 4,
        compute_attributes: {
          fragment: ["Highlight", "about", { fragment_by: "sentence", fragment_limit: 1 }],
        },
      },
      ["title", "artists", "fragment"],
    ),
  },
  {
    title: "Score arithmetic: relevance, boosted by a filter and by age",
    note: "BM25, twice as much weight on the title, a bonus for paintings, old works preferred.",
    shown: '["Sum", [["Product", 2, title], about, paintings, ["Decay", start_year…]]]',
    run: documents(
      {
        rank_by: [
          "Sum",
          [
            ["Product", 2, ["title", "BM25", "night"]],
            ["about", "BM25", "night moon"],
            ["classification", "Eq", "painting"],
            ["Decay", ["Dist", ["Attribute", "start_year"], 1800], { midpoint: 50 }],
          ],
        ],
        limit: 4,
      },
      ["title", "classification", "start_year"],
    ),
  },
  {
    title: "Sparse vectors (SparseKNN)",
    note: "Subjects with weights, as a learned sparse model would give them.",
    shown: '["subject_weights", "SparseKNN", { "dog - non-specific": 2, "horse": 1 }]',
    run: documents(
      {
        rank_by: ["subject_weights", "SparseKNN", { "dog - non-specific": 2, horse: 1 }],
        limit: 4,
      },
      ["title", "subjects"],
    ),
  },
  {
    title: "Order by attributes, with filters on arrays, patterns and time",
    note: "Oil paintings of surrealists, the newest acquisitions first, at most one per year.",
    shown: '[["acquired", "desc"], ["title", "asc"]], limit.per: acquired',
    run: documents(
      {
        rank_by: [
          ["acquired", "desc"],
          ["title", "asc"],
        ],
        filters: [
          "And",
          [
            ["movements", "Contains", "Surrealism"],
            ["medium", "Glob", "Oil paint*"],
            ["acquired", "Gte", "1970-01-01"],
          ],
        ],
        limit: { total: 4, per: { attributes: ["acquired"], limit: 1 } },
      },
      ["acquired", "title", "artists"],
    ),
  },
  {
    title: "Lookup",
    note: "Whatever matches a filter; here a title with a typing error.",
    shown: '["title", "Fuzzy", "Portriat of a", { max_edit_distance: … }]',
    run: documents(
      {
        filters: [
          "title",
          "Fuzzy",
          "portriat of a",
          { max_edit_distance: [{ min_query_chars: 9, distance: 2 }], case_sensitive: false },
        ],
        limit: 3,
      },
      ["id", "title", "artists"],
    ),
  },
  {
    title: "Aggregation",
    note: "Counts and sums over everything that matches.",
    shown: '{ works: ["Count"], height: ["Sum", "height"] }, filters: acquired since 2000',
    run: async (namespace) => {
      const answer = await namespace.query({
        aggregate_by: { works: ["Count"], height: ["Sum", "height"] },
        filters: ["acquired", "Gte", "2000-01-01"],
      });
      const { works, height } = answer.aggregations ?? {};
      const lines = [[works, Math.round(Number(height) / 1000)]];
      const columns = ["works", "height of all in metres"];
      return { columns, lines, milliseconds: answer.performance.server_total_ms };
    },
  },
  {
    title: "Grouped aggregation",
    note: "Artworks by movement; an artwork counts in each of its movements.",
    shown: '{ works: ["Count"] }, group_by: [{ movement: ["ForEachUnique", "movements"] }]',
    run: async (namespace) => {
      const answer = await namespace.query({
        aggregate_by: { works: ["Count"] },
        group_by: [{ movement: ["ForEachUnique", "movements"] }],
        filters: ["movements", "NotEq", null],
      });
      const groups = [...(answer.aggregation_groups ?? [])];
      groups.sort((a, b) => Number(b.works) - Number(a.works));
      return found(["movement", "works"], groups.slice(0, 6), answer.performance);
    },
  },
  {
    title: "Hybrid search: two rankings, fused",
    note: "Vector and text search over one snapshot, joined by reciprocal rank fusion.",
    shown: '{ queries: [ANN, BM25], rerank_by: ["RRF"] }',
    run: async (namespace) => {
      const include_attributes = ["title", "artists"];
      const parameters = {
        queries: [
          { rank_by: BOATS, limit: 20, include_attributes },
          { rank_by: STORM, limit: 20, include_attributes },
        ],
        rerank_by: ["RRF"] as ["RRF"],
        // This version of the SDK does not know the root's limit yet; it is sent as it is.
        limit: 4,
      };
      const answer = await namespace.multiQuery(parameters);
      return found(include_attributes, answer.results[0].rows, answer.performance);
    },
  },
];
