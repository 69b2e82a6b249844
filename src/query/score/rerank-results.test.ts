import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import type { ModelRerank } from "../../model/query.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import type { AttributeValue } from "../../model/value.ts";
import { rerankCandidates, rerankedResult } from "./rerank-results.ts";

const RERANK: ModelRerank = { model: "m", attribute: "text", query: "q", limit: 10, offset: 0 };

function found(id: bigint, text: AttributeValue, more: readonly string[] = []): ResultDocument {
  const type = { kind: "scalar", of: "string" } as const;
  const texts = text === null ? [] : ([["text", type, text]] as const);
  const others = more.map((name) => [name, type, name] as const);
  return { id, dist: 7, attributes: [...texts, ...others], computed: [] };
}

function ranking(...documents: ResultDocument[]): QueryResult {
  return { kind: "documents", documents };
}

function shown(result: QueryResult): unknown[] {
  return result.kind !== "documents" ? [] : result.documents.map(({ id, dist }) => [id, dist]);
}

test("each document is scored once, with the text of the first ranking that has it", () => {
  const results = [
    ranking(found(3n, "three", ["a"]), found(1n, "one")),
    ranking(found(1n, "one", ["b"]), found(2n, "two")),
  ];
  const { documents, texts } = runSteps(rerankCandidates(results, RERANK));
  expect(texts).toEqual(["three", "one", "two"]);
  expect(documents.map(({ attributes }) => attributes.map(([name]) => name))).toEqual([
    ["text", "a"],
    ["text", "b"],
    ["text"],
  ]);
});

test("the highest score comes first, ties by id, documents without a text last", () => {
  const results = [
    ranking(found(9n, null), found(5n, "a"), found(4n, "b"), found(3n, ""), found(2n, "c")),
  ];
  const candidates = runSteps(rerankCandidates(results, RERANK));
  expect(candidates.texts).toEqual(["a", "b", "c"]);
  // Equal as float32, which is what answers show.
  const ranked = rerankedResult(candidates, [0.1, 0.1 + 1e-12, -3], RERANK);
  const tenth = Math.fround(0.1);
  expect(shown(ranked)).toEqual([
    [4n, tenth],
    [5n, tenth],
    [2n, -3],
    [3n, undefined],
    [9n, undefined],
  ]);
  const window = rerankedResult(candidates, [0, 1, 2], { ...RERANK, limit: 2, offset: 2 });
  expect(shown(window)).toEqual([
    [5n, 0],
    [3n, undefined],
  ]);
});
