import { expect, test } from "vitest";
import type { BuilderOperator } from "../../query/filter-operators.ts";
import { readRequestSchema } from "../../query/request-schema.ts";
import {
  type Condition,
  filtersOf,
  formatConditions,
  parseConditions,
  shownCondition,
  toggleCondition,
  typedCondition,
} from "./document-filters.ts";

const YEAR: Condition = ["year", "Gte", 1999];
const ID: Condition = ["id", "Eq", 2n ** 64n - 1n];

test("conditions come out of an address as they went in, ids exact", () => {
  expect(parseConditions(formatConditions([YEAR, ID]) ?? "")).toEqual([YEAR, ID]);
  expect(formatConditions([])).toBeUndefined();
});

test("what is no condition is left out", () => {
  const text = '[["a","Eq",1],["a","Drop",1],["a","Eq"],"a",[1,"Eq",1]]';
  expect(parseConditions(text)).toEqual([["a", "Eq", 1]]);
  for (const broken of [null, "", "[", "{}", "1"]) expect(parseConditions(broken)).toEqual([]);
});

test("a condition that is there is taken away", () => {
  expect(toggleCondition([YEAR], ID)).toEqual([YEAR, ID]);
  expect(toggleCondition([YEAR, ID], ["year", "Gte", 1999])).toEqual([ID]);
});

test("several conditions are joined, one is itself", () => {
  expect(filtersOf([])).toBeUndefined();
  expect(filtersOf([YEAR])).toEqual(YEAR);
  expect(filtersOf([YEAR, ID])).toEqual(["And", [YEAR, ID]]);
});

const SCHEMA = readRequestSchema({
  year: { type: "int", filterable: true },
  tag: { type: "string", filterable: true },
  tags: { type: "[]string", filterable: true },
  text: { type: "string", full_text_search: true },
});

test("what is typed is a condition of the API, or a problem at its place", () => {
  const model = (attribute: string, operator: BuilderOperator, operand: string) => ({
    kind: "condition" as const,
    ...{ attribute, operator, operand, lastAsPrefix: false, distance: 1 as const },
  });
  const typed = (...parts: Parameters<typeof model>) => typedCondition(model(...parts), SCHEMA);
  expect(typed("year", "Gte", "1999")).toEqual({ condition: YEAR });
  expect(typed("id", "Eq", "18446744073709551615")).toEqual({ condition: ID });
  expect(typed("year", "In", "1, 2")).toEqual({ condition: ["year", "In", [1, 2]] });
  expect(typed("tags", "Contains", "x")).toEqual({ condition: ["tags", "Contains", "x"] });
  expect(typed("tag", "IsNull", "")).toEqual({ condition: ["tag", "Eq", null] });
  const problems = new Map([["filter.0", '"1.5" is no integer']]);
  expect(typed("year", "Eq", "1.5")).toEqual({ problems });
});

test("chips read as a person says it", () => {
  const shown = (...condition: Condition) => shownCondition(condition, SCHEMA);
  expect(shownCondition(YEAR, SCHEMA)).toBe("year ≥ 1999");
  expect(shown("tag", "Eq", "")).toBe('tag is ""');
  expect(shown("tag", "Eq", null)).toBe("tag is absent");
  expect(shown("tag", "In", ["x", "y"])).toBe("tag is one of x, y");
  expect(shown("text", "ContainsAllTokens", "a b", { last_as_prefix: true })).toBe(
    "text has all words a b",
  );
  expect(shown("missing", "Eq", 1)).toBe('["missing","Eq",1]');
});
