/** The forms of the bodies of queries: all that is read of them. */

import { ATTRIBUTE_COUNT_MAX } from "../../model/contract-limits.ts";
import { ANY_FORM, type JsonForm, objectForm } from "../json/json-form.ts";
import { EXPRESSION_FORM } from "./expression-forms.ts";

const EXPRESSIONS: JsonForm = { values: EXPRESSION_FORM };

/** Names of attributes; our choice: more than a namespace has. */
const NAMES: JsonForm = { elementsMax: 4 * ATTRIBUTE_COUNT_MAX };

const QUERY_MEMBERS = {
  rank_by: EXPRESSION_FORM,
  top_k: ANY_FORM,
  limit: objectForm({
    total: ANY_FORM,
    per: objectForm({ attributes: NAMES, limit: ANY_FORM }),
  }),
  offset: ANY_FORM,
  filters: EXPRESSION_FORM,
  include_attributes: NAMES,
  exclude_attributes: NAMES,
  compute_attributes: EXPRESSIONS,
  aggregate_by: EXPRESSIONS,
  group_by: { ...NAMES, next: () => EXPRESSIONS },
  distance_metric: ANY_FORM,
};

/** Members that a subquery is refused for; so they are read there, too. */
const ROOT_MEMBERS = {
  consistency: objectForm({ level: ANY_FORM, max_staleness_seconds: ANY_FORM }),
  vector_encoding: ANY_FORM,
  rerank_by: {
    ...EXPRESSION_FORM,
    ...objectForm({ model: ANY_FORM, attribute: ANY_FORM, query: ANY_FORM }),
  },
};

const SUBQUERY_FORM = objectForm({ ...QUERY_MEMBERS, ...ROOT_MEMBERS, queries: ANY_FORM });

const REQUEST_MEMBERS = {
  ...QUERY_MEMBERS,
  ...ROOT_MEMBERS,
  queries: { next: () => SUBQUERY_FORM },
};

/** The body of a query, or of several. */
export const QUERY_FORM: JsonForm = objectForm(REQUEST_MEMBERS);

/** The body of a request to explain them. */
export const EXPLAIN_FORM: JsonForm = objectForm({ ...REQUEST_MEMBERS, analyze: ANY_FORM });

/** The body of a recall measurement. */
export const RECALL_FORM: JsonForm = objectForm({
  num: ANY_FORM,
  top_k: ANY_FORM,
  filters: EXPRESSION_FORM,
  rank_by: EXPRESSION_FORM,
  include_ground_truth: ANY_FORM,
});
