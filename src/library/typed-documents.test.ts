/** Types accept the same requests as the parsers; `npm run types` checks the refusals. */

import { describe, expect, expectTypeOf, test } from "vitest";
import { parseJson } from "../wire/json/json-reader.ts";
import { ExpressionBudget } from "../wire/query/expression-budget.ts";
import { parseComputed } from "../wire/query/parse-computed.ts";
import { parseCondition, parseFilter } from "../wire/query/parse-filter.ts";
import { parseRankBy } from "../wire/query/parse-rank-by.ts";
import type { ConditionOf } from "./filter-types.ts";
import type {
  Filter,
  FilterOf,
  FoundRow,
  MultiQueryParameters,
  Namespace,
  QueryParameters,
  RankBy,
  RankByOf,
  RecallParameters,
  Row,
  Trawl,
} from "./open-trawl.ts";
import type { ComputedOf } from "./rank-types.ts";
import type { WriteParameters } from "./write-parameters.ts";

interface Book {
  id: number;
  title: string;
  year?: number;
  tags?: string[];
  kind: "novel" | "atlas";
  vector: number[];
}

const json = (value: unknown) => parseJson(new TextEncoder().encode(JSON.stringify(value)));
const TEXT = ["text", "BM25", "fish"] as const;
const VALUE = ["Attribute", "a"] as const;
const REF = { $ref_new: "v" } as const;
const EDITS = { max_edit_distance: [{ min_query_chars: 3, distance: 1 }] };

const RANKINGS: RankBy[] = [
  ["v", "ANN", [1, 0]],
  ["v", "kNN", "AAAAPw=="],
  ["v", "ANN", [[1, 0], "AAAAPwAAAD8="]],
  ["v", "ANN", ["Embed", "hello"]],
  ["v", "ANN", ["Embed", "hello", null]],
  ["v", "kNN", ["Embed", "hello", { model: "m" }]],
  ["a", "desc"],
  ["Sum", "asc"],
  [
    ["a", "asc"],
    ["b", "desc"],
  ],
  TEXT,
  ["text", "BM25", ["fish", "tank"]],
  ["text", "BM25", "fish", { last_as_prefix: true }],
  ["text", "BM25", "fish", null],
  ["s", "SparseKNN", { x: 1, y: 0.5 }],
  ["Sum", [TEXT, TEXT]],
  ["Max", [TEXT, TEXT]],
  ["Max", 0, VALUE],
  ["Max", VALUE, 0],
  ["Max", VALUE, VALUE],
  ["Max", [0, VALUE]],
  ["Max", [1.5, TEXT, TEXT]],
  ["Product", 2, TEXT],
  ["Product", TEXT, 0.5],
  VALUE,
  ["Dist", VALUE, 5],
  ["Dist", VALUE, "2026-01-01"],
  ["Saturate", VALUE, { midpoint: 10 }],
  ["Decay", ["Dist", VALUE, "2026-01-01"], { midpoint: "7d", exponent: 2 }],
  ["Sum", [TEXT, ["Product", 3, ["And", [["a", "Eq", 1]]]]]],
  ["Sum", "BM25", "fish"],
  ["Attribute", "BM25", "fish"],
];

const FILTERS: Filter[] = [
  ["a", "Eq", 1],
  ["a", "NotEq", null],
  ["a", "Eq", ["x"]],
  ["a", "Lt", null],
  ["And", []],
  ["Or", [["a", "Lte", 1]]],
  [
    "Not",
    [
      "And",
      [
        ["a", "Gt", "x"],
        ["Not", ["a", "Gte", true]],
      ],
    ],
  ],
  ["Not", "Eq", 1],
  ["And", "Eq", 1],
  ["a", "In", []],
  ["a", "In", "x"],
  ["a", "NotIn", [1, 2.5]],
  ["a", "Contains", "x"],
  ["a", "NotContains", "x"],
  ["a", "ContainsAny", ["x"]],
  ["a", "NotContainsAny", ["x"]],
  ["a", "AnyLt", 1],
  ["a", "AnyLte", 1],
  ["a", "AnyGt", 1],
  ["a", "AnyGte", 1],
  ["a", "Glob", "x*"],
  ["a", "NotGlob", "x*"],
  ["a", "IGlob", "x*"],
  ["a", "NotIGlob", "x*"],
  ["a", "Regex", "x+"],
  ["a", "Fuzzy", "fish", EDITS],
  ["a", "ContainsAllTokens", "x", { last_as_prefix: true }],
  ["a", "ContainsAllTokens", ["x", "y"]],
  ["a", "ContainsAnyToken", "x"],
  ["a", "ContainsTokenSequence", "x"],
];

