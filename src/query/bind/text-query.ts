/** The operand of full-text operators: checked, and analyzed like the attribute's text. */

import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { analyzerFor, lastElementPrefix, type Token } from "../../text/analyzer.ts";
import { wholeTokens } from "../filter/stored-tokens.ts";
import { listOperand } from "./operands.ts";

/** An analyzed query. */
export interface TextQuery {
  /** Without the last token if that is a prefix. Positions count dropped tokens too. */
  readonly tokens: readonly Token[];
  /** Start of a term; undefined if the query has no such clause. */
  readonly prefix: string | undefined;
}

/** A text operand: a string, or whole tokens for pre-tokenized attributes. */
export type TextOperand = string | readonly string[];

/** Spells the operand's type for messages. */
export function textOperandType(options: FullTextOptions): "string" | "[]string" {
  return options.tokenizer === "pre_tokenized_array" ? "[]string" : "string";
}

/** The operand if it has the form that the tokenizer asks for. */
export function textOperand(value: JsonValue, options: FullTextOptions): TextOperand | undefined {
  if (options.tokenizer !== "pre_tokenized_array") {
    return typeof value === "string" ? value : undefined;
  }
  const list = listOperand(value);
  return list?.every((element) => typeof element === "string") ? list : undefined;
}

/** Analyzes a query. */
export function analyzeQuery(
  operand: TextOperand,
  options: FullTextOptions,
  lastAsPrefix: "last_as_prefix" | "whole",
): TextQuery {
  if (typeof operand === "string") {
    const analyzer = analyzerFor(options);
    if (lastAsPrefix === "last_as_prefix") return analyzer.lastTokenPrefix(operand);
    return { tokens: analyzer.analyze(operand), prefix: undefined };
  }
  if (lastAsPrefix === "last_as_prefix") return lastElementPrefix(operand);
  return { tokens: wholeTokens(operand), prefix: undefined };
}
