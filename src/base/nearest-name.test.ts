import { expect, test } from "vitest";
import { nearestName, similarName } from "./nearest-name.ts";

test.each([
  ["prot", ["host", "port"], "port"],
  ["PORT", ["host", "port"], "port"],
  ["data", ["port", "data-dir"], "data-dir"],
  ["", ["abc", "a"], "a"],
])("nearest to %j in %j is %s", (name, candidates, nearest) => {
  expect(nearestName(name, candidates)).toBe(nearest);
});

test("without candidates there is none, and of equals the first", () => {
  expect(nearestName("a", [])).toBeUndefined();
  expect(nearestName("a", ["b", "c"])).toBe("b");
});

test.each([
  ["eq", ["Eq", "NotEq"], "Eq"],
  ["Equals", ["Eq", "Glob"], "Eq"],
  ["vec", ["vector", "via"], "vector"],
  ["titel", ["title", "text"], "title"],
  ["zz", ["t", "text"], undefined],
  ["Min", ["Max", "Sum"], undefined],
  ["x", [], undefined],
])("what is similar to %j in %j is %s", (name, candidates, similar) => {
  expect(similarName(name, candidates)).toBe(similar);
});

test("of a name of any length the beginning is compared", () => {
  expect(nearestName(`vector${"y".repeat(2 ** 26)}`, ["text", "vector"])).toBe("vector");
  expect(similarName(`vector${"y".repeat(2 ** 26)}`, ["text", "vector"])).toBe("vector");
  expect(similarName("y".repeat(2 ** 26), ["text", "vector"])).toBeUndefined();
});
