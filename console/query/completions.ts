/** What may be typed at a place of a request: names of members, attributes, operators, values. */

import type { CursorPlace, OpenValue } from "./cursor-place.ts";
import { filterAttributes, operatorsOf, operatorWords } from "./filter-operators.ts";
import {
  groupAttributes,
  nearAttributes,
  orderAttributes,
  type RequestAttribute,
  type RequestSchema,
  sparseAttributes,
  stringAttributes,
  sumAttributes,
  textAttributes,
} from "./request-schema.ts";

/** One thing that may be typed. */
export interface Completion {
  /** As the JSON has it: strings in quotes. */
  readonly text: string;
  /** What people look for: the string itself. */
  readonly label: string;
  /** A few words about it. */
  readonly detail: string;
}

/** The completions at a place, the most likely first; empty where anything may be typed. */
export function completionsAt(place: CursorPlace, schema: RequestSchema): Completion[] {
  if (place.role === "name") return nameCompletions(place.open);
  return valueCompletions(place.open, schema);
}

/** Members of a query, and what they are. */
const QUERY_MEMBERS = {
  rank_by: "how documents are ranked",
  filters: "which documents count",
  top_k: "how many come back",
  limit: "the same, and limits by attribute",
  offset: "how many of the first are skipped",
  include_attributes: "which attributes come back",
  exclude_attributes: "all but these come back",
  compute_attributes: "scores, distances, highlights",
  aggregate_by: "counts and sums",
  group_by: "a result for each value",
};
const ROOT_MEMBERS = {
  ...QUERY_MEMBERS,
  queries: "several queries at once",
  rerank_by: "how several are fused, or a model",
  consistency: "strong or eventual",
  vector_encoding: "float or base64",
};

/** Members of objects by the place that they stand at. */
function nameCompletions(open: readonly OpenValue[]): Completion[] {
  const [root, ...inner] = open;
  const object = open[open.length - 1];
  const members = membersAt(root, inner);
  const names = Object.entries(members).filter(([name]) => !object.names.includes(name));
  return names.map(([name, detail]) => string(name, detail));
}

function membersAt(root: OpenValue, inner: readonly OpenValue[]): Readonly<Record<string, string>> {
  if (inner.length === 0) return ROOT_MEMBERS;
  if (root.member === "queries") return inner.length === 2 ? QUERY_MEMBERS : optionMembers(inner);
  if (root.member === "limit") {
    return inner.length === 1
      ? { total: "how many come back", per: "how many for each value" }
      : { attributes: "by whose values", limit: "how many for each" };
  }
  if (root.member === "rerank_by" && inner.length === 1 && inner[0]?.kind === "object") {
    return {
      model: "one that the server has",
      attribute: "whose texts it reads",
      query: "what they are scored against",
    };
  }
  if (root.member === "consistency") {
    return { level: "strong or eventual", max_staleness_seconds: "how old it may be" };
  }
  return optionMembers(inner);
}

/** Options that are the last element of an expression. */
function optionMembers(inner: readonly OpenValue[]): Readonly<Record<string, string>> {
  const array = inner.findLast(({ kind }) => kind === "array");
  const [head, operator] = array?.before ?? [];
  if (operator === "Fuzzy") {
    const isThreshold = inner[inner.length - 2]?.kind === "array" && array?.before.length === 0;
    if (!isThreshold) return { max_edit_distance: "edits by length", case_sensitive: "" };
  }
  if (operator === "BM25" || /^Contains/.test(operator ?? "")) {
    return { last_as_prefix: "the last word may be the beginning of one" };
  }
  if (head === "RRF") return { rank_constant: "60", weights: "one for each query" };
  if (head === "Embed") return { model: "name of a model" };
  if (head === "Saturate" || head === "Decay") {
    return { midpoint: "where the result is one half", exponent: "1" };
  }
  if (head === "Highlight") {
    return {
      fragment_by: "sentence, paragraph, word or none",
      fragment_limit: "3",
      include_offsets: "utf-8, utf-16 or codepoints",
      rank_fragments_by: "an expression over $fragment",
    };
  }
  return array?.before.length === 0 && inner.some(({ member }) => member === "max_edit_distance")
    ? { min_query_chars: "from this length", distance: "edits that are forgiven" }
    : {};
}

