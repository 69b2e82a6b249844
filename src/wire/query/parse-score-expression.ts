/** Rank expressions that give a score: text, sparse vectors, filters, and arithmetic over them. */

import { clip } from "../../base/bounded-text.ts";
import { type DatabaseError, invalid, malformed } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import { SPARSE_ENTRIES_MAX } from "../../model/contract-limits.ts";
import { FILTER_OPERATORS } from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { ScoreExpression } from "../../model/query.ts";
import {
  didYouMean,
  elementsOf,
  isNumber,
  memberPath,
  missingMember,
  numberAt,
  objectAt,
  stringAt,
  wrongType,
} from "../json/json-shape.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import {
  checkTextLength,
  isFilterCombinator,
  isFilterOperator,
  parseFilter,
} from "./parse-filter.ts";

/** Operators between an attribute and an operand that only rank expressions have. */
export const RANK_OPERATORS = ["ANN", "kNN", "SparseKNN", "BM25"] as const;
const RANK_INPUT = "data did not match any variant of enum a valid variant of RankInput";

/** An expression that is being read. */
interface ExpressionCall {
  readonly path: string;
  readonly elements: readonly JsonValue[];
  readonly budget: ExpressionBudget;
}

type Parser = (
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
) => ScoreExpression;

const FUNCTIONS = {
  Sum: parseSum,
  Max: parseMax,
  Product: parseProduct,
  Attribute: parseAttribute,
  Dist: parseDist,
  Saturate: (path, elements, budget) => parseCurve("saturate", { path, elements, budget }),
  Decay: (path, elements, budget) => parseCurve("decay", { path, elements, budget }),
} satisfies Readonly<Record<string, Parser>>;

/** A function that expressions may begin with. */
export type ScoreFunction = keyof typeof FUNCTIONS;

/** Reads a score expression of any kind, filters included. */
export function parseScoreExpression(
  path: string,
  value: JsonValue,
  budget: ExpressionBudget,
): ScoreExpression {
  const elements = elementsOf(value);
  if (elements === undefined || elements.length === 0) {
    throw rankInputError(path, "expected an expression");
  }
  budget.enter(path);
  const expression = parseNode(path, elements, budget);
  budget.leave();
  return expression;
}

/** Tells whether expressions may begin with the name as a function. */
export function isFunction(name: JsonValue): name is ScoreFunction {
  return typeof name === "string" && Object.hasOwn(FUNCTIONS, name);
}

/** The contract's error for what is no rank expression; `hint` says what would be one. */
export function rankInputError(path: string, hint: string): DatabaseError {
  return malformed(path, `${RANK_INPUT}: ${hint}`);
}

function parseNode(
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
): ScoreExpression {
  const [head, second] = elements;
  if (typeof head !== "string") throw rankInputError(path, "expected a name as the first element");
  const call: Parser | undefined = isFunction(head) ? FUNCTIONS[head] : undefined;
  // `["Sum", "BM25", …]` ranks by an attribute that happens to have a function's name.
  const named = isOperator(second) && (head !== "Attribute" || elements.length > 2);
  if (call && !named) return call(path, elements, budget);

  if (isFilterCombinator(elements) || isFilterOperator(second)) {
    return { kind: "filter", filter: parseFilter(path, [...elements], budget) };
  }
  if (second === "BM25") return parseBm25(path, head, elements);
  if (second === "SparseKNN") return parseSparse({ path, elements, budget }, head);
  if (second === "ANN" || second === "kNN") {
    throw invalid(
      `💔 ${path}: ${second} cannot be part of another expression; send a multi-query with ` +
        "rerank_by to combine rankings",
    );
  }
  throw unknownName(path, elements);
}

/** Says what of an expression without a known operator or function was probably meant. */
function unknownName(path: string, elements: readonly JsonValue[]): DatabaseError {
  const head = elements[0] as string;
  const second = elements[1];
  if (second === "asc" || second === "desc") {
    const order = `["${clip(head)}", "${second}"]`;
    return rankInputError(path, `an order stands alone, as in ${order}, and gives no score`);
  }
  const names = [...Object.keys(FUNCTIONS), "And", "Or", "Not"];
  if (typeof second !== "string" || similarName(clip(head), names) !== undefined) {
    return rankInputError(path, `unknown function "${clip(head)}"${didYouMean(head, names)}`);
  }
  const operators = [...RANK_OPERATORS, "asc", "desc", ...FILTER_OPERATORS];
  const hint = didYouMean(second, operators);
  return rankInputError(`${path}[1]`, `unknown operator "${clip(second)}"${hint}`);
}

/** Tells whether the second element of an expression makes the first an attribute's name. */
export function isOperator(name: JsonValue | undefined): boolean {
  const names: readonly JsonValue[] = RANK_OPERATORS;
  return (
    name === "asc" || name === "desc" || isFilterOperator(name) || names.includes(name ?? null)
  );
}

function parseBm25(path: string, attribute: string, elements: readonly JsonValue[]) {
  if (elements.length < 3) throw rankInputError(path, "BM25 expects a query");
  if (elements.length > 4) throw rankInputError(path, "BM25 takes a query and options");
  const query = elements[2];
  checkTextLength(`${path}[2]`, query);
  const options = elements[3] ?? new Map<string, JsonValue>();
  const lastAsPrefix = objectAt(`${path}[3]`, options).get("last_as_prefix") ?? false;
  if (typeof lastAsPrefix !== "boolean") {
    throw invalid(`💔 ${path}[3]: \`last_as_prefix\` must be true or false`);
  }
  return { kind: "bm25", attribute, query, lastAsPrefix } as const;
}

