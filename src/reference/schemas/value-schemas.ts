/** Schemas of ids, attribute values and vectors. */

import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import {
  ARRAY_ELEMENTS_MAX,
  ATTRIBUTE_COUNT_MAX,
  ID_BYTES_MAX,
  SPARSE_ENTRIES_MAX,
} from "../../model/contract-limits.ts";
import { described, type JsonSchemas, list, mapOf, ref } from "./json-schema.ts";

const SCALAR = { type: ["string", "number", "boolean"] };

/** Components that say what documents are made of. */
export const VALUE_SCHEMAS: JsonSchemas = {
  Id: {
    type: ["integer", "string"],
    minimum: 0,
    description:
      `The id of a document: an unsigned 64-bit integer, a string of up to ${ID_BYTES_MAX} ` +
      "bytes, or a UUID where the schema declares `id` as `uuid`. A namespace has ids of one type.",
  },
  Vector: {
    description: "A dense vector: numbers, or standard base64 of little-endian float32.",
    anyOf: [
      {
        type: "array",
        items: { type: "number" },
        minItems: 1,
        maxItems: VECTOR_DIMENSIONS_MAX,
      },
      { type: "string", contentEncoding: "base64" },
    ],
  },
  SparseVector: mapOf(
    { type: "number" },
    "A sparse vector: weights by the names of their dimensions, stored as float16.",
    { maxProperties: SPARSE_ENTRIES_MAX },
  ),
  AttributeValue: {
    description:
      "The value of an attribute, in the JSON of its type: `string`, `uuid` and `datetime` (ISO " +
      "8601) as strings, `bytes` as base64, `int`, `uint` and `float` as numbers, `bool`; arrays " +
      "of these; dense vectors as numbers or base64, several of them as a list; sparse vectors " +
      "as an object. Null is no value.",
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      { type: "array", items: SCALAR, maxItems: ARRAY_ELEMENTS_MAX },
      list(ref("Vector"), "Several vectors."),
      ref("SparseVector"),
    ],
  },
  Document: {
    type: "object",
    description: "A document: its `id`, and its attributes by name.",
    properties: { id: ref("Id") },
    required: ["id"],
    maxProperties: ATTRIBUTE_COUNT_MAX + 1,
    additionalProperties: ref("AttributeValue"),
  },
  Columns: {
    type: "object",
    description:
      "Documents by column: `id` has the ids, every other member the values of an attribute in " +
      "the same order. An empty object is an empty operation.",
    properties: { id: list(ref("Id"), "The ids.") },
    additionalProperties: {
      description: "Values; a column of vectors may also be one flat array or one base64 string.",
      anyOf: [list(ref("AttributeValue"), "A value for each id."), { type: "string" }],
    },
  },
  ResultDocument: {
    type: "object",
    description:
      "A document that was found: its id, its score or distance if the ranking has one, the " +
      "attributes that were asked for and that it has, and computed attributes.",
    properties: {
      id: ref("Id"),
      $dist: {
        type: "number",
        description:
          "Distance to the query's vector (lower is better), or the score of the ranking (higher " +
          "is better), as a float32. Absent in an order by attributes.",
      },
    },
    required: ["id"],
    additionalProperties: ref("ResultValue"),
  },
  ResultValue: {
    description: "A value of an attribute, or what was computed.",
    anyOf: [
      ref("AttributeValue"),
      described(list(ref("HighlightFragment"), ""), "The fragments of a highlight."),
    ],
  },
};
