/** Random queries over documents of every attribute type (`random-documents.ts`). */

import type { Random } from "../../../src/base/random.ts";
import type { AttributeType, ScalarKind } from "../../../src/model/attribute-type.ts";
import { formatDatetime } from "../../../src/model/datetime.ts";
import type { Filter, FilterOperator } from "../../../src/model/filter.ts";
import type { JsonValue } from "../../../src/model/json-value.ts";
import type {
  Aggregate,
  DocumentQuery,
  GroupKey,
  LimitPer,
  Query,
  RankBy,
  ScoreExpression,
} from "../../../src/model/query.ts";
import type { AttributeSchema, Schema } from "../../../src/model/schema.ts";
import type { DocumentId, ScalarValue } from "../../../src/model/value.ts";
import { documentQuery, fullText } from "../queries/query-fixture.ts";
import { EVERY_TYPE, randomId, randomValue } from "./random-documents.ts";

/** Every type, with every index that the type can have. */
export function everyTypeSchema(
  idType: Schema["idType"],
  metric: Schema["distanceMetric"],
): Schema {
  const attributes = new Map<string, AttributeSchema>();
  for (const [name, type] of EVERY_TYPE) {
    const isText = (type.kind === "scalar" || type.kind === "array") && type.of === "string";
    const isVector = type.kind === "vector" || type.kind === "multi_vector";
    const lateInteraction = type.kind === "multi_vector";
    attributes.set(name, {
      type,
      filterable: type.kind === "scalar" || type.kind === "array",
      ...(isText ? { regex: true, glob: true, fuzzy: true, fullTextSearch: fullText() } : {}),
      ...(isVector && metric ? { ann: { distanceMetric: metric, lateInteraction } } : {}),
      ...(type.kind === "sparse" ? { sparseKnn: true } : {}),
    });
  }
  return { idType, distanceMetric: metric, attributes };
}

/** A random filter of at most `depth` levels. */
export function randomFilter(random: Random, schema: Schema, depth: number): Filter {
  const kind = depth === 0 ? 3 : random.below(6);
  if (kind < 2) {
    const filters = Array.from({ length: random.below(4) }, () =>
      randomFilter(random, schema, depth - 1),
    );
    return { kind: kind === 0 ? "and" : "or", filters };
  }
  if (kind === 2) return { kind: "not", filter: randomFilter(random, schema, depth - 1) };
  return randomCondition(random, schema);
}

const SCALAR_OPERATORS = ["Eq", "NotEq", "In", "NotIn", "Lt", "Lte", "Gt", "Gte"] as const;
const ARRAY_OPERATORS = [
  ...["Eq", "NotEq", "In", "NotIn", "Contains", "NotContains", "ContainsAny", "NotContainsAny"],
  ...["AnyLt", "AnyLte", "AnyGt", "AnyGte"],
];
const PATTERN_OPERATORS = ["Glob", "NotGlob", "IGlob", "NotIGlob", "Regex", "Fuzzy"];
const TOKEN_OPERATORS = ["ContainsAllTokens", "ContainsAnyToken", "ContainsTokenSequence"];
const PATTERNS = ["*", "?", "a*", "*o*", "*fox", "?a*", "the*dog?", "é", "*京", "A*", ""];
const REGEXES = ["a", "^$", "o[xv]", "(fox|dog)s?$", "^the .* lazy", "京", "[^a-z ]"];
const TEXTS = ["fox", "the quick", "Quick fox", "lazy dogs", "brown the fox", "東京", "", "the"];

function randomCondition(random: Random, schema: Schema): Filter {
  const names = [...schema.attributes].filter(([, { filterable }]) => filterable).map(([n]) => n);
  const attribute = random.below(8) === 0 ? "id" : pick(random, names);
  const type: AttributeType =
    attribute === "id"
      ? { kind: "scalar", of: schema.idType ?? "uint" }
      : (EVERY_TYPE.get(attribute) as AttributeType);
  const isText = attribute !== "id" && "of" in type && type.of === "string";
  const operators: string[] = [...(type.kind === "array" ? ARRAY_OPERATORS : SCALAR_OPERATORS)];
  if (isText) operators.push(...PATTERN_OPERATORS, ...TOKEN_OPERATORS);
  const operator = pick(random, operators) as FilterOperator;
  const { value, options } = randomOperand(random, operator, { attribute, type, schema });
  return {
    kind: "condition",
    attribute,
    operator,
    operand: { kind: "value", value },
    ...(options === undefined ? {} : { options }),
  };
}

