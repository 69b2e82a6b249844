import { expect, test } from "vitest";
import { parseRoute, routePath, type ScreenName } from "./route.ts";

const at = (path: string, search = "") => {
  const { screen, namespace } = parseRoute(path, search);
  return [screen, namespace];
};

test("addresses name a screen, and a namespace where they are about one", () => {
  expect(at("/console/")).toEqual(["namespaces", undefined]);
  expect(at("/console/namespaces")).toEqual(["namespaces", undefined]);
  expect(at("/console/operation/")).toEqual(["operation", undefined]);
  expect(at("/console/namespaces/books")).toEqual(["documents", "books"]);
  expect(at("/console/namespaces/a.b/query")).toEqual(["query", "a.b"]);
});

test.each([
  "/console/nothing",
  "/console/namespaces/books/nothing",
  "/console/namespaces/books/query/more",
  "/console/import/books",
  "/console/namespaces/%zz",
])("%s means nothing", (path) => {
  expect(at(path)).toEqual([undefined, undefined]);
});

test("an address is read as it was made", () => {
  const screens: [ScreenName, string?][] = [["namespaces"], ["import"], ["map", "a.b-c_1"]];
  for (const [screen, namespace] of screens) {
    const [path, search] = routePath(screen, namespace, { q: "a&b", none: "" }).split("?");
    const route = parseRoute(path, search);
    expect([route.screen, route.namespace]).toEqual([screen, namespace]);
    expect([...route.parameters]).toEqual([["q", "a&b"]]);
  }
});
