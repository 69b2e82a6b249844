/** Schemas of answers about namespaces and their documents. */

import { LANGUAGES, TOKENIZERS } from "../../model/full-text-options.ts";
import { QUERY_PHASES } from "../../model/request-stats.ts";
import { METRICS } from "../../wire/write/parse-write-members.ts";
import {
  described,
  flag,
  integer,
  type JsonSchema,
  type JsonSchemas,
  list,
  mapOf,
  number,
  oneOf,
  orNull,
  output,
  ref,
  text,
} from "./json-schema.ts";

const COUNT = { minimum: 0 };
const OK: JsonSchema = { const: "OK" };
const TIME: JsonSchema = { type: "string", format: "date-time" };

const EMBEDDING: JsonSchemas = {
  embedding_tokens: integer("Tokens that the server embedded.", COUNT),
  embedding_ms: integer("Milliseconds that embedding took.", COUNT),
};
const EMBEDDING_NAMES = Object.keys(EMBEDDING);

const WORK_COUNTS: Readonly<Record<string, string>> = {
  documents_scanned: "Documents that some part of the query looked at.",
  values_compared: "Values that filters compared one by one.",
  strings_tested: "Strings that patterns were tried on.",
  texts_analyzed: "Stored texts that phrase filters analyzed.",
  positions_read: "Positions of terms that phrase filters read.",
  entries_touched: "Sorted values that filters took as they lie.",
  postings_touched: "Postings that were read.",
  blocks_skipped: "Blocks of postings that were passed over.",
  clusters_probed: "Clusters that ANN searches looked into.",
  codes_scanned: "Vectors whose distance was estimated.",
  candidates_reranked: "Those of them that were compared exactly.",
  vectors_scored: "Vectors that were compared exactly.",
  candidates_skipped: "Documents that were refused at once.",
  bytes_returned: "Logical bytes that were returned.",
};

const RESULT_MEMBERS: JsonSchemas = {
  rows: list(ref("ResultDocument"), "The documents, the first ones first."),
  aggregations: mapOf({ type: "number" }, "The numbers, by the names that were asked for."),
  aggregation_groups: list(
    mapOf(ref("ResultValue"), "A group: its values and its numbers; null is a missing value."),
    "The groups, in ascending order.",
  ),
};

