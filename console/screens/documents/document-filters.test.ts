import { expect, test } from "vitest";
import {
  type Condition,
  conditionText,
  filtersOf,
  formatConditions,
  operatorsOf,
  parseConditions,
  parseOperand,
  toggleCondition,
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

test("operands follow the type", () => {
  expect(parseOperand("string", "Eq", "12")).toEqual({ value: "12" });
  expect(parseOperand("int", "Eq", "12")).toEqual({ value: 12 });
  expect(parseOperand("uint", "Eq", "18446744073709551615")).toEqual({ value: 2n ** 64n - 1n });
  expect(parseOperand("float", "Lt", "1.5e3")).toEqual({ value: 1500 });
  expect(parseOperand("bool", "Eq", "true")).toEqual({ value: true });
  expect(parseOperand("string", "Eq", "null")).toEqual({ value: null });
  expect(parseOperand("[]int", "Contains", "3")).toEqual({ value: 3 });
  expect(parseOperand("int", "In", "1, 2")).toEqual({ value: [1, 2] });
});

test("texts that are no operand are told so", () => {
  expect(parseOperand("int", "Eq", "1.5")).toEqual({ fault: "Write a whole number" });
  expect(parseOperand("float", "Eq", "")).toEqual({ fault: "Write a number" });
  expect(parseOperand("bool", "Eq", "yes")).toEqual({ fault: "Write true or false" });
  expect(parseOperand("int", "In", "1,b")).toEqual({ fault: "Write a whole number" });
});

test("operators are those that a type has", () => {
  expect(operatorsOf("[3]f32")).toEqual([]);
  expect(operatorsOf("bool")).toEqual(["Eq", "NotEq"]);
  expect(operatorsOf("[]string")[0]).toBe("Contains");
  expect(operatorsOf("string")).toContain("Glob");
  expect(operatorsOf("int")).not.toContain("Glob");
});

test("chips read as a person says it", () => {
  expect(conditionText(YEAR)).toBe("year ≥ 1999");
  expect(conditionText(["tag", "Eq", ""])).toBe('tag = ""');
  expect(conditionText(["a", "In", ["x", "y"]])).toBe('a in ["x","y"]');
});