function randomOperand(
  random: Random,
  operator: FilterOperator,
  subject: { attribute: string; type: AttributeType; schema: Schema },
): { value: JsonValue; options?: JsonValue } {
  if (operator.endsWith("Glob")) return { value: pick(random, PATTERNS) };
  if (operator === "Regex") return { value: pick(random, REGEXES) };
  if (operator === "Fuzzy") {
    const steps = [0n, 1n, 2n].slice(0, 1 + random.below(3)).map(
      (distance) =>
        new Map([
          ["min_query_chars", 3n * (distance + 1n)],
          ["distance", distance],
        ]),
    );
    const options: JsonValue = new Map<string, JsonValue>([["max_edit_distance", steps]]);
    if (random.below(2) === 0) options.set("case_sensitive", false);
    return { value: pick(random, ["fox", "quikc", "jumsp", "lazydogs", "brwn fx", "é"]), options };
  }
  if (TOKEN_OPERATORS.includes(operator)) {
    const value = pick(random, TEXTS);
    if (operator === "ContainsTokenSequence" || random.below(2) === 0) return { value };
    return { value, options: new Map([["last_as_prefix", true]]) };
  }
  return { value: randomTypedOperand(random, operator, subject) };
}

function randomTypedOperand(
  random: Random,
  operator: FilterOperator,
  { attribute, type, schema }: { attribute: string; type: AttributeType; schema: Schema },
): JsonValue {
  const of = (type as { of: ScalarKind | "unknown" }).of;
  const one = (): JsonValue => {
    if (attribute === "id") return randomId(random, schema.idType ?? "uint", 60);
    if (of === "unknown") return "x";
    return operandJson(randomValue(random, { kind: "scalar", of }) as ScalarValue, of);
  };
  const takesNull = !/^(Any|Contains|NotContains|In|NotIn)/.test(operator);
  if (takesNull && random.below(6) === 0) return null;
  const isList = /(In|ContainsAny)$/.test(operator);
  const isWhole = type.kind === "array" && /^(Not)?Eq$/.test(operator);
  if (!isList && !isWhole) return one();
  return Array.from({ length: random.below(4) }, one);
}

/** How a client writes the value. */
function operandJson(value: ScalarValue, of: ScalarKind): JsonValue {
  if (of === "datetime") return formatDatetime(value as bigint);
  if (of === "uuid") return String(value).toUpperCase();
  return value;
}

/** A random score expression of at most `depth` levels. */
export function randomScore(random: Random, schema: Schema, depth: number): ScoreExpression {
  const clause = (): ScoreExpression => randomScore(random, schema, depth - 1);
  const attribute = pick(random, ["int", "uint", "float", "datetime"]);
  switch (depth === 0 ? random.below(4) : random.below(10)) {
    case 0:
      return {
        kind: "bm25",
        attribute: pick(random, ["string", "[]string"]),
        query: pick(random, ["fox", "quick brown fox fox", "lazy dogs naïve", "東京 fo", ""]),
        lastAsPrefix: random.below(3) === 0,
      };
    case 1: {
      const names = ["", "a", "b", "é", "zz"].slice(random.below(4));
      const entries = new Map(names.map((name) => [name, random.below(8) / pick(random, [3, 4])]));
      return { kind: "sparse", attribute: "{}f16", entries };
    }
    case 2:
      return { kind: "attribute", attribute: "uint" };
    case 3:
      return { kind: "filter", filter: randomFilter(random, schema, 1) };
    case 4:
      return { kind: "sum", clauses: Array.from({ length: 1 + random.below(3) }, clause) };
    case 5:
      return { kind: "max", clauses: Array.from({ length: 1 + random.below(3) }, clause) };
    case 6:
      return { kind: "product", weight: random.below(8) / 2, clause: clause() };
    case 7:
      return { kind: "floor", floor: random.below(2), clause: { kind: "attribute", attribute } };
    case 8: {
      const exponent = pick(random, [0.5, 1, 2]);
      const midpoint = pick(random, [0.5, 3n]);
      return { kind: "saturate", clause: { kind: "attribute", attribute }, midpoint, exponent };
    }
    default: {
      const value = randomValue(random, EVERY_TYPE.get(attribute) as AttributeType);
      const origin = operandJson(value as ScalarValue, attribute as ScalarKind);
      const midpoint = attribute === "datetime" ? "7d" : 5n;
      const clauseOf: ScoreExpression = { kind: "dist", attribute, origin };
      return { kind: "decay", clause: clauseOf, midpoint, exponent: pick(random, [1, 2]) };
    }
  }
}

