/** The forms of filters, rankings and the other expressions of a query. */

import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import { SPARSE_ENTRIES_MAX } from "../../model/contract-limits.ts";
import { FILTER_OPERATORS } from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { ANY_FORM, type JsonForm, objectForm } from "../json/json-form.ts";
import { tooManyDimensions } from "./parse-vector-operand.ts";

/** An expression, or a list of some: what an element means follows from those before it. */
export const EXPRESSION_FORM: JsonForm = { next: nextInExpression };

const TEXT_OPTIONS = objectForm({ last_as_prefix: ANY_FORM });
const EDIT_DISTANCE = objectForm({ min_query_chars: ANY_FORM, distance: ANY_FORM });
const FUZZY_OPTIONS = objectForm({
  max_edit_distance: { next: () => EDIT_DISTANCE },
  case_sensitive: ANY_FORM,
});
const CURVE_PARAMETERS = objectForm({ midpoint: ANY_FORM, exponent: ANY_FORM });
const EMBED_PARAMETERS = objectForm({ model: ANY_FORM });
const FUSION_OPTIONS = objectForm({ rank_constant: ANY_FORM, weights: ANY_FORM });
const HIGHLIGHT_OPTIONS = objectForm({
  fragment_by: ANY_FORM,
  fragment_limit: ANY_FORM,
  include_offsets: ANY_FORM,
  rank_fragments_by: EXPRESSION_FORM,
});

/** A value or a list of them, of any length. */
const OPERAND: JsonForm = { isList: true };
/** A vector, several of them, or a text to embed. */
const VECTORS: JsonForm = {
  isList: true,
  numbersMax: { count: VECTOR_DIMENSIONS_MAX, refuse: tooManyDimensions },
  next: (before) => (before.length === 2 && before[0] === "Embed" ? EMBED_PARAMETERS : VECTORS),
};

/** A sparse vector; some more entries than it may have, for who counts them. */
const SPARSE_VECTOR: JsonForm = { values: ANY_FORM, valuesMax: 8 * SPARSE_ENTRIES_MAX };

/** What follows a name, by that name. */
type FollowingForms = ReadonlyMap<JsonValue | undefined, readonly JsonForm[]>;

/** By the operator that stands between an attribute's name and an operand. */
const OPERATOR_FORMS: FollowingForms = new Map<JsonValue, readonly JsonForm[]>([
  ...FILTER_OPERATORS.map((name): [JsonValue, readonly JsonForm[]] => [name, [OPERAND]]),
  ["Fuzzy", [ANY_FORM, FUZZY_OPTIONS]],
  ["ContainsAllTokens", [ANY_FORM, TEXT_OPTIONS]],
  ["ContainsAnyToken", [ANY_FORM, TEXT_OPTIONS]],
  ["ContainsTokenSequence", [ANY_FORM]],
  ["BM25", [ANY_FORM, TEXT_OPTIONS]],
  ["ANN", [VECTORS]],
  ["kNN", [VECTORS]],
  ["VectorDist", [VECTORS]],
  ["SparseKNN", [SPARSE_VECTOR]],
]);

/** By the name of a function; what is not here is an expression. */
const FUNCTION_FORMS: FollowingForms = new Map<JsonValue, readonly JsonForm[]>([
  ["Saturate", [EXPRESSION_FORM, CURVE_PARAMETERS]],
  ["Decay", [EXPRESSION_FORM, CURVE_PARAMETERS]],
  ["Highlight", [ANY_FORM, HIGHLIGHT_OPTIONS]],
  ["RRF", [FUSION_OPTIONS]],
]);

function nextInExpression(before: readonly JsonValue[]): JsonForm {
  const [head, operator] = before;
  const ofOperator = OPERATOR_FORMS.get(operator)?.[before.length - 2];
  return ofOperator ?? FUNCTION_FORMS.get(head)?.[before.length - 1] ?? EXPRESSION_FORM;
}
