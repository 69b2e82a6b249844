import { describe, expect, test } from "vitest";
import { readJudgmentFile, writeQrels } from "./qrels.ts";
import { writeJudgments } from "./saved-judgments.ts";

const SAVED = [
  { id: "1", text: "fox", grades: { "10": 3, b: 0 } },
  { id: "q-2", text: "hen", grades: { c: 1 } },
];

test("grades are written as evaluation programs read them", () => {
  expect(writeQrels(SAVED)).toBe("1 0 10 3\n1 0 b 0\nq-2 0 c 1\n");
  expect(writeQrels([])).toBe("");
});

test("ids that have blanks are refused, with the way out", () => {
  const saved = [{ id: "1", text: "", grades: { "a b": 1 } }];
  expect(() => writeQrels(saved)).toThrow(
    'id "a b": qrels have no ids with blanks; export JSON instead',
  );
});

describe("a file", () => {
  test("of qrels gives grades to queries that are there, and to new ones without a text", () => {
    const read = readJudgmentFile([SAVED[1]], "1 0 10 3\n1\t0\tb\t-1\r\n\nq-2 Q0 d 2\n");
    expect(read).toEqual([
      { id: "q-2", text: "hen", grades: { c: 1, d: 2 } },
      { id: "1", text: "", grades: { "10": 3, b: -1 } },
    ]);
  });

  test("of texts gives them to queries, whichever came first", () => {
    const grades = readJudgmentFile([], writeQrels(SAVED));
    expect(readJudgmentFile(grades, "1\tfox\nq-2\then\n")).toEqual(SAVED);
    const texts = readJudgmentFile([], "1\tfox\nq-2\then\n");
    expect(readJudgmentFile(texts, writeQrels(SAVED))).toEqual(SAVED);
  });

  test("of JSON is read as it was written", () => {
    expect(readJudgmentFile([], writeJudgments(SAVED))).toEqual(SAVED);
  });

  test.each([
    ["", "the file is empty"],
    ["1 0 10 3\n1 0 11\n", "line 1: neither"],
    ["1\tfox\nno tab\n", "line 2: neither"],
    ['{"version":2}', "version: must be 1, got 2"],
  ])("%j is refused: %s", (text, message) => {
    expect(() => readJudgmentFile([], text)).toThrow(message);
  });
});
