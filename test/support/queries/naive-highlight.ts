/** The slow twin of highlights: the fragments of one value as the documents of a little corpus. */

import { runSteps } from "../../../src/base/steps.ts";
import type { FullTextOptions } from "../../../src/model/full-text-options.ts";
import type { Highlight, ScoreExpression } from "../../../src/model/query.ts";
import type { HighlightFragment } from "../../../src/model/query-result.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue } from "../../../src/model/value.ts";
import { analyzerFor } from "../../../src/text/analyzer.ts";
import { splitFragments } from "../../../src/text/fragments.ts";
import { naiveScore, naiveTerms } from "./naive-score.ts";

/**
 * The fragments that a highlight without offsets shows; `ranking` is over the attribute by its own
 * name. A fragment with a score has a match, and one without has none, as long as every clause is
 * BM25: the ranking may have no others.
 */
export function naiveHighlight(
  { attribute, fragmentBy, fragmentLimit }: Highlight,
  ranking: ScoreExpression,
  { value, schema }: { readonly value: AttributeValue; readonly schema: Schema },
): HighlightFragment[] {
  const options = schema.attributes.get(attribute)?.fullTextSearch as FullTextOptions;
  const elements = (value === null ? [] : [value].flat()) as string[];
  const cut = (text: string): string[] =>
    fragmentBy === "word" ? everyToken(text, options) : fragmentsOf(text, fragmentBy);
  const fragments = elements.flatMap((element, arrayIndex) =>
    cut(element).map((text) => ({ text, arrayIndex })),
  );
  const type = { kind: "scalar", of: "string" } as const;
  const own = { type, filterable: false, fullTextSearch: options };
  const documents = fragments.map(({ text }, i) => ({
    id: BigInt(i),
    attributes: new Map([[attribute, text]]),
  }));
  const corpus = { documents, schema: { ...schema, attributes: new Map([[attribute, own]]) } };
  return fragments
    .map((shown, i) => ({ shown, score: naiveScore(ranking, documents[i], corpus) }))
    .filter(({ shown, score }) => score !== undefined && naiveTerms(shown.text, options).length > 0)
    .sort((a, b) => Number(b.score) - Number(a.score))
    .slice(0, fragmentLimit)
    .map(({ shown }) => (typeof value === "string" ? { text: shown.text } : shown));
}

function fragmentsOf(text: string, fragmentBy: Highlight["fragmentBy"]): string[] {
  const { starts, ends } = runSteps(splitFragments(text, fragmentBy, "word_v4"));
  return Array.from(starts, (start, i) => text.slice(start, ends[i]));
}

/** Every token of the attribute's tokenizer, those included that are no terms. */
function everyToken(text: string, options: FullTextOptions): string[] {
  const all = { ...options, removeStopwords: false, stemming: false, maxTokenLength: 1e9 };
  return analyzerFor(all)
    .analyze(text)
    .map(({ start, end }) => text.slice(start, end));
}
