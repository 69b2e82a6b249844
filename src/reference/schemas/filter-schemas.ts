/** Schemas of filters: a form for each operator that the parser knows. */

import {
  FUZZY_DISTANCE_MAX,
  PATTERN_CHARS_MAX,
  PATTERN_SIZE_MAX,
  TEXT_QUERY_CHARS_MAX,
} from "../../model/contract-limits.ts";
import { FILTER_OPERATORS, type FilterOperator } from "../../model/filter.ts";
import {
  described,
  flag,
  input,
  integer,
  type JsonSchema,
  type JsonSchemas,
  list,
  ref,
  tuple,
} from "./json-schema.ts";

/** What stands behind an operator, and what the operator needs. */
interface OperatorForm {
  readonly means: string;
  readonly operand: JsonSchema;
  readonly options?: JsonSchema;
  readonly optionsRequired?: boolean;
}

const ATTRIBUTE: JsonSchema = { type: "string", description: "The attribute's name." };
const VALUE = ref("FilterOperand");
const ELEMENT: JsonSchema = {
  description: "One element; not null.",
  anyOf: [{ type: ["string", "number", "boolean"] }, ref("NewValue")],
};
const ELEMENTS: JsonSchema = {
  description: "Values of one type; a single value counts as a list of one.",
  anyOf: [
    { type: "array", items: { type: ["string", "number", "boolean"] } },
    { type: ["string", "number", "boolean"] },
    ref("NewValue"),
  ],
};
const PATTERN: JsonSchema = {
  description: `The pattern, of up to ${PATTERN_CHARS_MAX} characters. All patterns of a request \
have a size of ${PATTERN_SIZE_MAX} at most, of which repeats are a multiple.`,
  anyOf: [{ type: "string" }, ref("NewValue")],
};
const WORDS: JsonSchema = {
  description: `Text of up to ${TEXT_QUERY_CHARS_MAX} characters, or tokens for attributes with \
the tokenizer \`pre_tokenized_array\`.`,
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, ref("NewValue")],
};
const EQUALS = "Needs a filterable attribute; null is an attribute that the document has not.";
const ORDER = "Null sorts below every value, so it is among the lesser ones.";
const TOKENS = "Needs `full_text_search`.";

/** By name, so that the compiler says which operator is missing here. */
const OPERATORS: Readonly<Record<FilterOperator, OperatorForm>> = {
  Eq: { means: `Equal; arrays as a whole. ${EQUALS}`, operand: VALUE },
  NotEq: { means: `Not equal; arrays as a whole. ${EQUALS}`, operand: VALUE },
  In: { means: "In the list; of an array, any element is.", operand: ELEMENTS },
  NotIn: { means: "Not in the list; of an array, no element is.", operand: ELEMENTS },
  Contains: { means: "The array has the element.", operand: ELEMENT },
  NotContains: { means: "The array has not the element, or is not there.", operand: ELEMENT },
  ContainsAny: { means: "The array has any of the elements.", operand: ELEMENTS },
  NotContainsAny: { means: "The array has none of the elements.", operand: ELEMENTS },
  Lt: { means: `Less. ${ORDER}`, operand: VALUE },
  Lte: { means: `Less or equal. ${ORDER}`, operand: VALUE },
  Gt: { means: "Greater.", operand: VALUE },
  Gte: { means: "Greater or equal.", operand: VALUE },
  AnyLt: { means: "Any element of the array is less.", operand: ELEMENT },
  AnyLte: { means: "Any element of the array is less or equal.", operand: ELEMENT },
  AnyGt: { means: "Any element of the array is greater.", operand: ELEMENT },
  AnyGte: { means: "Any element of the array is greater or equal.", operand: ELEMENT },
  Glob: {
    means: "Matches the glob: `*`, `?`, `[a-z]`, `{a,b}`, `**`; of an array, any element does.",
    operand: PATTERN,
  },
  NotGlob: { means: "Does not match the glob.", operand: PATTERN },
  IGlob: { means: "Matches the glob, whatever the case.", operand: PATTERN },
  NotIGlob: { means: "Does not match the glob, whatever the case.", operand: PATTERN },
  Regex: {
    means:
      "Some part matches the regular expression (Rust's syntax, in linear time). Needs `regex`.",
    operand: PATTERN,
  },
  Fuzzy: {
    means: "Some part is the text but for a few edits. Needs `fuzzy`.",
    operand: PATTERN,
    options: ref("FuzzyOptions"),
    optionsRequired: true,
  },
  ContainsAllTokens: {
    means: `The text has all tokens. ${TOKENS}`,
    operand: WORDS,
    options: ref("TokenOptions"),
  },
  ContainsAnyToken: {
    means: `The text has any of the tokens. ${TOKENS}`,
    operand: WORDS,
    options: ref("TokenOptions"),
  },
  ContainsTokenSequence: {
    means: `The text has the tokens one after the other. ${TOKENS}`,
    operand: WORDS,
  },
};

/** Components that say what filters are. */
export const FILTER_SCHEMAS: JsonSchemas = {
  Filter: {
    description:
      "Which documents. `And`, `Or` and `Not` join filters; every other filter is an attribute's " +
      "name, an operator, and what to compare with.",
    anyOf: [
      tuple("And", [{ const: "And" }, list(ref("Filter"), "All must hold.")], "All hold."),
      tuple("Or", [{ const: "Or" }, list(ref("Filter"), "Any must hold.")], "Any holds."),
      tuple("Not", [{ const: "Not" }, ref("Filter")], "Does not hold."),
      ...FILTER_OPERATORS.map(conditionSchema),
    ],
  },
  FilterOperand: {
    description: "A value of the attribute's type, an array of them, or null.",
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      { type: "array", items: { type: ["string", "number", "boolean", "array"] } },
      ref("NewValue"),
    ],
  },
  NewValue: {
    type: "object",
    description:
      "In the conditions of a write: the value that the written document has for an attribute " +
      "(null in `delete_condition`).",
    properties: { $ref_new: { type: "string", description: "The attribute's name." } },
    required: ["$ref_new"],
    additionalProperties: false,
  },
  TokenOptions: input("How tokens are compared.", {
    last_as_prefix: flag("The last token may be the beginning of a longer one.", false),
  }),
  FuzzyOptions: input(
    "How much may differ.",
    {
      max_edit_distance: list(
        input(
          "A threshold.",
          {
            min_query_chars: integer("From so many characters on: at least 3 × (distance + 1)."),
            distance: integer("Edits that are allowed.", {
              minimum: 0,
              maximum: FUZZY_DISTANCE_MAX,
            }),
          },
          ["min_query_chars", "distance"],
        ),
        "That with the greatest `min_query_chars` that the text reaches counts; shorter texts " +
          "match nothing.",
        { minItems: 1 },
      ),
      case_sensitive: flag("Upper and lower case differ.", true),
    },
    ["max_edit_distance"],
  ),
};

function conditionSchema(operator: FilterOperator): JsonSchema {
  const { means, operand, options, optionsRequired = false } = OPERATORS[operator];
  const elements = [ATTRIBUTE, { const: operator }, operand];
  if (options === undefined) return tuple(operator, elements, means);
  if (optionsRequired) return tuple(operator, [...elements, options], means);
  const orAbsent = described({ anyOf: [options, { type: "null" }] }, "Options.");
  return tuple(operator, [...elements, orAbsent], means, 1);
}
