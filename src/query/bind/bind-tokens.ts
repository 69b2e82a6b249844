/** Filter operators over the terms of full-text attributes. */

import type { TokenOperator } from "../../model/filter.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { MATCH_NONE } from "../filter/or.ts";
import type { SequenceNode } from "../filter/sequence.ts";
import type { TokensNode } from "../filter/tokens.ts";
import type { Predicate } from "../operator/plan.ts";
import type { Subject } from "./bind-comparison.ts";
import { filterFault, typeMismatch } from "./operands.ts";
import { analyzeQuery, textOperand, textOperandType } from "./text-query.ts";

/** What a condition compares with: the operand and the fourth element. */
export interface TokenOperand {
  readonly operand: JsonValue;
  readonly options: JsonValue | undefined;
}

/** Binds a token filter. A query without any token matches nothing. */
export function bindTokens(
  subject: Subject,
  operator: TokenOperator,
  fullText: FullTextOptions,
  { operand, options }: TokenOperand,
): Predicate {
  const { attribute, type } = subject;
  const text = textOperand(operand, fullText);
  if (text === undefined) {
    throw typeMismatch(attribute, operator, textOperandType(fullText), operand);
  }
  if (operator === "ContainsTokenSequence") {
    const { tokens } = analyzeQuery(text, fullText, "whole");
    if (tokens.length === 0) return MATCH_NONE;
    const sequence = tokens.map(({ term, position }) => ({
      term,
      distance: position - tokens[0].position,
    }));
    const node: SequenceNode = { kind: "sequence", attribute, type, sequence, options: fullText };
    return node;
  }
  const isPrefix = lastAsPrefix(attribute, options);
  const query = analyzeQuery(text, fullText, isPrefix ? "last_as_prefix" : "whole");
  const terms = [...new Set(query.tokens.map((token) => token.term))];
  if (terms.length === 0 && query.prefix === undefined) return MATCH_NONE;
  const mode = operator === "ContainsAllTokens" ? "all" : "any";
  const { prefix } = query;
  const node: TokensNode = {
    kind: "tokens",
    attribute,
    type,
    mode,
    terms,
    prefix,
    options: fullText,
  };
  return node;
}

function lastAsPrefix(attribute: string, options: JsonValue | undefined): boolean {
  if (options === undefined) return false;
  const value = options instanceof Map ? (options.get("last_as_prefix") ?? false) : null;
  if (typeof value === "boolean") return value;
  throw filterFault(attribute, "options must be an object {last_as_prefix: true or false}");
}
