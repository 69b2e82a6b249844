/**
 * All operators. Whoever adds one writes its file and adds a line here: planner and executor find
 * an operator by the kind of a node.
 */

import { AGGREGATE_PLAN } from "./aggregate/aggregate-plan.ts";
import { COUNT } from "./aggregate/count.ts";
import { SUM_AGGREGATE } from "./aggregate/sum.ts";
import { AND } from "./filter/and.ts";
import { ARRAY_EQUALS } from "./filter/array-equals.ts";
import { MEMBERSHIP } from "./filter/membership.ts";
import { NOT } from "./filter/not.ts";
import { OR } from "./filter/or.ts";
import { PATTERN } from "./filter/pattern/pattern.ts";
import { PRESENT } from "./filter/present.ts";
import { RANGE } from "./filter/range.ts";
import { REFERENCE } from "./filter/reference.ts";
import { SEQUENCE } from "./filter/sequence.ts";
import { TOKENS } from "./filter/tokens.ts";
import { VECTOR_EQUALS } from "./filter/vector-equals.ts";
import type {
  AggregateOperator,
  ComputedOperator,
  Operators,
  PlanOperator,
  PredicateOperator,
  RankOperator,
  ScoreOperator,
} from "./operator/operator.ts";
import { OperatorRegistry } from "./operator/operator-registry.ts";
import { ORDER_RANK } from "./order/order-rank.ts";
import { COMPUTED_SCORE } from "./project/computed-score.ts";
import { DOCUMENTS_PLAN } from "./project/documents-plan.ts";
import { HIGHLIGHT } from "./project/highlight.ts";
import { VECTOR_DIST } from "./project/vector-dist.ts";
import { ATTRIBUTE } from "./score/attribute.ts";
import { BM25 } from "./score/bm25.ts";
import { DECAY } from "./score/decay.ts";
import { DIST } from "./score/dist.ts";
import { FILTER_SCORE } from "./score/filter-score.ts";
import { FLOOR } from "./score/floor.ts";
import { MAX } from "./score/max.ts";
import { PRODUCT } from "./score/product.ts";
import { SATURATE } from "./score/saturate.ts";
import { SCORE_RANK } from "./score/score-rank.ts";
import { SPARSE } from "./score/sparse.ts";
import { SUM } from "./score/sum.ts";
import { LATE_PROBE } from "./vector/late-probe-rank.ts";
import { VECTOR_PROBE } from "./vector/vector-probe-rank.ts";
import { VECTOR_SCAN } from "./vector/vector-scan-rank.ts";

/** Filters. */
export const PREDICATES = new OperatorRegistry<PredicateOperator>([
  AND,
  OR,
  NOT,
  PRESENT,
  MEMBERSHIP,
  RANGE,
  PATTERN,
  ARRAY_EQUALS,
  VECTOR_EQUALS,
  TOKENS,
  SEQUENCE,
  REFERENCE,
]);

/** Score arithmetic. */
export const SCORES = new OperatorRegistry<ScoreOperator>([
  BM25,
  SPARSE,
  SUM,
  MAX,
  FLOOR,
  PRODUCT,
  ATTRIBUTE,
  DIST,
  SATURATE,
  DECAY,
  FILTER_SCORE,
]);

/** Rankings. */
export const RANKINGS = new OperatorRegistry<RankOperator>([
  ORDER_RANK,
  SCORE_RANK,
  VECTOR_SCAN,
  VECTOR_PROBE,
  LATE_PROBE,
]);

/** Computed members of returned documents. */
export const COMPUTED = new OperatorRegistry<ComputedOperator>([
  VECTOR_DIST,
  COMPUTED_SCORE,
  HIGHLIGHT,
]);

/** Aggregate functions. */
export const AGGREGATES = new OperatorRegistry<AggregateOperator>([COUNT, SUM_AGGREGATE]);

/** Plans as a whole. */
export const PLANS = new OperatorRegistry<PlanOperator>([DOCUMENTS_PLAN, AGGREGATE_PLAN]);

/** The operators of all nodes. */
export const OPERATORS: Operators = {
  predicate: (node) => PREDICATES.of(node),
  score: (node) => SCORES.of(node),
  rank: (node) => RANKINGS.of(node),
  computed: (node) => COMPUTED.of(node),
  aggregate: (node) => AGGREGATES.of(node),
  plan: (plan) => PLANS.of(plan),
};
