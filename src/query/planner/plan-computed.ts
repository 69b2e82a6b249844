/** Plans computed attributes. */

import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import {
  attributeSchema,
  fullTextAttributes,
  unknownAttribute,
} from "../../model/attribute-schema.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type {
  ComputedAttribute,
  DocumentQuery,
  Highlight,
  ScoreExpression,
} from "../../model/query.ts";
import { bindScore, type ScoreScope } from "../bind/bind-score.ts";
import { bindVectorTarget } from "../bind/bind-vector.ts";
import type { ComputedScoreNode } from "../project/computed-score.ts";
import type { HighlightNode } from "../project/highlight.ts";
import type { VectorDistNode } from "../project/vector-dist.ts";

/** Plans one computed attribute of the query, in steps. */
export function* planComputed(
  computed: ComputedAttribute,
  query: DocumentQuery,
  scope: ScoreScope,
): Steps<VectorDistNode | ComputedScoreNode | HighlightNode> {
  switch (computed.kind) {
    case "vector_dist": {
      const { attribute, operand } = computed;
      const target = bindVectorTarget(attribute, operand, "VectorDist", scope);
      return { kind: "vector_dist", target };
    }
    case "score":
      return { kind: "score", score: yield* bindScore(computed.expression, scope) };
    case "highlight": {
      const options = highlightOptions(computed, scope);
      const expression = fragmentRanking(computed, query);
      return {
        kind: "highlight",
        highlight: computed,
        options,
        score: yield* bindScore(expression, scope),
      };
    }
  }
}

function highlightOptions({ attribute }: Highlight, scope: ScoreScope): FullTextOptions {
  const schema = attributeSchema(attribute, scope.schema);
  if (schema === undefined) throw unknownAttribute(attribute, scope.schema, "invalid Highlight");
  const { fullTextSearch } = schema;
  if (fullTextSearch === undefined) {
    const fault = "the attribute needs `full_text_search` in its schema";
    throw highlightFault(attribute, `${fault}; ${fullTextAttributes(scope.schema)}`);
  }
  if (fullTextSearch.tokenizer === "pre_tokenized_array") {
    throw highlightFault(attribute, "the tokenizer pre_tokenized_array is not supported");
  }
  return fullTextSearch;
}

/** The name by which `rank_fragments_by` calls the highlighted attribute. */
const FRAGMENT = "$fragment";

function fragmentRanking(highlight: Highlight, { rankBy }: DocumentQuery): ScoreExpression {
  const { attribute, rankFragmentsBy } = highlight;
  const given = rankFragmentsBy ?? (rankBy.kind === "score" ? rankBy.expression : undefined);
  if (given === undefined) {
    throw highlightFault(
      attribute,
      "the query's rank_by is not a text ranking; give rank_fragments_by",
    );
  }
  const expression = renameFragment(given, attribute);
  if (mentionsText(expression, attribute)) return expression;
  const where = rankFragmentsBy === undefined ? "rank_by" : "rank_fragments_by";
  throw highlightFault(attribute, `${where} has no text clause on the attribute`);
}

function highlightFault(attribute: string, fault: string): DatabaseError {
  return invalid(`💔 cannot highlight attribute "${attribute}": ${fault}`);
}

function renameFragment(expression: ScoreExpression, attribute: string): ScoreExpression {
  switch (expression.kind) {
    case "bm25":
      return expression.attribute === FRAGMENT ? { ...expression, attribute } : expression;
    case "sum":
    case "max":
      return {
        ...expression,
        clauses: expression.clauses.map((clause) => renameFragment(clause, attribute)),
      };
    case "floor":
    case "product":
    case "saturate":
    case "decay":
      return { ...expression, clause: renameFragment(expression.clause, attribute) };
    case "filter": {
      const { filter } = expression;
      const isFragment = filter.kind === "condition" && filter.attribute === FRAGMENT;
      return isFragment ? { ...expression, filter: { ...filter, attribute } } : expression;
    }
    case "sparse":
    case "attribute":
    case "dist":
      return expression;
  }
}

function mentionsText(expression: ScoreExpression, attribute: string): boolean {
  switch (expression.kind) {
    case "bm25":
      return expression.attribute === attribute;
    case "sum":
    case "max":
      return expression.clauses.some((clause) => mentionsText(clause, attribute));
    case "floor":
    case "product":
    case "saturate":
    case "decay":
      return mentionsText(expression.clause, attribute);
    case "filter": {
      const { filter } = expression;
      return (
        filter.kind === "condition" &&
        filter.attribute === attribute &&
        filter.operator.includes("Token")
      );
    }
    case "sparse":
    case "attribute":
    case "dist":
      return false;
  }
}