function parseSparse({ path, elements, budget }: ExpressionCall, attribute: string) {
  if (elements.length !== 3) throw rankInputError(path, "SparseKNN expects one operand");
  const weights = objectAt(`${path}[2]`, elements[2], "a map from dimension names to numbers");
  if (weights.size > SPARSE_ENTRIES_MAX) {
    throw invalid(
      `💔 ${path}[2]: a sparse vector has at most ${SPARSE_ENTRIES_MAX} entries, ` +
        `got ${weights.size}`,
    );
  }
  budget.addEntries(`${path}[2]`, weights.size);
  const entries = new Map<string, number>();
  for (const [name, weight] of weights) {
    // A path takes longer to make than all else.
    const number = isNumber(weight)
      ? Number(weight)
      : numberAt(memberPath(`${path}[2]`, name), weight);
    entries.set(name, number);
  }
  return { kind: "sparse", attribute, entries } as const;
}

function parseSum(
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
): ScoreExpression {
  const parts = elements.length === 2 ? elementsOf(elements[1]) : undefined;
  if (parts === undefined || typeof parts[0] === "string") {
    throw rankInputError(path, 'expected ["Sum", [expression, …]]');
  }
  if (parts.length === 0) throw invalid(`💔 ${path}[1]: Sum needs at least one expression`);
  const clauses = parts.map((part, i) => {
    const place = `${path}[1][${i}]`;
    if (isNumber(part)) throw invalid(`💔 ${place}: a number cannot be part of Sum`);
    return parseScoreExpression(place, part, budget);
  });
  return { kind: "sum", clauses };
}

/** `["Max", [c, …]]`, `["Max", [floor, c, …]]` or `["Max", floor, c]`. */
function parseMax(
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
): ScoreExpression {
  const listed = elements.length === 2;
  const parts = listed ? elementsOf(elements[1]) : elements.slice(1);
  if (parts === undefined || elements.length > 3 || typeof parts[0] === "string") {
    throw rankInputError(path, 'expected ["Max", [expression, …]] or ["Max", 0, expression]');
  }
  const place = (i: number) => (listed ? `${path}[1][${i}]` : `${path}[${i + 1}]`);
  const clauses: ScoreExpression[] = [];
  let floor: number | undefined;
  for (const [i, part] of parts.entries()) {
    if (!isNumber(part)) {
      clauses.push(parseScoreExpression(place(i), part, budget));
      continue;
    }
    if (floor !== undefined) throw invalid(`💔 ${place(i)}: Max takes at most one number`);
    floor = nonNegative(place(i), part);
  }
  if (clauses.length === 0) throw invalid(`💔 ${path}: Max needs at least one expression`);
  const clause: ScoreExpression =
    clauses.length === 1 && floor !== undefined ? clauses[0] : { kind: "max", clauses };
  return floor === undefined ? clause : { kind: "floor", floor, clause };
}

function parseProduct(
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
): ScoreExpression {
  if (elements.length !== 3) {
    throw rankInputError(path, 'expected ["Product", weight, expression]');
  }
  const weightAt = isNumber(elements[1]) ? 1 : 2;
  const weight = elements[weightAt];
  const clause = elements[3 - weightAt];
  if (!isNumber(weight) || isNumber(clause)) {
    throw invalid(`💔 ${path}: Product takes one number and one expression`);
  }
  return {
    kind: "product",
    weight: nonNegative(`${path}[${weightAt}]`, weight),
    clause: parseScoreExpression(`${path}[${3 - weightAt}]`, clause, budget),
  };
}

function nonNegative(path: string, value: number | bigint): number {
  if (value >= 0) return Number(value);
  throw invalid(`💔 ${path}: must be a non-negative number, got ${value}`);
}

function parseAttribute(path: string, elements: readonly JsonValue[]): ScoreExpression {
  if (elements.length !== 2) throw rankInputError(path, 'expected ["Attribute", name]');
  return { kind: "attribute", attribute: stringAt(`${path}[1]`, elements[1]) };
}

function parseDist(path: string, elements: readonly JsonValue[]): ScoreExpression {
  const of = elements.length === 3 ? elementsOf(elements[1]) : undefined;
  if (of === undefined || of.length !== 2 || of[0] !== "Attribute") {
    throw rankInputError(path, 'expected ["Dist", ["Attribute", name], origin]');
  }
  const origin = elements[2];
  if (!isNumber(origin) && typeof origin !== "string") {
    throw wrongType(`${path}[2]`, origin, "a number or a datetime");
  }
  return { kind: "dist", attribute: stringAt(`${path}[1][1]`, of[1]), origin };
}

function parseCurve(kind: "saturate" | "decay", call: ExpressionCall): ScoreExpression {
  const { path, elements, budget } = call;
  if (elements.length !== 3) {
    throw rankInputError(path, `expected ["${elements[0]}", expression, {"midpoint": number}]`);
  }
  const clause = parseScoreExpression(`${path}[1]`, elements[1], budget);
  const parameters = objectAt(`${path}[2]`, elements[2]);
  const midpoint = parameters.get("midpoint") ?? undefined;
  if (midpoint === undefined) throw missingMember(`${path}[2]`, "midpoint");
  if (!isNumber(midpoint) && typeof midpoint !== "string") {
    throw wrongType(`${path}[2].midpoint`, midpoint, 'a number or a duration such as "7d"');
  }
  if (isNumber(midpoint)) positive(`${path}[2].midpoint`, midpoint);
  const exponent = parameters.get("exponent") ?? 1;
  return {
    kind,
    clause,
    midpoint,
    exponent: positive(`${path}[2].exponent`, numberAt(`${path}[2].exponent`, exponent)),
  };
}

function positive(path: string, value: number | bigint): number {
  if (value > 0) return Number(value);
  throw invalid(`💔 ${path}: must be greater than 0, got ${value}`);
}
