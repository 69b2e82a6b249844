/**
 * The `full_text_search` member of an attribute's declaration: reading what was sent, and
 * completing it with the existing settings or the defaults.
 */

import { invalid } from "../../base/errors.ts";
import { type FullTextOptions, LANGUAGES, TOKENIZERS } from "../../model/full-text-options.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import {
  completeFullTextOptions,
  type NamedFullTextOptions,
  validateFullTextOptions,
} from "../../text/full-text-rules.ts";
import {
  booleanAt,
  countAt,
  memberPath,
  numberAt,
  objectAt,
  present,
  variantAt,
} from "../../wire/json/json-shape.ts";

/** Reads `full_text_search`: a boolean or an object of settings; undefined if it is absent. */
export function parseFullTextDeclaration(
  value: JsonValue | undefined,
  path: string,
): boolean | NamedFullTextOptions | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  const object = objectAt(path, value, "a boolean or a map");
  const read = <T>(name: string, check: (at: string, value: JsonValue) => T) =>
    readMember(object, path, name, check);
  return withoutUndefined({
    tokenizer: read("tokenizer", (at, name) => variantAt(at, name, TOKENIZERS)),
    language: read("language", (at, name) => variantAt(at, name, LANGUAGES)),
    stemming: read("stemming", booleanAt),
    removeStopwords: read("remove_stopwords", booleanAt),
    caseSensitive: read("case_sensitive", booleanAt),
    asciiFolding: read("ascii_folding", booleanAt),
    maxTokenLength: read("max_token_length", countAt),
    k1: read("k1", numberAt),
    b: read("b", numberAt),
    k3: read("k3", numberAt),
  });
}

/** Reads an optional member with a shape check; null counts as absent. */
export function readMember<T>(
  object: JsonObject,
  path: string,
  name: string,
  check: (at: string, value: JsonValue) => T,
): T | undefined {
  const value = present(object, name);
  return value === undefined ? undefined : check(memberPath(path, name), value);
}

/** Completes a declaration: what it does not name keeps its existing setting, or the default. */
export function completeFullText(
  existing: FullTextOptions | undefined,
  declared: true | NamedFullTextOptions,
  attribute: string,
): FullTextOptions {
  const named = declared === true ? {} : declared;
  const options = completeFullTextOptions(named, existing);
  const fault = validateFullTextOptions(options, named);
  if (fault === undefined) return options;
  throw invalid(`💔 invalid full_text_search for attribute '${attribute}': ${fault}`);
}

/** Tells whether two settings give the same terms, so that an index of one serves the other. */
export function sameAnalysis(a: FullTextOptions, b: FullTextOptions): boolean {
  const terms = ({ k1: _k1, b: _b, k3: _k3, ...analysis }: FullTextOptions) => analysis;
  return JSON.stringify(terms(a)) === JSON.stringify(terms(b));
}

type Named = { readonly [K in keyof FullTextOptions]: FullTextOptions[K] | undefined };

function withoutUndefined(options: Named): NamedFullTextOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as NamedFullTextOptions;
}
