import { expect, test } from "vitest";
import { facetQuery, facetsOf, hasFacets } from "./facet-groups.ts";

const STRING = { type: "string", filterable: true };
const TAGS = { type: "[]string", filterable: true };

test("scalars are grouped by themselves, arrays by each of their values", () => {
  const conditions = [["year", "Gt", 5]] as const;
  expect(facetQuery("genre", STRING, conditions)).toEqual({
    aggregate_by: { documents: ["Count"] },
    group_by: ["genre"],
    filters: ["year", "Gt", 5],
    limit: 1000,
  });
  expect(facetQuery("tags", TAGS, []).group_by).toEqual([{ value: ["ForEachUnique", "tags"] }]);
  expect(facetQuery("documents", STRING, []).aggregate_by).toEqual({ documents_: ["Count"] });
});

test("the most frequent values come first, each with its condition", () => {
  const groups = [
    { genre: null, documents: 1 },
    { genre: "a", documents: 2 },
    { genre: "b", documents: 9 },
  ];
  expect(facetsOf("genre", STRING, groups).facets).toEqual([
    { value: "b", count: 9, condition: ["genre", "Eq", "b"] },
    { value: "a", count: 2, condition: ["genre", "Eq", "a"] },
    { value: null, count: 1, condition: ["genre", "Eq", null] },
  ]);
  const [tag] = facetsOf("tags", TAGS, [{ value: "x", documents: 1 }]).facets;
  expect(tag.condition).toEqual(["tags", "Contains", "x"]);
});

test("what is left out is counted", () => {
  const groups = Array.from({ length: 1000 }, (_, i) => ({ genre: `g${i}`, documents: 1 }));
  expect(facetsOf("genre", STRING, groups)).toMatchObject({ moreCount: 988, isCut: true });
  expect(facetsOf("genre", STRING, groups.slice(0, 2))).toMatchObject({
    moreCount: 0,
    isCut: false,
  });
});

test("only what can be filtered by single values has facets", () => {
  expect([STRING, TAGS, { type: "bool", filterable: true }].map(hasFacets)).toEqual([
    true,
    true,
    true,
  ]);
  const others = [{ type: "string" }, { type: "[2]f32" }, { type: "float", filterable: true }];
  expect(others.map(hasFacets)).toEqual([false, false, false]);
});
