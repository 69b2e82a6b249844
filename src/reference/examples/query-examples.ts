/** Examples of each kind of query. */

import type { ExampleRequest } from "./api-example.ts";

/** They read what the examples of writes have written. */
export const QUERY_EXAMPLES: readonly ExampleRequest[] = [
  query("nearest", "Nearest vectors", {
    rank_by: ["vector", "ANN", [0.9, 0.2]],
    limit: 2,
    include_attributes: ["title"],
  }),
  query("exact", "Nearest vectors, exactly, among what matches", {
    rank_by: ["vector", "kNN", [0.9, 0.2]],
    filters: ["genres", "Contains", "music"],
    limit: 10,
  }),
  query("words", "Full-text search", {
    rank_by: ["plot", "BM25", "strangers in space"],
    limit: 10,
    include_attributes: ["title"],
  }),
  query("words-weighted", "Several attributes, one of which counts more", {
    rank_by: [
      "Sum",
      [
        ["Product", 2, ["title", "BM25", "ali", { last_as_prefix: true }]],
        ["plot", "BM25", "moon"],
      ],
    ],
    limit: 10,
  }),
  query("boosted", "Words, and how new a document is", {
    rank_by: [
      "Sum",
      [
        ["plot", "BM25", "space"],
        ["Decay", ["Dist", ["Attribute", "year"], 2013], { midpoint: 10 }],
      ],
    ],
    limit: 3,
    include_attributes: ["year"],
  }),
  query("hybrid", "Words and vectors, made into one ranking", {
    queries: [
      { rank_by: ["vector", "ANN", [0.9, 0.2]], limit: 10, include_attributes: ["title"] },
      { rank_by: ["plot", "BM25", "space"], limit: 10, include_attributes: ["title"] },
    ],
    rerank_by: ["RRF", { rank_constant: 60, weights: [1, 2] }],
    limit: 3,
  }),
  query("several", "Several queries at once", {
    queries: [
      { aggregate_by: { films: ["Count"] } },
      { rank_by: ["rating", "desc"], limit: 1, include_attributes: ["title", "rating"] },
    ],
  }),
  query("order", "In the order of attributes, a page at a time", {
    rank_by: [
      ["rating", "desc"],
      ["year", "asc"],
    ],
    limit: 2,
    offset: 2,
    include_attributes: ["title", "rating", "year"],
  }),
  query("filters", "Filters joined", {
    rank_by: ["id", "asc"],
    filters: [
      "And",
      [
        ["year", "Gte", 1980],
        [
          "Or",
          [
            ["title", "IGlob", "ali*"],
            ["genres", "ContainsAny", ["music"]],
          ],
        ],
        ["Not", ["rating", "Lt", 8.45]],
      ],
    ],
    limit: 10,
    include_attributes: ["title"],
  }),
  query("phrase", "Words one after the other, as a filter", {
    filters: ["plot", "ContainsTokenSequence", "crew in space"],
    limit: 10,
  }),
  query("count", "Counts and sums", {
    aggregate_by: { films: ["Count"], rating: ["Sum", "rating"] },
    filters: ["year", "Gte", 1980],
  }),
  query("groups", "Facets: counts for each element of an array", {
    aggregate_by: { films: ["Count"] },
    group_by: [{ genre: ["ForEachUnique", "genres"] }],
  }),
  query("diverse", "At most one for each rating", {
    rank_by: ["year", "asc"],
    limit: { total: 10, per: { attributes: ["rating"], limit: 1 } },
    include_attributes: ["rating"],
  }),
  query("highlights", "Fragments that match, and distances", {
    rank_by: ["plot", "BM25", "scream"],
    limit: 1,
    compute_attributes: {
      fragments: ["Highlight", "plot", { fragment_by: "sentence", include_offsets: "codepoints" }],
      distance: ["vector", "VectorDist", [1, 0]],
    },
  }),
  query("eventual", "A state that may be older, vectors as base64", {
    rank_by: ["vector", "ANN", [0.9, 0.2]],
    limit: 1,
    include_attributes: true,
    vector_encoding: "base64",
    consistency: { level: "eventual", max_staleness_seconds: 60 },
  }),
  query("reranked", "A model ranks what was found", {
    rank_by: ["plot", "BM25", "space composer"],
    limit: 10,
    include_attributes: ["plot"],
    rerank_by: { model: "words", attribute: "plot", query: "a composer" },
  }),
  {
    ...query("text-to-vector", "The server embeds the query", {
      rank_by: ["text", "ANN", ["Embed", "milk"]],
      limit: 1,
      include_attributes: ["text"],
    }),
    path: { namespace: "notes" },
  },
  {
    ...query("sparse", "Sparse vectors", {
      rank_by: ["words", "SparseKNN", { milk: 1, bread: 1 }],
      limit: 10,
    }),
    path: { namespace: "notes" },
  },
  {
    ...query("late-interaction", "Several vectors on both sides", {
      rank_by: [
        "tokens",
        "ANN",
        [
          [1, 0],
          [0, 1],
        ],
      ],
      limit: 10,
    }),
    path: { namespace: "passages" },
  },
  {
    ...query("no-limit", "An error says what is missing", { rank_by: ["title", "BM25", "alien"] }),
    status: 400,
  },
  {
    ...query("misspelt", "An error says what was probably meant", {
      rank_by: ["titel", "BM25", "alien"],
      limit: 10,
    }),
    status: 400,
  },
  {
    ...query("no-namespace", "A namespace that is not there", { rank_by: ["id", "asc"], limit: 1 }),
    path: { namespace: "novels" },
    status: 404,
  },
  {
    operation: "explain",
    name: "plan",
    summary: "How a query would be answered",
    body: {
      rank_by: ["plot", "BM25", "space"],
      filters: ["year", "Gte", 1980],
      limit: 10,
    },
  },
  {
    operation: "recall",
    name: "recall-sampled",
    summary: "Measure with stored vectors",
    body: { num: 5, top_k: 3 },
  },
];

function query(name: string, summary: string, body: object): ExampleRequest {
  return { operation: "query", name, summary, body };
}