const COMPUTED: ComputedOf<unknown>[] = [
  ["v", "VectorDist", [1, 0]],
  ["v", "VectorDist", [[1, 0]]],
  ["Highlight", "text"],
  ["Highlight", "text", { fragment_by: "word", fragment_limit: 2, rank_fragments_by: TEXT }],
  TEXT,
];

const CONDITIONS: ConditionOf<unknown>[] = [
  ["v", "Lt", REF],
  [
    "Or",
    [
      ["v", "Eq", null],
      ["v", "In", REF],
    ],
  ],
];

describe("parsers accept what the types accept", () => {
  test.each(RANKINGS)("ranking %#", (...rank) => {
    expect(parseRankBy("rank_by", json(rank), new ExpressionBudget())).toBeDefined();
  });
  test.each(FILTERS)("filter %#", (...filter) => {
    expect(parseFilter("filters", json(filter))).toBeDefined();
    expect(parseRankBy("rank_by", json(filter), new ExpressionBudget())).toBeDefined();
  });
  test.each(CONDITIONS)("condition %#", (...condition) => {
    expect(parseCondition("upsert_condition", json(condition))).toBeDefined();
  });
  test.each(COMPUTED)("computed attribute %#", (...computed) => {
    const path = "compute_attributes";
    expect(parseComputed(path, json({ x: computed }), new ExpressionBudget()).size).toBe(1);
  });
});

test("parsers refuse what the types refuse", () => {
  const rankings: RankBy[] = [
    // @ts-expect-error unknown operator
    ["title", "BM52", "x"],
    // @ts-expect-error unknown direction
    ["title", "up"],
    // @ts-expect-error no query
    ["title", "BM25"],
    // @ts-expect-error options of another type
    ["title", "BM25", "x", { last_as_prefix: 1 }],
    // @ts-expect-error a sparse vector is a map
    ["title", "SparseKNN", [1, 2]],
    // @ts-expect-error unknown function
    ["Summ", [TEXT]],
    // @ts-expect-error a number cannot be part of a sum
    ["Sum", [TEXT, 5]],
    // @ts-expect-error two numbers
    ["Product", 2, 3],
    // @ts-expect-error no midpoint
    ["Saturate", TEXT, {}],
    // @ts-expect-error a vector ranking stands alone
    ["Sum", [["v", "ANN", [1]]]],
    // @ts-expect-error a text to embed is a text
    ["v", "ANN", ["Embed", 12]],
  ];
  const filters: Filter[] = [
    // @ts-expect-error unknown operator
    ["a", "Equals", 1],
    // @ts-expect-error a list of filters
    ["And", ["a", "Eq", 1]],
    // @ts-expect-error two filters
    ["Not", ["a", "Eq", 1], 1],
    // @ts-expect-error one operand
    ["a", "Eq", 1, {}],
    // @ts-expect-error options are required
    ["a", "Fuzzy", "x"],
  ];
  for (const rank of rankings) {
    expect(() => parseRankBy("rank_by", json(rank), new ExpressionBudget())).toThrow();
  }
  for (const filter of filters) expect(() => parseFilter("filters", json(filter))).toThrow();
});

