/** Schemas of rankings: the forms of `rank_by`, and the expressions that give scores. */

import {
  EMBED_CLAUSES_MAX,
  ORDER_BY_MAX,
  SPARSE_ENTRIES_MAX,
  TEXT_QUERY_CHARS_MAX,
} from "../../model/contract-limits.ts";
import { EMBEDDING_MODEL_CHARS_MAX } from "../../wire/json/json-shape.ts";
import type { RANK_OPERATORS, ScoreFunction } from "../../wire/query/parse-score-expression.ts";
import {
  described,
  input,
  type JsonSchema,
  type JsonSchemas,
  list,
  number,
  ref,
  text,
  tuple,
} from "./json-schema.ts";

const ATTRIBUTE: JsonSchema = { type: "string", description: "The attribute's name." };
const SCORE = ref("ScoreExpression");
const NON_NEGATIVE: JsonSchema = { type: "number", minimum: 0 };

/** What ranks by one operator between an attribute and an operand. */
const BY_OPERATOR: Readonly<Record<(typeof RANK_OPERATORS)[number], JsonSchema>> = {
  ANN: tuple(
    "ANN",
    [ATTRIBUTE, { const: "ANN" }, ref("QueryVector")],
    "Nearest vectors, approximately: by the index. The nearest come first; `$dist` is " +
      "the distance.",
  ),
  kNN: tuple(
    "kNN",
    [ATTRIBUTE, { const: "kNN" }, ref("QueryVector")],
    "Nearest vectors, exactly, among the documents that match `filters`, which it needs.",
  ),
  SparseKNN: tuple(
    "SparseKNN",
    [
      ATTRIBUTE,
      { const: "SparseKNN" },
      described(ref("SparseVector"), `Weights of up to ${SPARSE_ENTRIES_MAX} dimensions.`),
    ],
    "The dot product with a sparse vector; documents that share no dimension are left out.",
  ),
  BM25: tuple(
    "BM25",
    [
      ATTRIBUTE,
      { const: "BM25" },
      {
        description:
          `The query: up to ${TEXT_QUERY_CHARS_MAX} characters, or tokens for attributes with ` +
          "the tokenizer `pre_tokenized_array`.",
        anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
      },
      { anyOf: [ref("TokenOptions"), { type: "null" }] },
    ],
    "How well the text fits the query; documents without any of its terms are left out.",
    1,
  ),
};

/** What a function makes of other scores, or of an attribute's value. */
const BY_FUNCTION: Readonly<Record<ScoreFunction, readonly JsonSchema[]>> = {
  Sum: [
    tuple(
      "Sum",
      [{ const: "Sum" }, list(SCORE, "The scores.", { minItems: 1 })],
      "The scores together; what a document lacks adds nothing.",
    ),
  ],
  Max: [
    tuple(
      "Max",
      [
        { const: "Max" },
        list({ anyOf: [NON_NEGATIVE, SCORE] }, "Scores and at most one number.", { minItems: 1 }),
      ],
      "The greatest of the scores; a number among them is a floor.",
    ),
    tuple("Max of two", [{ const: "Max" }, NON_NEGATIVE, SCORE], "The score, at least the floor."),
    tuple("Max of two", [{ const: "Max" }, SCORE, SCORE], "The greater of two scores."),
    tuple("Max of two", [{ const: "Max" }, SCORE, NON_NEGATIVE], "The score, at least the floor."),
  ],
  Product: [
    tuple("Product", [{ const: "Product" }, NON_NEGATIVE, SCORE], "The score times a weight."),
    tuple("Product", [{ const: "Product" }, SCORE, NON_NEGATIVE], "The score times a weight."),
  ],
  Attribute: [
    tuple(
      "Attribute",
      [{ const: "Attribute" }, ATTRIBUTE],
      "The value of a numeric attribute. Types that may be negative only within `Dist`, " +
        "`Saturate`, `Decay`, or a `Max` with a floor.",
    ),
  ],
  Dist: [
    tuple(
      "Dist",
      [
        { const: "Dist" },
        tuple("Attribute", [{ const: "Attribute" }, ATTRIBUTE], "Whose value."),
        { type: ["number", "string"], description: "The origin: a number, or a time (ISO 8601)." },
      ],
      "How far the value is from an origin (milliseconds for times); the farthest come first.",
    ),
  ],
  Saturate: [
    tuple(
      "Saturate",
      [{ const: "Saturate" }, SCORE, ref("CurveParameters")],
      "Rises from 0 to 1 with the score, and is one half at the midpoint.",
    ),
  ],
  Decay: [
    tuple(
      "Decay",
      [{ const: "Decay" }, SCORE, ref("CurveParameters")],
      "Falls from 1 to 0 with the score, and is one half at the midpoint.",
    ),
  ],
};

/** Components that say what rankings are. */
export const RANK_SCHEMAS: JsonSchemas = {
  RankBy: {
    description:
      "What comes first. A vector ranking stands alone; an order has no score; " +
      "everything else is " +
      "a score, the highest first, and documents whose score is zero are left out. Ties come in " +
      "the order of `id`.",
    anyOf: [
      BY_OPERATOR.ANN,
      BY_OPERATOR.kNN,
      ref("Order"),
      list(ref("Order"), `Orders: up to ${ORDER_BY_MAX}, the first counts most.`, {
        title: "Orders",
        minItems: 1,
        maxItems: ORDER_BY_MAX,
      }),
      SCORE,
    ],
  },
  Order: tuple(
    "Order",
    [ATTRIBUTE, { enum: ["asc", "desc"], description: "Upwards or downwards." }],
    "By the values of an attribute that has one value for each document.",
  ),
  ScoreExpression: {
    description: "A score for each document; a filter gives 1 where it holds.",
    anyOf: [
      BY_OPERATOR.BM25,
      BY_OPERATOR.SparseKNN,
      ...Object.values(BY_FUNCTION).flat(),
      ref("Filter"),
    ],
  },
  CurveParameters: input(
    "The form of a curve.",
    {
      midpoint: {
        description:
          "Where the curve is at one half: a number above 0, or for times a duration " +
          "such as `7d` " +
          "(`ms`, `s`, `m`, `h`, `d`, `w`).",
        anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "string" }],
      },
      exponent: number("How steep the curve is.", { exclusiveMinimum: 0, default: 1 }),
    },
    ["midpoint"],
  ),
  QueryVector: {
    description:
      "The query's vector; several of them for attributes with late interaction; or a text that " +
      "the server embeds.",
    anyOf: [ref("Vector"), list(ref("Vector"), "Several vectors.", { minItems: 1 }), ref("Embed")],
  },
  Embed: tuple(
    "Embed",
    [
      { const: "Embed" },
      { type: "string", description: "The text." },
      { anyOf: [ref("EmbedParameters"), { type: "null" }] },
    ],
    "The embedding of a text. On an attribute with `embed` its model is taken; on a vector " +
      `attribute the model must be named. Up to ${EMBED_CLAUSES_MAX} in one request.`,
    1,
  ),
  EmbedParameters: input("How to embed.", {
    model: text("The model, as in schemas.", EMBEDDING_MODEL_CHARS_MAX),
  }),
};
