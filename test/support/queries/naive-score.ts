/** The slow twin of score arithmetic: one document at a time, from plain values. */

import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../../src/model/attribute-type.ts";
import type { FullTextOptions } from "../../../src/model/full-text-options.ts";
import type { JsonValue } from "../../../src/model/json-value.ts";
import type { ScoreExpression } from "../../../src/model/query.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue, SparseVector } from "../../../src/model/value.ts";
import { analyzerFor } from "../../../src/text/analyzer.ts";
import { naiveMatches, naiveOperand, naiveValue } from "./naive-filter.ts";

/** What scores depend on beside the document. */
export interface NaiveCorpus {
  readonly documents: readonly TypedDocument[];
  readonly schema: Schema;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/** The score before rounding; undefined if no clause produces the document. */
export function naiveScore(
  expression: ScoreExpression,
  document: TypedDocument,
  corpus: NaiveCorpus,
): number | undefined {
  const each = (clause: ScoreExpression): number | undefined =>
    naiveScore(clause, document, corpus);
  switch (expression.kind) {
    case "bm25":
      return naiveBm25(expression, document, corpus);
    case "sparse": {
      const vector = naiveValue(document, expression.attribute) as SparseVector | null;
      const shared = [...expression.entries].filter(([name]) => vector?.names.includes(name));
      if (vector === null || shared.length === 0) return undefined;
      return shared.reduce((sum, [name, weight]) => {
        const half = Float16Array.of(weight)[0];
        return sum + vector.weights[vector.names.indexOf(name)] * half;
      }, 0);
    }
    case "sum":
    case "max": {
      if (expression.clauses.every((clause) => each(clause) === undefined)) return undefined;
      const scores = expression.clauses
        .map((clause) => each(clause) ?? naiveOtherwise(clause))
        .filter((score) => score !== undefined);
      return expression.kind === "sum" ? scores.reduce((a, b) => a + b) : Math.max(...scores);
    }
    case "floor":
      return map(each(expression.clause), (score) => Math.max(score, expression.floor));
    case "product":
      return map(each(expression.clause), (score) => score * expression.weight);
    case "attribute": {
      const value = naiveValue(document, expression.attribute);
      return value === null ? undefined : Number(value);
    }
    case "dist":
      return naiveDistance(expression.attribute, expression.origin, document, corpus.schema);
    case "saturate":
    case "decay": {
      return map(each(expression.clause), (score) => curve(expression, score));
    }
    case "filter":
      return naiveMatches(expression.filter, document, corpus.schema) ? 1 : undefined;
  }
}

/** What an expression is to a document that other clauses produce, and it does not. */
export function naiveOtherwise(expression: ScoreExpression): number | undefined {
  switch (expression.kind) {
    case "filter":
      return 0;
    case "sum":
    case "max": {
      const each = expression.clauses.map(naiveOtherwise).filter((score) => score !== undefined);
      if (each.length === 0) return undefined;
      return expression.kind === "sum" ? each.reduce((a, b) => a + b) : Math.max(...each);
    }
    case "floor":
      return map(naiveOtherwise(expression.clause), (score) => Math.max(score, expression.floor));
    case "product":
      return map(naiveOtherwise(expression.clause), (score) => score * expression.weight);
    case "saturate":
    case "decay":
      return map(naiveOtherwise(expression.clause), (score) => curve(expression, score));
    default:
      return undefined;
  }
}

function curve(
  { kind, midpoint, exponent }: Extract<ScoreExpression, { kind: "saturate" | "decay" }>,
  score: number,
): number {
  const x = Math.max(score, 0);
  const at = midpointOf(midpoint);
  return 1 / (1 + (kind === "saturate" ? at / x : x / at) ** exponent);
}

function map(score: number | undefined, change: (score: number) => number): number | undefined {
  return score === undefined ? undefined : change(score);
}

function midpointOf(midpoint: JsonValue): number {
  if (typeof midpoint !== "string") return Number(midpoint);
  const unit = midpoint.replace(/[0-9.]/g, "");
  return Number.parseFloat(midpoint) * UNIT_MS[unit];
}

function naiveDistance(
  attribute: string,
  origin: JsonValue,
  document: TypedDocument,
  schema: Schema,
): number | undefined {
  const value = naiveValue(document, attribute);
  if (value === null) return undefined;
  const from = naiveOperand(origin, schema.attributes.get(attribute)?.type as AttributeType);
  if (typeof value === "number") return Math.abs(value - Number(from));
  const difference = BigInt(value as bigint) - BigInt(from as bigint);
  return Number(difference < 0n ? -difference : difference);
}

/** The terms of a value, all elements together. */
export function naiveTerms(value: AttributeValue, options: FullTextOptions): string[] {
  const elements = (value === null ? [] : [value].flat()) as string[];
  if (options.tokenizer === "pre_tokenized_array") return elements;
  return elements.flatMap((text) =>
    analyzerFor(options)
      .analyze(text)
      .map(({ term }) => term),
  );
}

function naiveBm25(
  { attribute, query, lastAsPrefix }: Extract<ScoreExpression, { kind: "bm25" }>,
  document: TypedDocument,
  { documents, schema }: NaiveCorpus,
): number | undefined {
  const options = schema.attributes.get(attribute)?.fullTextSearch as FullTextOptions;
  const { k1, b, k3 } = options;
  const texts = documents
    .filter((other) => naiveValue(other, attribute) !== null)
    .map((other) => naiveTerms(naiveValue(other, attribute), options));
  const terms = naiveTerms(naiveValue(document, attribute), options);
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const whole = typeof query === "string" ? query : "";
  const { tokens, prefix } = lastAsPrefix
    ? analyzerFor(options).lastTokenPrefix(whole)
    : { tokens: analyzerFor(options).analyze(whole), prefix: undefined };
  const wanted = tokens.map(({ term }) => term);
  let score: number | undefined;
  for (const term of new Set(wanted)) {
    const tf = terms.filter((other) => other === term).length;
    if (tf === 0) continue;
    const df = texts.filter((text) => text.includes(term)).length;
    const qtf = wanted.filter((other) => other === term).length;
    const idf = Math.fround(Math.log(Math.fround(1 + (texts.length - df + 0.5) / (df + 0.5))));
    const norm = k1 * (1 - b + b * (terms.length / average));
    const weight = Math.fround(
      Math.fround(idf * Math.fround(k1 + 1)) * ((qtf * (k3 + 1)) / (qtf + k3)),
    );
    score = (score ?? 0) + Math.fround(weight * Math.fround(tf / Math.fround(tf + norm)));
  }
  if (prefix !== undefined && terms.some((term) => term.startsWith(prefix)))
    score = (score ?? 0) + 1;
  return score;
}