test("documents, names and operands are checked against their type", () => {
  const book: Book = { id: 1, title: "Sea", kind: "atlas", vector: [1, 0] };
  const writes: WriteParameters<Book>[] = [
    { upsert_rows: [book, { ...book, year: 1999, tags: ["sea"] }], deletes: [2] },
    {
      upsert_columns: {
        id: [1],
        title: ["Sea"],
        year: [null],
        tags: [["sea"]],
        kind: ["novel"],
        vector: [[1]],
      },
    },
    { patch_rows: [{ id: 1, year: null }], patch_columns: { id: [2], title: ["Land"] } },
    { patch_by_filter: { filters: ["year", "Lt", 2000], patch: { kind: "novel" } } },
    { upsert_condition: ["year", "Lt", { $ref_new: "year" }] },
    // @ts-expect-error no kind, no vector
    { upsert_rows: [{ id: 1, title: "Sea" }] },
    // @ts-expect-error unknown attribute
    { upsert_rows: [{ ...book, titel: "Sea" }] },
    // @ts-expect-error an id of another type
    { deletes: ["1"] },
    // @ts-expect-error a year of another type
    { patch_rows: [{ id: 1, year: "1999" }] },
    // @ts-expect-error no id
    { patch_rows: [{ year: 1999 }] },
    // @ts-expect-error a column of another type
    { patch_columns: { id: [1], year: ["1999"] } },
    // @ts-expect-error no kind, no vector
    { upsert_columns: { id: [1], title: ["Sea"] } },
    // @ts-expect-error unknown attribute
    { patch_by_filter: { filters: ["year", "Lt", 2000], patch: { yaer: 1 } } },
    // @ts-expect-error only conditions refer to what is written
    { delete_by_filter: ["year", "Lt", { $ref_new: "year" }] },
  ];
  const queries: QueryParameters<Book>[] = [
    { rank_by: ["vector", "ANN", [1, 0]], filters: ["kind", "In", ["novel", "atlas"]] },
    {
      rank_by: ["id", "asc"],
      filters: ["tags", "ContainsAny", ["sea"]],
      exclude_attributes: ["vector"],
    },
    {
      rank_by: ["title", "BM25", "sea"],
      filters: ["id", "NotEq", 3],
      include_attributes: ["title"],
    },
    // @ts-expect-error unknown attribute
    { rank_by: ["titel", "BM25", "sea"] },
    // @ts-expect-error unknown attribute
    { filters: ["And", [["yaer", "Lt", 2000]]] },
    // @ts-expect-error an operand of another type
    { filters: ["year", "Lt", "2000"] },
    // @ts-expect-error no kind of these
    { filters: ["kind", "Eq", "map"] },
    // @ts-expect-error an element of another type
    { filters: ["tags", "Contains", 5] },
    // @ts-expect-error unknown attribute
    { include_attributes: ["titel"] },
  ];
  expect([writes.length, queries.length]).toEqual([14, 9]);
});

