/** Schemas of the bodies of queries, of one or several, and of requests about them. */

import {
  AGGREGATES_MAX,
  COMPUTED_ATTRIBUTES_MAX,
  GROUP_ATTRIBUTES_MAX,
  HIGHLIGHT_FRAGMENTS_DEFAULT,
  HIGHLIGHT_FRAGMENTS_MAX,
  RERANK_DOCUMENTS_MAX,
  RESULT_NAME_CHARS_MAX,
  RESULT_ROWS_MAX,
  RESULT_WINDOW_END,
  STALENESS_SECONDS_DEFAULT,
  STALENESS_SECONDS_MAX,
  SUBQUERIES_MAX,
  TEXT_QUERY_CHARS_MAX,
} from "../../model/contract-limits.ts";
import { EMBEDDING_MODEL_CHARS_MAX } from "../../wire/json/json-shape.ts";
import { FRAGMENT_UNITS, OFFSET_UNITS } from "../../wire/query/parse-computed.ts";
import { RANK_CONSTANT_DEFAULT } from "../../wire/query/parse-multi-query.ts";
import {
  RECALL_SAMPLES_MAX,
  SAMPLES_DEFAULT,
  TOP_K_DEFAULT,
} from "../../wire/query/parse-recall.ts";
import {
  described,
  flag,
  input,
  integer,
  type JsonSchema,
  type JsonSchemas,
  list,
  mapOf,
  oneOf,
  ref,
  text,
  tuple,
} from "./json-schema.ts";

const RESULT_NAME: JsonSchema = { propertyNames: { maxLength: RESULT_NAME_CHARS_MAX } };

/** What a query has, alone or among others. */
const QUERY_MEMBERS: JsonSchemas = {
  rank_by: described(ref("RankBy"), "What comes first; by default the order of `id`."),
  top_k: integer("Another name of `limit.total`.", { minimum: 0, maximum: RESULT_ROWS_MAX }),
  limit: described(ref("Limit"), "How many documents, or groups; needed with `rank_by`."),
  offset: integer(
    `Documents to skip; needs \`rank_by\`. Together with the limit below ${RESULT_WINDOW_END}.`,
    { minimum: 0, default: 0 },
  ),
  filters: described(ref("Filter"), "Only documents that match."),
  include_attributes: {
    description: "Attributes to return: all, none (beside `id`), or those named.",
    default: false,
    anyOf: [{ type: "boolean" }, { type: "array", items: { type: "string" } }],
  },
  exclude_attributes: list(
    { type: "string" },
    "Return every attribute but these; not beside `include_attributes`.",
  ),
  compute_attributes: mapOf(
    ref("ComputedAttribute"),
    "What to compute for each returned document, by the name that it has in the answer.",
    { maxProperties: COMPUTED_ATTRIBUTES_MAX, ...RESULT_NAME },
  ),
  aggregate_by: mapOf(
    ref("Aggregate"),
    "Count or sum instead of returning documents, by the name in the answer; not beside `rank_by`.",
    { maxProperties: AGGREGATES_MAX, ...RESULT_NAME },
  ),
  group_by: list(
    {
      anyOf: [
        { type: "string" },
        mapOf(
          tuple(
            "ForEachUnique",
            [{ const: "ForEachUnique" }, { type: "string" }],
            "Of an array: a group for each distinct element.",
          ),
          "A group for each element of an array, by the name in the answer.",
          { minProperties: 1, maxProperties: 1, ...RESULT_NAME },
        ),
      ],
    },
    `Aggregate for each distinct value of these attributes. \`limit\` bounds the groups, by \
default ${RESULT_ROWS_MAX}.`,
    { maxItems: GROUP_ATTRIBUTES_MAX },
  ),
  distance_metric: {
    ...text("Deprecated: must be the namespace's metric."),
    deprecated: true,
  },
};

const SHARED_MEMBERS: JsonSchemas = {
  consistency: described(ref("Consistency"), "How new the state is; by default `strong`."),
  vector_encoding: {
    ...oneOf(["float", "base64"], "How vectors are returned; base64 is of little-endian float32."),
    default: "float",
  },
};

const QUERIES = list(
  ref("Subquery"),
  "Several queries over one state of the namespace, instead of the members of one query.",
  { minItems: 1, maxItems: SUBQUERIES_MAX },
);

const REQUEST_MEMBERS: JsonSchemas = {
  ...QUERY_MEMBERS,
  ...SHARED_MEMBERS,
  queries: QUERIES,
  rerank_by: described(ref("Rerank"), "How several rankings become one, or what ranks anew."),
};

