/** `rank_by`: nearest vectors, order by attributes, or a score expression. */

import { clip } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import { ORDER_BY_MAX } from "../../model/contract-limits.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { OrderRank, RankBy } from "../../model/query.ts";
import { elementsOf } from "../json/json-shape.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import {
  isFunction,
  isOperator,
  parseScoreExpression,
  rankInputError,
} from "./parse-score-expression.ts";
import { parseVectorOperand } from "./parse-vector-operand.ts";

/** The ranking of a query that only has filters: by id. */
export const RANK_BY_ID: OrderRank = {
  kind: "order",
  keys: [{ attribute: "id", direction: "asc" }],
};

/** Reads a ranking. */
export function parseRankBy(path: string, value: JsonValue, budget: ExpressionBudget): RankBy {
  const elements = elementsOf(value);
  if (elements === undefined) {
    throw rankInputError(path, 'expected an array such as ["vector", "ANN", […]]');
  }
  if (elements.length === 0) throw invalid(`💔 ${path} cannot be empty`);
  const [head, second] = elements;
  if (typeof head !== "string") return parseOrders(path, elements);
  if (second === "ANN" || second === "kNN") {
    if (elements.length !== 3) throw rankInputError(path, `${second} expects one vector`);
    const operand = parseVectorOperand(`${path}[2]`, elements[2], budget);
    return { kind: "vector", method: second, attribute: head, operand };
  }
  if (isDirection(second) && elements.length === 2 && head !== "Attribute") {
    return { kind: "order", keys: [{ attribute: head, direction: second }] };
  }
  if (isMisspeltOrder(elements)) throw directionError(path, second);
  return { kind: "score", expression: parseScoreExpression(path, value, budget) };
}

/** `["price", "up"]`: no expression has two names, but for that of an attribute's value. */
function isMisspeltOrder(elements: readonly JsonValue[]): boolean {
  const [head, second] = elements;
  const isName = typeof second === "string" && !isOperator(second);
  return elements.length === 2 && isName && !isFunction(head);
}

function parseOrders(path: string, elements: readonly JsonValue[]): OrderRank {
  if (elements.length > ORDER_BY_MAX) {
    throw invalid(
      `💔 ${path}: can order by at most ${ORDER_BY_MAX} attributes, got ${elements.length}`,
    );
  }
  const keys = elements.map((element, i) => parseOrder(`${path}[${i}]`, element));
  return { kind: "order", keys };
}

function parseOrder(path: string, value: JsonValue): OrderRank["keys"][number] {
  const pair = elementsOf(value);
  if (pair === undefined || pair.length !== 2 || typeof pair[0] !== "string") {
    throw rankInputError(path, 'expected ["attribute", "asc"] or ["attribute", "desc"]');
  }
  const [attribute, direction] = pair;
  if (isDirection(direction)) return { attribute, direction };
  throw directionError(path, direction);
}

function directionError(path: string, direction: JsonValue): DatabaseError {
  const got = typeof direction === "string" ? `"${clip(direction)}"` : "something else";
  return rankInputError(`${path}[1]`, `expected "asc" or "desc", got ${got}`);
}

function isDirection(value: JsonValue | undefined): value is "asc" | "desc" {
  return value === "asc" || value === "desc";
}