test("results have the attributes as optional ones, and $dist", () => {
  type Answer = Awaited<ReturnType<Namespace<Book>["query"]>>;
  type Found = NonNullable<Answer["rows"]>[number];
  expectTypeOf<Found["id"]>().toEqualTypeOf<number>();
  expectTypeOf<Found["title"]>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf<Found["$dist"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<keyof Found>().toEqualTypeOf<keyof Book | "$dist">();
  type Several = Awaited<ReturnType<Namespace<Book>["multiQuery"]>>;
  expectTypeOf<NonNullable<Several["results"][number]["rows"]>[number]>().toEqualTypeOf<Found>();
});

describe("without a type argument", () => {
  const parts: unknown[] = ["year", "Lt", 2000];
  const name: string = "year";
  const operator: string = "Lt";
  const parsed = JSON.parse('["year","Lt",2000]');

  test("operators and forms are checked, attributes and values are not", () => {
    const queries: QueryParameters[] = [
      { rank_by: ["v", "ANN", [1, 0]], filters: ["a", "Eq", { x: 1 }] },
      { aggregate_by: { n: ["Count"], sum: ["Sum", "a"] } },
      { aggregate_by: { n: ["Count"] }, group_by: ["a", { b: ["ForEachUnique", "b"] }] },
      { compute_attributes: { short: ["Highlight", "text"] } },
      // @ts-expect-error unknown operator
      { rank_by: ["v", "ANNN", [1, 0]] },
      // @ts-expect-error unknown operator
      { filters: ["Andd", [["a", "Eq", 1]]] },
      // @ts-expect-error unknown operator in a filter of a filter
      { filters: ["And", [["a", "Eqq", 1]]] },
      // @ts-expect-error unknown function
      { compute_attributes: { short: ["Highlights", "text"] } },
      // @ts-expect-error unknown function
      { aggregate_by: { n: ["Conut"] } },
      // @ts-expect-error unknown function
      { aggregate_by: { n: ["Count"] }, group_by: [{ b: ["ForEach", "b"] }] },
    ];
    const subqueries: MultiQueryParameters["queries"] = [
      { rank_by: ["text", "BM25", "sea"] },
      // @ts-expect-error unknown operator
      { rank_by: ["text", "BM52", "sea"] },
    ];
    const writes: WriteParameters[] = [
      { delete_by_filter: ["a", "Lt", 1], upsert_condition: ["a", "Lt", { $ref_new: "a" }] },
      // @ts-expect-error unknown operator
      { delete_by_filter: ["a", "Less", 1] },
      // @ts-expect-error unknown operator
      { patch_by_filter: { filters: ["a", "Less", 1], patch: { a: 2 } } },
      // @ts-expect-error unknown operator
      { upsert_condition: ["a", "Less", { $ref_new: "a" }] },
    ];
    const recalls: RecallParameters[] = [
      { rank_by: ["v", "ANN", [1, 0]], filters: ["a", "Eq", 1] },
      // @ts-expect-error only the recall of ANN can be measured
      { rank_by: ["v", "kNN", [1, 0]] },
    ];
    const counts = [queries.length, subqueries.length, writes.length, recalls.length];
    expect(counts).toEqual([10, 2, 4, 2]);
  });

  test("arrays without a fixed length are refused unless they are asserted or any", () => {
    const asserted: QueryParameters[] = [
      { filters: parts as Filter, rank_by: parts as RankBy },
      { filters: parts as readonly unknown[] as Filter },
      { filters: [name, operator, 2000] as Filter },
      { filters: ["And", [["year", "Gt", 1900], parts as Filter]] },
      { filters: parsed, rank_by: parsed },
      // @ts-expect-error an array of unknown length and values
      { filters: parts },
      // @ts-expect-error an array of unknown length and values
      { rank_by: parts },
      // @ts-expect-error an operator that is only known to be a string
      { filters: [name, operator, 2000] },
    ];
    expect(asserted.length).toBe(8);
    const typed: QueryParameters<Book> = { filters: parts as FilterOf<Book> };
    expect(typed.filters).toBe(parts);
    const query = { rank_by: ["title", "BM25", "sea"], filters: ["year", "Lt", 2000] };
    expectTypeOf(query).not.toExtend<QueryParameters>();
    const kept = { rank_by: ["title", "BM25", "sea"], limit: 1 } satisfies QueryParameters;
    expectTypeOf(kept).toExtend<QueryParameters>();
  });

  test("filters can be collected, and documents have any attributes", () => {
    const all: Filter[] = [];
    all.push(["year", "Lt", 2000], parts as Filter);
    const query: QueryParameters = { filters: ["And", all] };
    expect(query.filters).toEqual(["And", all]);
    expectTypeOf<ReturnType<Trawl["namespace"]>>().toEqualTypeOf<Namespace>();
    expectTypeOf<FilterOf<Row>>().toExtend<Filter>();
    expectTypeOf<RankByOf<Row>>().toExtend<RankBy>();
    type Answer = Awaited<ReturnType<Namespace["query"]>>;
    expectTypeOf<NonNullable<Answer["rows"]>[number]>().toEqualTypeOf<FoundRow>();
  });
});