/** Components of requests to query. */
export const QUERY_SCHEMAS: JsonSchemas = {
  QueryRequest: input(
    "One query, or several with `queries`: then `limit`, `top_k` and `offset` are " +
      "those of the one " +
      "ranking that `rerank_by` makes, and the other members of a query stand in the subqueries.",
    REQUEST_MEMBERS,
  ),
  ExplainRequest: input("The body of a query, and whether to run it.", {
    ...REQUEST_MEMBERS,
    analyze: flag("Run the query, too, and tell what it cost.", false),
  }),
  Subquery: input("One of several queries.", QUERY_MEMBERS),
  Limit: {
    description:
      "How many documents, or groups. Needed with `rank_by`; a query without a limit " +
      "must aggregate.",
    anyOf: [
      integer("How many.", { minimum: 0, maximum: RESULT_ROWS_MAX }),
      input(
        "How many in all, and for each value of attributes.",
        {
          total: integer("How many in all.", { minimum: 0, maximum: RESULT_ROWS_MAX }),
          per: input(
            "At most so many for each combination of values.",
            {
              attributes: list({ type: "string" }, "Attributes that are returned, too.", {
                minItems: 1,
                maxItems: GROUP_ATTRIBUTES_MAX,
                uniqueItems: true,
              }),
              limit: integer("How many of each; at most `total`.", { minimum: 1 }),
            },
            ["attributes", "limit"],
          ),
        },
        ["total"],
      ),
    ],
  },
  Consistency: input(
    "How new the state is that a query sees.",
    {
      level: {
        ...oneOf(["strong", "eventual"], "`strong` sees every write that was acknowledged before."),
        default: "strong",
      },
      max_staleness_seconds: integer("With `eventual`: how old the state may be.", {
        minimum: 0,
        maximum: STALENESS_SECONDS_MAX,
        default: STALENESS_SECONDS_DEFAULT,
      }),
    },
    ["level"],
  ),
  Rerank: {
    description: "How several rankings become one, or a model that ranks what was found.",
    anyOf: [
      tuple(
        "RRF",
        [{ const: "RRF" }, { anyOf: [ref("FusionOptions"), { type: "null" }] }],
        "Reciprocal rank fusion of at least two queries.",
        1,
      ),
      ref("ModelRerank"),
    ],
  },
  FusionOptions: input("How much the rankings count.", {
    rank_constant: integer("Greater: the first ranks count less.", {
      minimum: 1,
      default: RANK_CONSTANT_DEFAULT,
    }),
    weights: list(
      { type: "number", exclusiveMinimum: 0 },
      "A weight for each query; by default 1.",
    ),
  }),
  ModelRerank: input(
    `A model scores up to ${RERANK_DOCUMENTS_MAX} documents that were found.`,
    {
      model: text("Its name, as the server's settings have it.", EMBEDDING_MODEL_CHARS_MAX),
      attribute: text("The attribute with the text; it must be returned."),
      query: text("What the texts are compared with.", TEXT_QUERY_CHARS_MAX),
    },
    ["model", "attribute", "query"],
  ),
  Aggregate: {
    description: "A number over the documents that match.",
    anyOf: [
      tuple(
        "Count",
        [{ const: "Count" }, { const: "id", deprecated: true }],
        "How many documents.",
        1,
      ),
      tuple("Sum", [{ const: "Sum" }, { type: "string" }], "The sum of a numeric attribute."),
    ],
  },
  ComputedAttribute: {
    description: "Computed for each returned document.",
    anyOf: [
      tuple(
        "VectorDist",
        [
          { type: "string" },
          { const: "VectorDist" },
          {
            anyOf: [ref("Vector"), list(ref("Vector"), "Several vectors.", { minItems: 1 })],
          },
        ],
        "The distance of a vector attribute to a vector; null where there is none.",
      ),
      tuple(
        "Highlight",
        [
          { const: "Highlight" },
          { type: "string", description: "A full-text attribute." },
          { anyOf: [ref("HighlightOptions"), { type: "null" }] },
        ],
        "The fragments of a text that match.",
        1,
      ),
      ref("ScoreExpression"),
    ],
  },
  HighlightOptions: input("Which fragments.", {
    fragment_by: { ...oneOf(FRAGMENT_UNITS, "What a fragment is."), default: "sentence" },
    fragment_limit: integer("How many fragments.", {
      minimum: 1,
      maximum: HIGHLIGHT_FRAGMENTS_MAX,
      default: HIGHLIGHT_FRAGMENTS_DEFAULT,
    }),
    include_offsets: oneOf(OFFSET_UNITS, "Return offsets, counted so; by default none."),
    rank_fragments_by: described(
      ref("ScoreExpression"),
      "What ranks the fragments, as `$fragment` or by the attribute's name; by default the " +
        "ranking of the query.",
    ),
  }),
  RecallRequest: input("What to measure; all members have defaults.", {
    num: integer("Stored vectors that are sampled as queries; 1 with `rank_by`.", {
      minimum: 1,
      maximum: RECALL_SAMPLES_MAX,
      default: SAMPLES_DEFAULT,
    }),
    top_k: integer("Neighbours that are compared.", {
      minimum: 1,
      maximum: RESULT_ROWS_MAX,
      default: TOP_K_DEFAULT,
    }),
    filters: described(ref("Filter"), "Only among documents that match."),
    rank_by: described(ref("RankBy"), "An `ANN` ranking to measure instead of samples."),
    include_ground_truth: flag("Return the exact neighbours, too.", false),
  }),
};