function valueCompletions(open: readonly OpenValue[], schema: RequestSchema): Completion[] {
  const query = open[0]?.member === "queries" ? open[2] : open[0];
  const innermost = open[open.length - 1];
  if (innermost === undefined || query === undefined) return [];
  if (innermost.kind === "object") {
    const isReranked = open[0]?.member === "rerank_by" && innermost.member === "attribute";
    return isReranked ? attributes(stringAttributes(schema)) : memberValues(innermost.member);
  }
  const before = innermost.before;
  switch (query.member) {
    case "filters":
      return filterElements(before, schema);
    case "rank_by":
      return rankElements(before, schema);
    case "compute_attributes":
      return before[0] === "Highlight" && before.length === 1
        ? attributes(textAttributes(schema))
        : rankElements(before, schema, ["Highlight"]);
    case "aggregate_by":
      if (before.length === 0) return [string("Count", "documents"), string("Sum", "of values")];
      return before[0] === "Sum" ? attributes(sumAttributes(schema)) : [];
    case "group_by":
      return attributes(groupAttributes(schema).filter(({ type }) => type?.kind === "scalar"));
    case "include_attributes":
    case "exclude_attributes":
    case "limit":
      return attributes([...schema.values()].filter(({ name }) => !before.includes(name)));
    case "rerank_by":
      return before.length === 0 ? [string("RRF", "reciprocal rank fusion")] : [];
    default:
      return [];
  }
}

/** Values of members that have few. */
function memberValues(member: string | undefined): Completion[] {
  const strings: Readonly<Record<string, readonly string[]>> = {
    level: ["strong", "eventual"],
    vector_encoding: ["float", "base64"],
    fragment_by: ["sentence", "paragraph", "word", "none"],
    include_offsets: ["utf-16", "utf-8", "codepoints"],
  };
  const flags = ["include_attributes", "last_as_prefix", "case_sensitive"];
  if (member !== undefined && flags.includes(member)) {
    return ["true", "false"].map((text) => ({ text, label: text, detail: "" }));
  }
  return (strings[member ?? ""] ?? []).map((text) => string(text, ""));
}

function filterElements(
  before: readonly (string | undefined)[],
  schema: RequestSchema,
): Completion[] {
  const [head] = before;
  if (before.length === 0) {
    return [
      ...attributes(filterAttributes(schema.values())),
      string("And", "all of several"),
      string("Or", "any of several"),
      string("Not", "the opposite"),
    ];
  }
  const attribute = before.length === 1 && head !== undefined ? schema.get(head) : undefined;
  return attribute === undefined ? [] : filterOperators(attribute);
}

/** Without those that only the builder has. */
function filterOperators(attribute: RequestAttribute): Completion[] {
  return operatorsOf(attribute)
    .filter((operator) => operator !== "IsNull" && operator !== "IsNotNull")
    .map((operator) => string(operator, operatorWords(operator)));
}

const FUNCTIONS = {
  Sum: "of several scores",
  Max: "of several scores",
  Product: "a weight and a score",
  Saturate: "more counts less and less",
  Decay: "nearer counts more",
  Dist: "from an origin",
  Attribute: "a number of the document",
};

function rankElements(
  before: readonly (string | undefined)[],
  schema: RequestSchema,
  further: readonly string[] = [],
): Completion[] {
  const [head] = before;
  if (before.length === 0) {
    const ranked = [
      ...textAttributes(schema),
      ...nearAttributes(schema),
      ...sparseAttributes(schema),
      ...orderAttributes(schema),
    ];
    return [
      ...attributes([...new Set(ranked)]),
      ...[...Object.entries(FUNCTIONS), ...further.map((name) => [name, ""])].map(
        ([name, detail]) => string(name, detail),
      ),
      string("Embed", "a text becomes a vector"),
    ];
  }
  if (before.length > 1 || head === undefined) return [];
  if (head === "Attribute" || head === "Dist") return attributes(sumAttributes(schema));
  const attribute = schema.get(head);
  return attribute === undefined ? [] : rankOperators(attribute, schema);
}

function rankOperators(attribute: RequestAttribute, schema: RequestSchema): Completion[] {
  const found: Completion[] = [];
  if (attribute.fullText) found.push(string("BM25", "by words"));
  if (nearAttributes(schema).includes(attribute)) {
    if (attribute.ann || attribute.embedModel !== undefined) {
      found.push(string("ANN", "nearest, by the index"));
    }
    found.push(string("kNN", "nearest, exactly; needs filters"));
  }
  if (sparseAttributes(schema).includes(attribute)) found.push(string("SparseKNN", "dot product"));
  if (orderAttributes(schema).includes(attribute)) {
    found.push(string("asc", "least first"), string("desc", "greatest first"));
  }
  return [...found, ...filterOperators(attribute)];
}

function attributes(all: readonly RequestAttribute[]): Completion[] {
  return all.map(({ name, typeText }) => string(name, typeText));
}

function string(label: string, detail: string): Completion {
  return { text: JSON.stringify(label), label, detail };
}
