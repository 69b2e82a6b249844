import { describe, expect, test } from "vitest";
import {
  findQuery,
  gradesOf,
  measurable,
  merged,
  readJudgments,
  type SavedJudgments,
  withGrade,
  withoutQuery,
  writeJudgments,
} from "./saved-judgments.ts";

const FOX = { text: "fox" };
const GRADED = withGrade([], FOX, { document: "7", grade: 3 });

describe("grades", () => {
  test("save their query, change and are taken back", () => {
    expect(GRADED).toEqual([{ id: "1", text: "fox", grades: { 7: 3 } }]);
    const changed = withGrade(GRADED, FOX, { document: "7", grade: 0 });
    expect(gradesOf(findQuery(changed, FOX)).get("7")).toBe(0);
    const back = withGrade(changed, FOX, { document: "7", grade: undefined });
    expect(back).toEqual([{ id: "1", text: "fox", grades: {} }]);
    expect(withGrade([], FOX, { document: "7", grade: undefined })).toEqual([]);
  });

  test("are by text and vector: the same words like a document are another query", () => {
    const both = withGrade(GRADED, { text: "fox", like: "7" }, { document: "8", grade: 1 });
    expect(both).toHaveLength(2);
    expect(gradesOf(findQuery(both, FOX)).has("8")).toBe(false);
  });

  test("of document ids that objects have members of stay grades", () => {
    const saved = withGrade([], FOX, { document: "constructor", grade: 2 });
    expect(gradesOf(findQuery(saved, FOX)).get("constructor")).toBe(2);
    expect(gradesOf(findQuery(saved, FOX)).get("toString")).toBeUndefined();
  });
});

test("an id is not taken twice, also after a query was removed", () => {
  let saved: SavedJudgments = GRADED;
  saved = withGrade(saved, { text: "b" }, { document: "1", grade: 1 });
  saved = withoutQuery(saved, "1");
  saved = withGrade(saved, { text: "c" }, { document: "1", grade: 1 });
  expect(saved.map(({ id }) => id)).toEqual(["2", "3"]);
});

test("measures are taken of queries with something to ask and something relevant", () => {
  const grades = { 7: 1 };
  const saved = [
    { id: "1", text: "a", grades },
    { id: "2", text: "", grades },
    { id: "3", text: "b", grades: { 7: 0 } },
    { id: "4", text: "", like: "7", grades },
  ];
  expect(measurable(saved).map(({ id }) => id)).toEqual(["1", "4"]);
});

test("added queries have their grades beside those of the same id", () => {
  const added = [
    { id: "1", text: "", grades: { 8: 1 } },
    { id: "x", text: "new", grades: {} },
  ];
  expect(merged(GRADED, added)).toEqual([
    { id: "1", text: "fox", grades: { 7: 3, 8: 1 } },
    { id: "x", text: "new", grades: {} },
  ]);
});

describe("the JSON form", () => {
  test("is read as it was written", () => {
    const saved = withGrade(GRADED, { text: "b", like: '"x"' }, { document: "1", grade: 2 });
    expect(readJudgments(writeJudgments(saved))).toEqual(saved);
  });

  test.each([
    ["[]", "version: must be 1, got undefined"],
    ["null", "version: must be 1, got undefined"],
    ['{"version":1}', "queries: must be a list"],
    ['{"version":1,"queries":[null]}', "queries[0].id: must be a text"],
    ['{"version":1,"queries":[{"id":"1"}]}', "queries[0].text: must be a text"],
    [
      '{"version":1,"queries":[{"id":"1","text":"a","like":3}]}',
      "queries[0].like: must be a document's id as JSON in a text",
    ],
    [
      '{"version":1,"queries":[{"id":"1","text":"a"}]}',
      "queries[0].grades: must be an object of grades by document id",
    ],
    [
      '{"version":1,"queries":[{"id":"1","text":"a","grades":{"7":1.5}}]}',
      'queries[0].grades["7"]: must be a whole number',
    ],
  ])("%s is refused: %s", (text, message) => {
    expect(() => readJudgments(text)).toThrow(message);
  });
});
