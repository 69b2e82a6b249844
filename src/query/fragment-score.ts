/** Score arithmetic over one fragment of a text, as if it were the document. */

import type { Token } from "../text/analyzer.ts";
import { PREFIX_SCORE, termScore } from "../text/bm25.ts";
import { hasSequence, hasTokens } from "./filter-tokens.ts";
import type { Bm25Node, ScoreNode } from "./plan.ts";
import type { Predicate } from "./predicate.ts";
import { decay, saturate } from "./score-curves.ts";

/** Returns a function that tells whether the ranking looks for a term of the attribute. */
export function wantedTerms(node: ScoreNode, attribute: string): (term: string) => boolean {
  const terms = new Set<string>();
  const prefixes: string[] = [];
  const add = (added: Iterable<string>, prefix: string | undefined): void => {
    for (const term of added) terms.add(term);
    if (prefix !== undefined) prefixes.push(prefix);
  };
  collectScore(node, attribute, add);
  return (term) => terms.has(term) || prefixes.some((prefix) => term.startsWith(prefix));
}

/** The fragment's score; undefined if no clause produces it. Only clauses on its text count. */
export function scoreFragment(
  node: ScoreNode,
  attribute: string,
  tokens: readonly Token[],
): number | undefined {
  const each = (clause: ScoreNode): number | undefined => scoreFragment(clause, attribute, tokens);
  const map = (clause: ScoreNode, change: (score: number) => number): number | undefined => {
    const score = each(clause);
    return score === undefined ? undefined : change(score);
  };
  switch (node.kind) {
    case "bm25":
      return node.attribute === attribute ? scoreText(node, tokens) : undefined;
    case "sum":
    case "max": {
      const scores = node.clauses.map(each).filter((score) => score !== undefined);
      if (scores.length === 0) return undefined;
      return node.kind === "max" ? Math.max(...scores) : scores.reduce((a, b) => a + b);
    }
    case "floor":
      return map(node.clause, (score) => Math.max(score, node.floor));
    case "product":
      return map(node.clause, (score) => score * node.weight);
    case "saturate":
      return map(node.clause, (score) => saturate(score, node));
    case "decay":
      return map(node.clause, (score) => decay(score, node));
    case "filter":
      return testFragment(node.predicate, attribute, tokens) ? 1 : undefined;
    case "sparse":
    case "attribute":
    case "dist":
      return undefined;
  }
}

function scoreText(node: Bm25Node, tokens: readonly Token[]): number | undefined {
  const frequencies = new Map<string, number>();
  for (const { term } of tokens) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const { prefix, averageLength, saturation } = node;
  let score: number | undefined;
  for (const { term, weight } of node.terms) {
    const frequency = frequencies.get(term);
    if (frequency === undefined) continue;
    const relativeLength = tokens.length / averageLength;
    score = (score ?? 0) + termScore(weight, frequency, relativeLength, saturation);
  }
  if (prefix !== undefined && tokens.some(({ term }) => term.startsWith(prefix))) {
    score = (score ?? 0) + PREFIX_SCORE;
  }
  return score;
}

function testFragment(predicate: Predicate, attribute: string, tokens: readonly Token[]): boolean {
  if (predicate.kind !== "test" || predicate.attribute !== attribute) return false;
  const { test } = predicate;
  if (test.kind === "tokens") return hasTokens(test, tokens);
  return test.kind === "sequence" && hasSequence(test, tokens);
}

type AddTerms = (terms: Iterable<string>, prefix: string | undefined) => void;

function collectScore(node: ScoreNode, attribute: string, add: AddTerms): void {
  switch (node.kind) {
    case "bm25":
      if (node.attribute !== attribute) return;
      add(
        node.terms.map(({ term }) => term),
        node.prefix,
      );
      return;
    case "sum":
    case "max":
      for (const clause of node.clauses) collectScore(clause, attribute, add);
      return;
    case "floor":
    case "product":
    case "saturate":
    case "decay":
      collectScore(node.clause, attribute, add);
      return;
    case "filter":
      collectTest(node.predicate, attribute, add);
      return;
    case "sparse":
    case "attribute":
    case "dist":
      return;
  }
}

function collectTest(predicate: Predicate, attribute: string, add: AddTerms): void {
  if (predicate.kind !== "test" || predicate.attribute !== attribute) return;
  const { test } = predicate;
  if (test.kind === "tokens") add(test.terms, test.prefix);
  if (test.kind === "sequence") {
    add(
      test.sequence.map(({ term }) => term),
      undefined,
    );
  }
}