/** Components of answers. */
export const ANSWER_SCHEMAS: JsonSchemas = {
  Error: output(
    "What went wrong: what, where, the rule, and the nearest fix.",
    {
      status: { const: "error" },
      error: text("For people. Parts of it are fixed by the API's contract."),
      attribute: text("The attribute that is at fault."),
      line: integer("Of an import: the line that is at fault.", { minimum: 1 }),
      lines_committed: integer("Of an import: lines up to this one were committed.", COUNT),
      rows_committed: integer("Of an import: documents that were committed.", COUNT),
    },
    ["attribute", "line", "lines_committed", "rows_committed"],
  ),
  Ok: output("It is done.", { status: OK }),
  WriteAnswer: output(
    "What was changed. The counts are there for the kinds of operations that the request had.",
    {
      status: OK,
      message: text("What was done."),
      rows_affected: integer("Documents that were changed, together.", COUNT),
      rows_upserted: integer("Documents that were written whole.", COUNT),
      rows_patched: integer("Documents that were patched.", COUNT),
      rows_deleted: integer("Ids that were deleted, absent ones without a condition too.", COUNT),
      rows_remaining: { const: true, description: "More documents match the filter." },
      upserted_ids: list(ref("Id"), "If asked for, and not empty."),
      patched_ids: list(ref("Id"), "If asked for, and not empty."),
      deleted_ids: list(ref("Id"), "If asked for, and not empty."),
      billing: output(
        "What the write counts as.",
        {
          billable_logical_bytes_written: integer("Bytes that were written.", COUNT),
          query: described(ref("QueryBilling"), "If the write had to read."),
        },
        ["query"],
      ),
      performance: ref("WritePerformance"),
    },
    [
      "rows_upserted",
      "rows_patched",
      "rows_deleted",
      "rows_remaining",
      "upserted_ids",
      "patched_ids",
      "deleted_ids",
    ],
  ),
  WritePerformance: output(
    "How the write went.",
    { server_total_ms: integer("Milliseconds on the server.", { minimum: 1 }), ...EMBEDDING },
    EMBEDDING_NAMES,
  ),
  QueryBilling: output("What a query counts as.", {
    billable_logical_bytes_queried: integer("Bytes that were looked at.", COUNT),
    billable_logical_bytes_returned: integer("Bytes that were returned.", COUNT),
  }),
  QueryPerformance: output(
    "How the query went.",
    {
      cache_hit_ratio: number("Share of what was read that was in memory.", {
        minimum: 0,
        maximum: 1,
      }),
      cache_temperature: oneOf(
        ["hot", "warm", "cold"],
        "Where the data was: in the query's thread, in memory, or in the store.",
      ),
      server_total_ms: integer("Milliseconds on the server, waiting included.", { minimum: 1 }),
      query_execution_ms: integer("Milliseconds of work.", { minimum: 1 }),
      exhaustive_search_count: integer("Documents that were looked at one by one.", COUNT),
      approx_namespace_size: integer("Documents of the namespace.", COUNT),
      last_included_write_at: { ...TIME, description: "The last write that the query saw." },
      ...EMBEDDING,
    },
    ["last_included_write_at", ...EMBEDDING_NAMES],
  ),
  QueryAnswer: {
    description:
      "What was found: one result, or for several queries `results`. What is asked for decides " +
      "which member it is.",
    anyOf: [
      ...Object.entries(RESULT_MEMBERS).map(([name, schema]) => answerWith(name, schema)),
      answerWith(
        "results",
        list(
          {
            description: "The result of one query.",
            anyOf: Object.entries(RESULT_MEMBERS).map(([name, schema]) =>
              output("A result.", { [name]: schema }),
            ),
          },
          "A result for each query, in their order; one where `rerank_by` made them one.",
        ),
      ),
    ],
  },
  HighlightFragment: output(
    "A part of a text that matches.",
    {
      text: text("The fragment."),
      fragment_range: range("Where it is in the value, if offsets were asked for."),
      match_ranges: list(range("A match."), "Where the matches are, if offsets were asked for."),
      array_index: integer("Of an array: which of its strings.", COUNT),
    },
    ["fragment_range", "match_ranges", "array_index"],
  ),
  ExplainAnswer: output(
    "The plan.",
    {
      plan_text: text("The plan, for people."),
      analysis: output("What the query cost, if it was run.", {
        queries: list(
          output(
            "The work of one query.",
            Object.fromEntries(
              Object.entries(WORK_COUNTS).map(([name, what]) => [name, integer(what, COUNT)]),
            ),
          ),
          "The work of each query.",
        ),
        reads: output("What was read of stored segments.", {
          rounds: integer("Reads one after the other.", COUNT),
          loaded_bytes: integer("Bytes that were brought to the query's thread.", COUNT),
          store_bytes: integer("Bytes that the store was asked for.", COUNT),
        }),
        performance: ref("QueryPerformance"),
        phases: output(
          "Where the time went.",
          Object.fromEntries(
            QUERY_PHASES.map((phase) => [`${phase}_ms`, number("Milliseconds.", COUNT)]),
          ),
        ),
        steps: list(
          output("A step.", {
            step: text("Its name."),
            ms: number("Milliseconds of work.", COUNT),
          }),
          "What was worked at, the longest first.",
        ),
      }),
    },
    ["analysis"],
  ),
  NamespaceList: output("A page of names.", {
    namespaces: list(output("A namespace.", { id: text("Its name.") }), "In byte order."),
    next_cursor: {
      type: ["string", "null"],
      description: "The cursor of the next page; null: this was the last.",
    },
  }),
  Metadata: output(
    "What is known of a namespace.",
    {
      schema: mapOf(ref("MetadataAttribute"), "The attributes."),
      approx_logical_bytes: integer("Bytes of its documents.", COUNT),
      approx_row_count: integer("Documents.", COUNT),
      created_at: TIME,
      updated_at: { ...TIME, description: "The last write of documents or change of the schema." },
      last_write_at: { ...TIME, description: "The last write of documents." },
      encryption: output(
        "Encryption of what is stored.",
        {
          sse: { const: true, description: "On paths of the first version." },
          mode: oneOf(["default", "customer-managed"], "Whose key."),
          key_name: text("The key."),
          encryption_context: mapOf({ type: "string" }, "What is bound to it."),
        },
        ["sse", "key_name", "encryption_context"],
      ),
      index: output(
        "How far the indexes are.",
        {
          status: oneOf(["up-to-date", "updating"], "Whether anything is still to be indexed."),
          unindexed_bytes: integer("Bytes that wait.", COUNT),
          unindexed_rows: integer("Documents of the log, which are searched one by one.", COUNT),
        },
        ["unindexed_bytes"],
      ),
      pinning: output("The pinning.", {
        replicas: integer("How many were asked for.", { minimum: 1 }),
        status: output("What became of it.", {
          ready_replicas: integer("How many are ready.", COUNT),
          replicas: integer("How many run.", COUNT),
          utilization: number("How busy they are.", { minimum: 0, maximum: 1 }),
          updated_at: TIME,
        }),
      }),
      branching: output("Where it comes from.", { parent: text("Its parent.") }),
      sharding: output("Its shards.", { num_shards: integer("How many.", { minimum: 1 }) }),
      read_only: { const: true, description: "Writes are refused." },
    },
    ["last_write_at", "pinning", "branching", "sharding", "read_only"],
  ),
  MetadataAttribute: output(
    "An attribute, as metadata shows it.",
    {
      type: ref("AttributeType"),
      ann: output(
        "Its vector index.",
        {
          distance_metric: oneOf(METRICS, "The metric."),
          late_interaction: { const: true },
        },
        ["late_interaction"],
      ),
      filterable: flag("Whether filters may use it."),
      full_text_search: ref("FullTextSettings"),
      regex: { const: true },
      glob: { const: true },
      fuzzy: { const: true },
      sparse_knn: output("Its sparse index.", { distance_metric: { const: "dot_product" } }),
      embed: output("What embeds it.", {
        attribute: text("The vector attribute."),
        model: text("The model."),
      }),
    },
    ["ann", "filterable", "full_text_search", "regex", "glob", "fuzzy", "sparse_knn", "embed"],
  ),
  FullTextSettings: output(
    "How text becomes tokens.",
    {
      k1: number("BM25."),
      b: number("BM25."),
      k3: number("BM25."),
      language: orNull(oneOf(LANGUAGES, "Null with `pre_tokenized_array`.")),
      stemming: flag("Words count by their stem."),
      remove_stopwords: flag("The most frequent words are left out."),
      ascii_folding: flag("Accents do not count."),
      case_sensitive: flag("Upper and lower case differ."),
      max_token_length: orNull(integer("Null with `pre_tokenized_array`.")),
      tokenizer: oneOf(TOKENIZERS, "How text is cut."),
    },
    ["language", "max_token_length"],
  ),
  SchemaAnswer: mapOf(
    output(
      "An attribute.",
      {
        type: ref("AttributeType"),
        ann: { const: true },
        filterable: orNull(flag("Null where it does not apply.")),
        full_text_search: { anyOf: [ref("FullTextSettings"), { type: "null" }] },
        regex: { const: true },
        glob: { const: true },
        fuzzy: { const: true },
      },
      ["ann", "regex", "glob", "fuzzy"],
    ),
    "The whole schema, by attribute.",
  ),
  WarmAnswer: output("The hint is taken.", {
    status: { const: "ACCEPTED" },
    message: text("For people."),
  }),
  RecallAnswer: output(
    "What the index finds of the true neighbours.",
    {
      avg_recall: number("Share that it finds.", { minimum: 0, maximum: 1 }),
      avg_exhaustive_count: number("Neighbours that the exact search found.", COUNT),
      avg_ann_count: number("Neighbours that the index found.", COUNT),
      ground_truth: list(
        output("A query.", {
          query_vector: list({ type: "number" }, "Its vector."),
          nearest_neighbors: list(ref("ResultDocument"), "The exact neighbours."),
        }),
        "The queries and their exact neighbours, if asked for.",
      ),
    },
    ["ground_truth"],
  ),
  OperationToken: output("The operation runs on.", { token: text("What it is asked for by.") }),
  OperationAnswer: {
    description: "How far an operation is.",
    anyOf: [
      output(
        "It runs.",
        {
          status: { const: "running" },
          start_time: TIME,
          progress: text("How far it is, for people."),
        },
        ["progress"],
      ),
      output("It has ended.", {
        status: { const: "finished" },
        start_time: TIME,
        finish_time: TIME,
        result: {
          description: "What came of it.",
          anyOf: [
            output("It was done.", {
              success: { anyOf: [ref("WriteAnswer"), ref("RecallAnswer")] },
            }),
            output("It failed.", {
              error: output("As it would have been answered.", {
                status_code: integer("The HTTP status."),
                detail: ref("Error"),
              }),
            }),
          ],
        },
      }),
    ],
  },
  ExportAnswer: output("A page of documents, by column.", {
    ids: list(ref("Id"), "The ids."),
    vectors: list({ type: ["array", "null"] }, "The values of the attribute `vector`."),
    attributes: mapOf(
      list(ref("AttributeValue"), "A value for each id."),
      "All other attributes; null where a document has none.",
    ),
    next_cursor: { type: ["string", "null"], description: "Null: this was the last page." },
  }),
  ImportAnswer: output("What was committed.", {
    status: OK,
    message: text("What was done."),
    rows_affected: integer("Documents.", COUNT),
    rows_upserted: integer("Documents.", COUNT),
    batches: integer("Writes that they were committed in.", COUNT),
    billing: output("What it counts as.", {
      billable_logical_bytes_written: integer("Bytes that were written.", COUNT),
    }),
    performance: output("How it went.", {
      server_total_ms: integer("Milliseconds on the server.", COUNT),
    }),
  }),
};

function answerWith(name: string, schema: JsonSchema): JsonSchema {
  const members = {
    [name]: schema,
    billing: ref("QueryBilling"),
    performance: ref("QueryPerformance"),
  };
  return { title: name, ...output(`An answer with \`${name}\`.`, members) };
}

function range(description: string): JsonSchema {
  return {
    type: "array",
    items: { type: "integer", minimum: 0 },
    minItems: 2,
    maxItems: 2,
    description: `${description} From the first number up to, and without, the second.`,
  };
}
