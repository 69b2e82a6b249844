import { expect, test } from "vitest";
import type { Ranking } from "../../query/query-model.ts";
import { rankedFirst } from "./ranked-columns.ts";

const COLUMNS = ["id", "$dist", "year", "width", "title", "note"];
const words = (...names: string[]): Ranking => ({
  kind: "text",
  attributes: names.map((name) => ({ name, weight: "1" })),
  combine: "Sum",
  query: "x",
  lastAsPrefix: false,
});

test("what was searched comes behind id and distance, in the order of the rankings", () => {
  expect(rankedFirst(COLUMNS, [words("note", "title")]).join()).toBe(
    "id,$dist,note,title,year,width",
  );
  const order: Ranking = { kind: "order", keys: [{ attribute: "width", direction: "asc" }] };
  expect(rankedFirst(COLUMNS, [order]).join()).toBe("id,$dist,width,year,title,note");
});

test("without a ranking, or one of what is not shown, all is as it was", () => {
  expect(rankedFirst(COLUMNS, [])).toEqual(COLUMNS);
  expect(rankedFirst(COLUMNS, [words("absent")])).toEqual(COLUMNS);
  expect(rankedFirst(["group", "count"], [words("title")])).toEqual(["group", "count"]);
});
