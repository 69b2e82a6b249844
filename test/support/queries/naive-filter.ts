/** The slow twin of filters: one recursive function over plain values. */

import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../../src/model/attribute-type.ts";
import { parseDatetime } from "../../../src/model/datetime.ts";
import type { Filter, FilterCondition } from "../../../src/model/filter.ts";
import type { FullTextOptions } from "../../../src/model/full-text-options.ts";
import { isJsonNumbers, type JsonValue } from "../../../src/model/json-value.ts";
import type { Schema } from "../../../src/model/schema.ts";
import { parseUuid } from "../../../src/model/uuid.ts";
import type { AttributeValue, ScalarValue } from "../../../src/model/value.ts";
import { analyzerFor } from "../../../src/text/analyzer.ts";

/** Tells whether the document matches. Operands are taken to be right for the schema. */
export function naiveMatches(filter: Filter, document: TypedDocument, schema: Schema): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((part) => naiveMatches(part, document, schema));
    case "or":
      return filter.filters.some((part) => naiveMatches(part, document, schema));
    case "not":
      return !naiveMatches(filter.filter, document, schema);
    case "condition":
      return matchesCondition(filter, document, schema);
  }
}

/** The value of an attribute, of which `id` is one. */
export function naiveValue(document: TypedDocument, attribute: string): AttributeValue {
  return attribute === "id" ? document.id : (document.attributes.get(attribute) ?? null);
}

/** The order of values: null first, strings by UTF-8, all else by size. */
export function naiveCompare(a: AttributeValue, b: AttributeValue): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "string") return Buffer.from(a).compare(Buffer.from(String(b)));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** An operand as a value of the attribute's type. */
export function naiveOperand(value: JsonValue, type: AttributeType): AttributeValue {
  if (Array.isArray(value)) {
    return value.map((element) => naiveOperand(element, type) as ScalarValue);
  }
  if (isJsonNumbers(value)) throw new Error("write number lists as arrays");
  const of = type.kind === "scalar" || type.kind === "array" ? type.of : "unknown";
  if (of === "uuid" && typeof value === "string") return parseUuid(value) ?? null;
  if (of === "datetime" && typeof value === "string") return parseDatetime(value) as bigint;
  if (of === "float") return value === null ? null : Number(value);
  if (typeof value === "number") return BigInt(value);
  return value as ScalarValue | null;
}

function matchesCondition(
  condition: FilterCondition,
  document: TypedDocument,
  schema: Schema,
): boolean {
  const { attribute, operator, options } = condition;
  const negated = /^Not(.*)$/.exec(operator);
  if (negated !== null) {
    const plain = { ...condition, operator: negated[1] as FilterCondition["operator"] };
    return !matchesCondition(plain, document, schema);
  }
  const type: AttributeType =
    attribute === "id"
      ? { kind: "scalar", of: schema.idType ?? "uint" }
      : (schema.attributes.get(attribute)?.type as AttributeType);
  const json = condition.operand.kind === "value" ? condition.operand.value : null;
  const value = naiveValue(document, attribute);
  const elements = (Array.isArray(value) ? value : value === null ? [] : [value]) as ScalarValue[];
  const strings = elements as string[];
  const compare = (test: (order: number) => boolean): boolean =>
    test(naiveCompare(value, naiveOperand(json, type)));
  const any = (test: (order: number) => boolean): boolean =>
    elements.some((element) => test(naiveCompare(element, naiveOperand(json, type))));
  const fullText = schema.attributes.get(attribute)?.fullTextSearch;
  switch (operator) {
    case "Eq":
      return sameValue(value, naiveOperand(json, type));
    case "In":
    case "ContainsAny": {
      const wanted = [naiveOperand(json, type)].flat() as ScalarValue[];
      return elements.some((element) => wanted.includes(element));
    }
    case "Contains":
      return any((order) => order === 0);
    case "Lt":
      return compare((order) => order < 0);
    case "Lte":
      return compare((order) => order <= 0);
    case "Gt":
      return compare((order) => order > 0);
    case "Gte":
      return compare((order) => order >= 0);
    case "AnyLt":
      return any((order) => order < 0);
    case "AnyLte":
      return any((order) => order <= 0);
    case "AnyGt":
      return any((order) => order > 0);
    case "AnyGte":
      return any((order) => order >= 0);
    case "Glob":
      return strings.some((text) => naiveGlob(json as string, text));
    case "IGlob":
      return strings.some((t) => naiveGlob((json as string).toLowerCase(), t.toLowerCase()));
    case "Regex":
      return strings.some((text) => new RegExp(json as string, "u").test(text));
    case "Fuzzy":
      return strings.some((text) =>
        naiveFuzzy(json as string, options as Map<string, JsonValue>, text),
      );
    default:
      return fullText !== undefined && matchesTokens(condition, strings, fullText);
  }
}

