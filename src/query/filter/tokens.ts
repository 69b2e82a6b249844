import type { Steps } from "../../base/steps.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import type { Token } from "../../text/analyzer.ts";
import { andBits, emptyBits, isEmpty, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator, PredicateRun } from "../operator/operator.ts";
import type { AttributeNode } from "./attribute-source.ts";
import { havingAllTerms } from "./having-all-terms.ts";
import { type TokenVisitor, visitTokens } from "./stored-tokens.ts";
import { addTerm, documentNeeds, prefixBits } from "./term-bits.ts";

/** A text has all or any of the terms. Null does not match. */
export interface TokensNode extends AttributeNode {
  readonly kind: "tokens";
  readonly mode: "all" | "any";
  readonly terms: readonly string[];
  /** Counts as one more term: any that starts with it. */
  readonly prefix: string | undefined;
  readonly options: FullTextOptions;
}

/** Filters by terms. */
export const TOKENS: PredicateOperator<TokensNode> = {
  kind: "tokens",
  cost: () => 2,
  grain: () => "segments",

  needs: ({ attribute, terms, prefix }, run) => documentNeeds(attribute, { terms, prefix }, run),

  run: matchTokens,

  *matches({ attribute, options, ...node }, { current }) {
    const found = new TermsFound(node);
    yield* visitTokens(current(attribute), options, found);
    return found.isFound;
  },

  explain: ({ attribute, mode, terms, prefix }, label) => {
    const all = prefix === undefined ? terms : [...terms, `${prefix}*`];
    return [`${label}: ${attribute} has ${mode} of the terms ${all.join(", ")}`];
  },

  fragments: {
    matches: (node, { attribute, matches }) =>
      node.attribute === attribute && hasTokens(node, matches),
    terms: (node, attribute) => (node.attribute === attribute ? [node] : []),
  },
};

function* matchTokens(node: TokensNode, run: PredicateRun): Steps<OrdinalBits> {
  const { attribute, mode, terms, prefix } = node;
  const count = run.view.documentCount;
  const text = run.view.index(TEXT_INDEX, attribute);
  if (text === undefined) return emptyBits(count);
  if (mode === "any") return andBits(yield* havingAnyTerm(text, node, run), run.within);
  const bits = yield* havingAllTerms(text, terms, run);
  if (prefix === undefined || isEmpty(bits)) return bits;
  return andBits(bits, yield* prefixBits(text, prefix, count));
}

function* havingAnyTerm(
  text: TextView,
  { terms, prefix }: TokensNode,
  { view, work }: PredicateRun,
): Steps<OrdinalBits> {
  const count = view.documentCount;
  const bits = prefix === undefined ? emptyBits(count) : yield* prefixBits(text, prefix, count);
  for (const term of terms) {
    work.postingsTouched += addTerm(bits, text, term);
    yield;
  }
  return bits;
}

function hasTokens(
  node: Pick<TokensNode, "mode" | "terms" | "prefix">,
  tokens: readonly Token[],
): boolean {
  const found = new TermsFound(node);
  for (const { term } of tokens) found.add(term);
  return found.isFound;
}

/** Tracks which of the terms were found. */
class TermsFound implements TokenVisitor {
  readonly #node: Pick<TokensNode, "mode" | "terms" | "prefix">;
  readonly #missing: Set<string>;
  #isPrefixMissing: boolean;

  constructor(node: Pick<TokensNode, "mode" | "terms" | "prefix">) {
    this.#node = node;
    this.#missing = new Set(node.terms);
    this.#isPrefixMissing = node.prefix !== undefined;
  }

  get isFound(): boolean {
    const { mode, terms, prefix } = this.#node;
    if (mode === "all") return this.#missing.size === 0 && !this.#isPrefixMissing;
    const isPrefixFound = prefix !== undefined && !this.#isPrefixMissing;
    return this.#missing.size < terms.length || isPrefixFound;
  }

  begin(): void {
    // Terms may be in different elements.
  }

  add(term: string): void {
    this.#missing.delete(term);
    const { prefix } = this.#node;
    if (prefix !== undefined && term.startsWith(prefix)) this.#isPrefixMissing = false;
  }
}