/** A random ranking by score or by attributes. */
export function randomRank(random: Random, schema: Schema): RankBy {
  if (random.below(2) === 0) {
    return { kind: "score", expression: randomScore(random, schema, 2) };
  }
  const names = ["id", "string", "int", "uint", "float", "uuid", "datetime", "bool"];
  const keys = Array.from({ length: 1 + random.below(3) }, () => ({
    attribute: pick(random, names),
    direction: pick(random, ["asc", "desc"] as const),
  }));
  return { kind: "order", keys };
}

/** A random ranking by distance. Filters are the caller's business. */
export function randomVectorRank(random: Random): RankBy {
  const attribute = pick(random, ["[3]f32", "[5]f16", "[7]i8", "[][2]f32"]);
  const type = EVERY_TYPE.get(attribute) as AttributeType;
  const method = pick(random, ["ANN", "kNN"] as const);
  if (type.kind !== "multi_vector") {
    const values = randomValue(random, type) as Float32Array;
    return { kind: "vector", method, attribute, operand: { kind: "vector", values } };
  }
  const values = [0, 1].map(() => randomValue(random, EVERY_TYPE.get("[3]f32") as AttributeType));
  const pairs = (values as Float32Array[]).map((value) => value.slice(0, 2));
  return { kind: "vector", method, attribute, operand: { kind: "vectors", values: pairs } };
}

/** A random query of any kind but those by distance. */
export function randomQuery(random: Random, schema: Schema): Query {
  const filter = random.below(3) === 0 ? undefined : randomFilter(random, schema, 2);
  if (random.below(4) > 0) {
    const names = ["id", "string", "bool", "int"];
    const limitPer =
      random.below(4) === 0
        ? { attributes: names.slice(random.below(3)), limit: 1 + random.below(3) }
        : undefined;
    const rest: Partial<DocumentQuery> = {
      filter,
      limit: 1 + random.below(40),
      offset: random.below(5) === 0 ? random.below(10) : 0,
      limitPer,
      selection: limitPer === undefined ? randomSelection(random) : selectionWith(limitPer),
      computed: new Map([["text", { kind: "score", expression: randomScore(random, schema, 1) }]]),
    };
    return documentQuery(randomRank(random, schema), rest);
  }
  const plain = ["string", "int", "uint", "float", "uuid", "datetime", "bool"];
  const groupBy: GroupKey[] = plain
    .filter(() => random.below(5) === 0)
    .map((attribute) => ({ kind: "attribute", attribute }));
  if (random.below(2) === 0) {
    const attribute = pick(random, ["[]string", "[]int", "[]uuid", "[]float", "[]bool"]);
    groupBy.push({ kind: "each_unique", name: "element", attribute });
  }
  const aggregates = new Map<string, Aggregate>([
    ["n", { kind: "count" }],
    ["i", { kind: "sum", attribute: "int" }],
    ["u", { kind: "sum", attribute: "uint" }],
    ["f", { kind: "sum", attribute: "float" }],
  ]);
  return { kind: "aggregate", filter, aggregates, groupBy, groupLimit: 1 + random.below(50) };
}

/** A selection with the keys: `id` has to be named. */
function selectionWith({ attributes }: LimitPer): DocumentQuery["selection"] {
  if (!attributes.includes("id")) return { kind: "all" };
  return { kind: "include", names: new Set(attributes) };
}

function randomSelection(random: Random): DocumentQuery["selection"] {
  const names = new Set(["string", "[]int", "[3]f32", "id"]);
  return pick(random, [
    { kind: "none" },
    { kind: "all" },
    { kind: "include", names },
    { kind: "exclude", names: new Set(["int", "other"]) },
  ] as const);
}

/** Ids of documents, for generators that need some that exist. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)];
}

/** Drops duplicates by id, the last one wins. */
export function lastById<T extends { readonly id: DocumentId }>(documents: readonly T[]): T[] {
  return [...new Map(documents.map((document) => [document.id, document])).values()];
}