function sameValue(a: AttributeValue, b: AttributeValue): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((element, i) => element === b[i]);
}

/** Only `*` and `?`, which are what the random patterns have. */
function naiveGlob(pattern: string, text: string): boolean {
  const match = (p: string[], t: string[]): boolean => {
    if (p.length === 0) return t.length === 0;
    if (p[0] === "*") return match(p.slice(1), t) || (t.length > 0 && match(p, t.slice(1)));
    return t.length > 0 && (p[0] === "?" || p[0] === t[0]) && match(p.slice(1), t.slice(1));
  };
  return match([...pattern], [...text]);
}

/** Looks at every substring. */
export function naiveFuzzy(
  query: string,
  options: ReadonlyMap<string, JsonValue>,
  text: string,
): boolean {
  const steps = options.get("max_edit_distance") as ReadonlyMap<string, JsonValue>[];
  const fold = (s: string): string[] => [
    ...(options.get("case_sensitive") === false ? s.toLowerCase() : s),
  ];
  const [pattern, characters] = [fold(query), fold(text)];
  const usable = steps
    .filter((step) => Number(step.get("min_query_chars")) <= [...query].length)
    .sort((a, b) => Number(b.get("min_query_chars")) - Number(a.get("min_query_chars")));
  if (usable.length === 0) return false;
  const distance = Number(usable[0].get("distance"));
  for (let start = 0; start <= characters.length; start++) {
    for (let end = start; end <= characters.length; end++) {
      if (editDistance(pattern, characters.slice(start, end)) <= distance) return true;
    }
  }
  return false;
}

/** Levenshtein's distance, by the textbook's table. */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j++) table[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = table[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[i][j] = Math.min(replaced, table[i - 1][j] + 1, table[i][j - 1] + 1);
    }
  }
  return table[a.length][b.length];
}

function matchesTokens(
  { operator, operand, options }: FilterCondition,
  elements: readonly string[],
  fullText: FullTextOptions,
): boolean {
  const query = String(operand.kind === "value" ? operand.value : "");
  const analyzer = analyzerFor(fullText);
  const texts = elements.map((element) => analyzer.analyze(element));
  const terms = new Set(texts.flat().map((token) => token.term));
  const isPrefix = options instanceof Map && options.get("last_as_prefix") === true;
  if (operator === "ContainsTokenSequence") {
    const wanted = analyzer.analyze(query);
    if (wanted.length === 0) return false;
    return texts.some((tokens) =>
      tokens.some((first) =>
        wanted.every(({ term, position }) =>
          tokens.some(
            (token) =>
              token.term === term &&
              token.position - first.position === position - wanted[0].position,
          ),
        ),
      ),
    );
  }
  const { tokens, prefix } = isPrefix
    ? analyzer.lastTokenPrefix(query)
    : { tokens: analyzer.analyze(query), prefix: undefined };
  const found = tokens.map(({ term }) => terms.has(term));
  if (prefix !== undefined) found.push([...terms].some((term) => term.startsWith(prefix)));
  if (found.length === 0) return false;
  return operator === "ContainsAllTokens" ? found.every(Boolean) : found.some(Boolean);
}
