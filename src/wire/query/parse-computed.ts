/** `compute_attributes`: members of the answer that are computed for each returned document. */

import { clip } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import {
  COMPUTED_ATTRIBUTES_MAX,
  HIGHLIGHT_FRAGMENTS_DEFAULT,
  HIGHLIGHT_FRAGMENTS_MAX,
} from "../../model/contract-limits.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { ComputedAttribute, Highlight } from "../../model/query.ts";
import {
  checkResultName,
  countAt,
  elementsOf,
  memberPath,
  objectAt,
  stringAt,
  variantAt,
} from "../json/json-shape.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import { isOperator, parseScoreExpression } from "./parse-score-expression.ts";
import { parseVectors } from "./parse-vector-operand.ts";

/** What a value is cut into for highlights. */
export const FRAGMENT_UNITS = ["word", "sentence", "paragraph", "none"] as const;
/** What the offsets of highlights count. */
export const OFFSET_UNITS = ["utf-8", "utf-16", "codepoints"] as const;

/** Reads the computed attributes, by response name. */
export function parseComputed(
  path: string,
  value: JsonValue,
  budget: ExpressionBudget,
): Map<string, ComputedAttribute> {
  const members = objectAt(path, value);
  if (members.size > COMPUTED_ATTRIBUTES_MAX) {
    throw invalid(
      `💔 ${path}: at most ${COMPUTED_ATTRIBUTES_MAX} computed attributes, got ${members.size}`,
    );
  }
  const computed = new Map<string, ComputedAttribute>();
  for (const [name, expression] of members) {
    const place = memberPath(path, name);
    checkResultName(place, name);
    if (name === "id" || name === "$dist") {
      throw invalid(`💔 ${place}: a computed attribute cannot be named \`${name}\``);
    }
    computed.set(name, parseOne(place, expression, budget));
  }
  return computed;
}

function parseOne(path: string, value: JsonValue, budget: ExpressionBudget): ComputedAttribute {
  const elements = elementsOf(value) ?? [];
  const [head, second] = elements;
  if (typeof head === "string" && second === "VectorDist") {
    if (elements.length !== 3) throw malformed(path, "VectorDist expects one vector");
    const operand = parseVectors(`${path}[2]`, elements[2]);
    return { kind: "vector_dist", attribute: head, operand };
  }
  // `["Highlight", "BM25", "query"]` scores an attribute of that name.
  if (typeof head === "string" && !isOperator(second)) {
    if (head === "Highlight") return parseHighlight(path, elements, budget);
    if (similarName(clip(head), ["Highlight"]) !== undefined) {
      throw malformed(path, `unknown function "${clip(head)}", did you mean "Highlight"?`);
    }
  }
  return { kind: "score", expression: parseScoreExpression(path, value, budget) };
}

function parseHighlight(
  path: string,
  elements: readonly JsonValue[],
  budget: ExpressionBudget,
): Highlight {
  if (elements.length < 2 || elements.length > 3) {
    throw malformed(path, 'expected ["Highlight", attribute, options]');
  }
  const place = `${path}[2]`;
  const options = objectAt(place, elements[2] ?? new Map<string, JsonValue>());
  const option = (name: string) => options.get(name) ?? undefined;
  const fragmentBy = option("fragment_by");
  const offsets = option("include_offsets");
  const rank = option("rank_fragments_by");
  return {
    kind: "highlight",
    attribute: stringAt(`${path}[1]`, elements[1]),
    fragmentBy:
      fragmentBy === undefined
        ? "sentence"
        : variantAt(`${place}.fragment_by`, fragmentBy, FRAGMENT_UNITS),
    fragmentLimit: parseFragmentLimit(`${place}.fragment_limit`, option("fragment_limit")),
    offsets:
      offsets === undefined
        ? undefined
        : variantAt(`${place}.include_offsets`, offsets, OFFSET_UNITS),
    rankFragmentsBy:
      rank === undefined
        ? undefined
        : parseScoreExpression(`${place}.rank_fragments_by`, rank, budget),
  };
}

function parseFragmentLimit(path: string, value: JsonValue | undefined): number {
  if (value === undefined) return HIGHLIGHT_FRAGMENTS_DEFAULT;
  if (typeof value === "bigint" && (value < 1n || value > BigInt(HIGHLIGHT_FRAGMENTS_MAX))) {
    throw invalid(
      `💔 ${path} must be between 1 and ${HIGHLIGHT_FRAGMENTS_MAX}, got ${clip(String(value))}`,
    );
  }
  return countAt(path, value);
}
