import { describe, expect, test } from "vitest";
import {
  firstForm,
  formWords,
  type RankingForm,
  rankingBody,
  readForm,
  secondForm,
} from "./ranking-form.ts";

const OPTIONS = {
  limit: 20,
  attributes: ["title"],
  vectors: [
    { attribute: "embed_body", embeds: "body" },
    { attribute: "vector", embeds: undefined },
  ],
};
const QUERY = { text: "red fox", vector: undefined };
const TITLE = { attribute: "title", weight: 1 };
const HYBRID = {
  kind: "hybrid",
  clauses: [TITLE],
  attribute: "embed_body",
  vectorWeight: 0.3,
  rankConstant: 60,
} as const;

const bodyOf = (
  form: RankingForm,
  query: typeof QUERY | { text: string; vector: unknown } = QUERY,
) => rankingBody(form, query, OPTIONS);

describe("a ranking's request", () => {
  test("by words has a clause for each attribute, weighted where that is not 1", () => {
    const rankBy = ["title", "BM25", "red fox"];
    const common = { limit: 20, include_attributes: ["title"] };
    expect(bodyOf({ kind: "words", clauses: [TITLE] })).toEqual({ rank_by: rankBy, ...common });
    const clauses = [TITLE, { attribute: "body", weight: 0.5 }];
    expect(bodyOf({ kind: "words", clauses }).rank_by).toEqual([
      "Sum",
      [rankBy, ["Product", 0.5, ["body", "BM25", "red fox"]]],
    ]);
  });

  test("by a vector embeds the text, or takes the vector that the query has", () => {
    expect(bodyOf({ kind: "vector", attribute: "embed_body" }).rank_by).toEqual([
      "body",
      "ANN",
      ["Embed", "red fox"],
    ]);
    const form = { kind: "vector", attribute: "vector" } as const;
    expect(bodyOf(form, { text: "", vector: "AAAA" }).rank_by).toEqual(["vector", "ANN", "AAAA"]);
  });

  test("that is hybrid fuses both sides by their weights", () => {
    const body = bodyOf(HYBRID);
    expect(body.rerank_by).toEqual(["RRF", { rank_constant: 60, weights: [0.7, 0.3] }]);
    expect(body.limit).toBe(20);
    expect(body.queries).toEqual([
      { rank_by: ["title", "BM25", "red fox"], limit: 100, include_attributes: ["title"] },
      { rank_by: ["body", "ANN", ["Embed", "red fox"]], limit: 100, include_attributes: ["title"] },
    ]);
  });

  test("that is hybrid with one side of weight 0 asks the other one alone", () => {
    expect(bodyOf({ ...HYBRID, vectorWeight: 0 })).toEqual({
      rank_by: ["title", "BM25", "red fox"],
      limit: 20,
      include_attributes: ["title"],
    });
    expect(bodyOf({ ...HYBRID, vectorWeight: 1 }).rank_by).toEqual([
      "body",
      "ANN",
      ["Embed", "red fox"],
    ]);
  });

  test("in JSON has the query where it says so", () => {
    const text =
      '["Sum", [["title", "BM25", "$query"], ["Product", 2, ["body", "BM25", "$query"]]]]';
    expect(bodyOf({ kind: "json", text }).rank_by).toEqual([
      "Sum",
      [
        ["title", "BM25", "red fox"],
        ["Product", 2, ["body", "BM25", "red fox"]],
      ],
    ]);
    const queries = '{"queries": [{"rank_by": ["v", "ANN", "$vector"], "limit": 5}]}';
    expect(bodyOf({ kind: "json", text: queries }, { text: "", vector: [1, 2] })).toEqual({
      limit: 20,
      queries: [{ include_attributes: ["title"], rank_by: ["v", "ANN", [1, 2]], limit: 5 }],
    });
    const query = '{"rank_by": ["id", "asc"], "filters": ["a", "Eq", 1], "limit": 3}';
    expect(bodyOf({ kind: "json", text: query })).toEqual({
      rank_by: ["id", "asc"],
      filters: ["a", "Eq", 1],
      limit: 3,
      include_attributes: ["title"],
    });
  });

  test.each([
    [{ kind: "words", clauses: [] }, QUERY, "choose an attribute"],
    [{ kind: "words", clauses: [TITLE] }, { text: "", vector: [1] }, "write some as the query"],
    [{ kind: "vector", attribute: "vector" }, QUERY, "makes no vectors of texts for vector"],
    [
      { kind: "vector", attribute: "embed_body" },
      { text: "", vector: undefined },
      "write some words",
    ],
    [{ kind: "json", text: '["v", "ANN", "$vector"]' }, QUERY, "this query has none"],
    [{ kind: "json", text: "3" }, QUERY, "must be a rank_by"],
    [{ kind: "json", text: "[" }, QUERY, "JSON"],
  ] as [RankingForm, { text: string; vector: unknown }, string][])(
    "%j cannot be made of %j: %s",
    (form, query, message) => {
      expect(() => bodyOf(form, query)).toThrow(message);
    },
  );
});

test("rankings to begin with are what the namespace has", () => {
  const [words] = [firstForm(["title", "body"], [])];
  expect(words).toEqual({ kind: "words", clauses: [TITLE] });
  expect(secondForm(["title", "body"], [])?.kind).toBe("words");
  expect(secondForm(["title"], OPTIONS.vectors)).toEqual({ ...HYBRID, vectorWeight: 0.5 });
  expect(firstForm([], OPTIONS.vectors)).toEqual({ kind: "vector", attribute: "embed_body" });
  expect(firstForm([], [])).toBeUndefined();
});

test("an address gives back the form that it was made of, and nothing of what is none", () => {
  for (const form of [HYBRID, { kind: "words", clauses: [TITLE] }, { kind: "json", text: "" }]) {
    expect(readForm(JSON.stringify(form))).toEqual(form);
  }
  for (const text of [undefined, "", "{", "null", "[]", '{"kind":"words"}', '{"kind":"hybrid"}']) {
    expect(readForm(text)).toBeUndefined();
  }
});

test("rankings are told in a few words", () => {
  expect(formWords(HYBRID)).toBe("hybrid: 0.70 BM25 of title, 0.30 vector embed_body");
  expect(formWords({ kind: "words", clauses: [TITLE, { attribute: "b", weight: 2 }] })).toBe(
    "BM25 of title + 2·b",
  );
});
