/** Three documents that every form of ranking can tell apart, as one write. */

import type { Turbopuffer } from "@turbopuffer/turbopuffer";

/** The write; the namespace has every attribute that a ranking can use. */
export const RANKING_DOCUMENTS: Turbopuffer.NamespaceWriteParams = {
  distance_metric: "euclidean_squared",
  schema: {
    text: { type: "string", full_text_search: true },
    words: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" } },
    terms: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    likes: "uint",
    at: "datetime",
    heat: "float",
  },
  upsert_rows: [
    {
      id: 1,
      vector: [0, 0],
      text: "fish fish swim",
      words: ["Fish", "swim fast"],
      terms: { a: 1, b: 0.5 },
      likes: 10,
      at: "2024-01-01",
      heat: -1,
      kind: "x",
      n: 3,
    },
    {
      id: 2,
      vector: [1, 0],
      text: "fish tank water deep blue",
      words: ["fish"],
      terms: { b: 2 },
      likes: 0,
      at: "2024-01-03",
      heat: 4,
      kind: "y",
      n: 1,
    },
    {
      id: 3,
      vector: [0, 3],
      text: "swim swim fish",
      terms: { c: 1 },
      likes: 30,
      kind: "x",
      n: 1,
    },
  ],
};
