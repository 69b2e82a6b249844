/** The operand of full-text operators: checked, and analyzed like the attribute's text. */

import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { AttributeValue } from "../../model/value.ts";
import { type Analyzer, analyzerFor, lastElementPrefix, type Token } from "../../text/analyzer.ts";
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

/**
 * Analyzes a stored value: one list of tokens for each element within which sequences are looked
 * for. The elements of a pre-tokenized attribute are the tokens of a single list.
 */
export function analyzeValue(value: AttributeValue, options: FullTextOptions): Token[][] {
  if (value === null) return [];
  if (typeof value === "string") return [analyzerFor(options).analyze(value)];
  const elements = value as readonly string[];
  if (options.tokenizer === "pre_tokenized_array") return [wholeTokens(elements)];
  const analyzer: Analyzer = analyzerFor(options);
  return elements.map((element) => analyzer.analyze(element));
}

function wholeTokens(elements: readonly string[]): Token[] {
  return elements.map((term, position) => ({ term, position, start: 0, end: term.length }));
}
