/** Examples that make the namespaces which all others are about, and change their documents. */

import type { ExampleRequest } from "./api-example.ts";

/** They come first. */
export const WRITE_EXAMPLES: readonly ExampleRequest[] = [
  {
    operation: "write",
    name: "create",
    summary: "Create a namespace with its first documents",
    body: {
      distance_metric: "cosine_distance",
      schema: {
        title: { type: "string", full_text_search: true, filterable: true, glob: true },
        plot: { type: "string", full_text_search: { stemming: true } },
        year: "int",
        rating: "float",
        genres: "[]string",
      },
      upsert_rows: [
        {
          id: 1,
          vector: [0.9, 0.1],
          title: "Alien",
          plot: "A crew in space meets a deadly stranger. Nobody hears them scream.",
          year: 1979,
          rating: 8.5,
          genres: ["horror", "space"],
        },
        {
          id: 2,
          vector: [0.8, 0.3],
          title: "Aliens",
          plot: "Marines return to the moon where the strangers breed.",
          year: 1986,
          rating: 8.4,
          genres: ["action", "space"],
        },
        {
          id: 3,
          vector: [0.2, 0.9],
          title: "Amadeus",
          plot: "A composer envies the gift of another composer.",
          year: 1984,
          rating: 8.4,
          genres: ["drama", "music"],
        },
      ],
    },
  },
  {
    operation: "write",
    name: "upsert-columns",
    summary: "Write documents by column",
    body: {
      upsert_columns: {
        id: [4, 5],
        vector: [
          [0.7, 0.4],
          [0.1, 0.8],
        ],
        title: ["Gravity", "Whiplash"],
        plot: ["Two of a crew drift in space.", "A drummer meets a merciless teacher."],
        year: [2013, 2014],
        genres: [["space"], ["drama", "music"]],
      },
    },
  },
  {
    operation: "write",
    name: "patch",
    summary: "Change some attributes of documents",
    body: {
      patch_rows: [
        { id: 4, rating: 7.7 },
        { id: 5, rating: 8.5 },
      ],
      return_affected_ids: true,
    },
  },
  {
    operation: "write",
    name: "conditional",
    summary: "Write only what is newer",
    body: {
      upsert_rows: [{ id: 4, vector: [0.7, 0.4], title: "Gravity", year: 2012 }],
      upsert_condition: ["year", "Lt", { $ref_new: "year" }],
    },
  },
  {
    operation: "write",
    name: "patch-by-filter",
    summary: "Change what matches a filter",
    body: {
      patch_by_filter: { filters: ["genres", "Contains", "space"], patch: { studio: "far away" } },
    },
  },
  {
    operation: "write",
    name: "delete",
    summary: "Delete by id and by filter",
    body: { deletes: [99], delete_by_filter: ["year", "Lt", 1900] },
  },
  {
    operation: "write",
    name: "drop-attribute",
    summary: "Drop an attribute",
    body: { schema: { studio: { drop: true } } },
  },
  {
    operation: "write",
    name: "wrong-id",
    summary: "An id of another type is refused",
    body: { upsert_rows: [{ id: "six", vector: [0.5, 0.5] }] },
    status: 400,
  },
  {
    operation: "write",
    name: "wrong-shape",
    summary: "JSON of the wrong shape is refused",
    body: { deletes: { id: 1 } },
    status: 422,
  },
  {
    operation: "write",
    name: "create-embedded",
    summary: "Let the server embed a text",
    path: { namespace: "notes" },
    body: {
      distance_metric: "cosine_distance",
      schema: {
        text: { type: "string", embed: { model: "openai/text-embedding-3-small", dims: 64 } },
        words: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
      },
      upsert_rows: [
        { id: "a", text: "buy milk and bread", words: { milk: 1, bread: 0.5 } },
        { id: "b", text: "call the dentist", words: { dentist: 1 } },
      ],
    },
  },
  {
    operation: "write",
    name: "create-late-interaction",
    summary: "Documents with several vectors",
    path: { namespace: "passages" },
    body: {
      distance_metric: "cosine_distance",
      schema: { tokens: { type: "[][2]f32", ann: { late_interaction: true } } },
      upsert_rows: [
        {
          id: 1,
          tokens: [
            [1, 0],
            [0, 1],
          ],
        },
        { id: 2, tokens: [[0.6, 0.8]] },
      ],
    },
  },
  {
    operation: "import",
    name: "import-lines",
    summary: "One document in each line",
    path: { namespace: "people" },
    query: { schema: '{"name":{"type":"string","full_text_search":true}}' },
    headers: { "content-type": "application/x-ndjson" },
    body: '{"id":1,"name":"Ada"}\n{"id":2,"name":"Grace"}\n',
  },
  {
    operation: "import",
    name: "import-fault",
    summary: "An error says up to which line all is committed",
    path: { namespace: "people" },
    headers: { "content-type": "application/x-ndjson" },
    body: '{"id":3,"name":"Edith"}\n{"name":"nobody"}\n',
    status: 422,
  },
  {
    operation: "write",
    name: "branch",
    summary: "Branch a namespace",
    path: { namespace: "movies-next" },
    body: { branch_from_namespace: "movies" },
  },
  {
    operation: "start_copy",
    name: "start-copy",
    summary: "Copy a namespace",
    path: { namespace: "movies-copy" },
    body: { copy_from_namespace: { source_namespace: "movies" } },
    status: 202,
  },
  {
    operation: "poll_operation",
    name: "poll-copy",
    summary: "The copy is there",
    path: { namespace: "movies-copy", token: "b8f2a6d31c90" },
  },
];
