import { describe, expect, test } from "vitest";
import { DatabaseError } from "../../base/errors.ts";
import { parseJson } from "../json/json-reader.ts";
import { ExpressionBudget } from "./expression-budget.ts";
import { parseRankBy } from "./parse-rank-by.ts";

const encoder = new TextEncoder();

function parse(rank: unknown) {
  const text = typeof rank === "string" ? rank : JSON.stringify(rank);
  return parseRankBy("rank_by", parseJson(encoder.encode(text)), new ExpressionBudget());
}

function fault(rank: unknown): string {
  try {
    parse(rank);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

const ONE_ZERO = Buffer.from(Float32Array.of(1, 0).buffer).toString("base64");
const TEXT = ["text", "BM25", "fish"];
const text = { kind: "bm25", attribute: "text", query: "fish", lastAsPrefix: false };

describe("vectors", () => {
  test.each<[unknown, unknown]>([
    [[1, 0], { kind: "vector", values: Float32Array.of(1, 0) }],
    [[0.1, 2e3], { kind: "vector", values: Float32Array.of(0.1, 2000) }],
    [ONE_ZERO, { kind: "vector", values: Float32Array.of(1, 0) }],
    [
      Array.from({ length: 20 }, (_, i) => i / 4),
      { kind: "vector", values: Float32Array.from({ length: 20 }, (_, i) => i / 4) },
    ],
    [
      [[1, 0], ONE_ZERO],
      { kind: "vectors", values: [Float32Array.of(1, 0), Float32Array.of(1, 0)] },
    ],
    [["Embed", "hello"], { kind: "embed", text: "hello", model: undefined }],
    [["Embed", "hello", null], { kind: "embed", text: "hello", model: undefined }],
    [["Embed", "hello", { model: "m", more: 1 }], { kind: "embed", text: "hello", model: "m" }],
  ])("reads the operand %j", (operand, expected) => {
    for (const method of ["ANN", "kNN"]) {
      expect(parse(["v", method, operand])).toEqual({
        kind: "vector",
        method,
        attribute: "v",
        operand: expected,
      });
    }
  });

  test.each<[unknown, string]>([
    [[], "invalid: 💔 rank_by[2]: a query vector cannot be empty"],
    ["", "invalid: 💔 rank_by[2]: a query vector cannot be empty"],
    ["*", "invalid: 💔 rank_by[2]: invalid base64"],
    ["AAAA", "invalid: 💔 rank_by[2]: base64 of 3 bytes, which is no multiple of the 4 bytes"],
    ["AACAfw==", "invalid: 💔 rank_by[2][0]: every element of a vector must be a finite float32"],
    [[1, 1e39], "invalid: 💔 rank_by[2][1]: every element"],
    [[1, "x"], "rank_by[2][1]: invalid type: string"],
    [[1, null], "malformed: "],
    [null, "malformed: "],
    [{}, "malformed: "],
    [["Embed"], "malformed: "],
    [["Embed", 12], "malformed: "],
    [["Embed", "x", { model: 1 }], "malformed: "],
    [["Embed", "x", {}, 1], "malformed: "],
    [new Array(10_753).fill(1), "invalid: 💔 rank_by[2]: a vector has at most 10752 dimensions"],
  ])("refuses the operand %j", (operand, expected) => {
    expect(fault(["v", "ANN", operand])).toContain(expected);
  });

  test("a vector takes exactly one operand", () => {
    expect(fault(["v", "ANN"])).toContain("malformed: ");
    expect(fault(["v", "ANN", [1], {}])).toContain("malformed: ");
  });
});

describe("order", () => {
  test.each([
    [["a", "desc"], [{ attribute: "a", direction: "desc" }]],
    [
      [
        ["a", "asc"],
        ["b", "desc"],
      ],
      [
        { attribute: "a", direction: "asc" },
        { attribute: "b", direction: "desc" },
      ],
    ],
    [["Sum", "asc"], [{ attribute: "Sum", direction: "asc" }]],
  ])("%j", (rank, keys) => {
    expect(parse(rank)).toEqual({ kind: "order", keys });
  });

  test("at most eight attributes", () => {
    expect(fault(new Array(8).fill(["a", "asc"]))).toBe("accepted");
    expect(fault(new Array(9).fill(["a", "asc"]))).toContain("invalid: 💔 rank_by: can order by");
  });

  test.each([[["a", "up"]], [[["a", "up"]]], [[["a"]]], [[["a", "asc", 1]]], [["a", 5]]])(
    "%j is refused",
    (rank) => {
      expect(fault(rank)).toContain("malformed: ");
      expect(fault(rank)).toContain("a valid variant of RankInput");
    },
  );
});

describe("scores", () => {
  const attribute = { kind: "attribute", attribute: "a" };
  test.each<[unknown, unknown]>([
    [TEXT, text],
    [["text", "BM25", ["fish", "tank"]], { ...text, query: ["fish", "tank"] }],
    [["text", "BM25", "fish", { last_as_prefix: true }], { ...text, lastAsPrefix: true }],
    [["text", "BM25", "fish", null], text],
    [
      ["s", "SparseKNN", { x: 1, y: 0.5 }],
      {
        kind: "sparse",
        attribute: "s",
        entries: new Map([
          ["x", 1],
          ["y", 0.5],
        ]),
      },
    ],
    [["Sum", [TEXT, TEXT]], { kind: "sum", clauses: [text, text] }],
    [["Max", [TEXT, TEXT]], { kind: "max", clauses: [text, text] }],
    [["Max", 0, ["Attribute", "a"]], { kind: "floor", floor: 0, clause: attribute }],
    [["Max", [0, ["Attribute", "a"]]], { kind: "floor", floor: 0, clause: attribute }],
    [
      ["Max", [1.5, TEXT, TEXT]],
      { kind: "floor", floor: 1.5, clause: { kind: "max", clauses: [text, text] } },
    ],
    [["Product", 2, TEXT], { kind: "product", weight: 2, clause: text }],
    [["Product", TEXT, 0.5], { kind: "product", weight: 0.5, clause: text }],
    [["Attribute", "a"], attribute],
    [["Dist", ["Attribute", "a"], 5], { kind: "dist", attribute: "a", origin: 5n }],
    [
      ["Dist", ["Attribute", "a"], "2026-01-01"],
      { kind: "dist", attribute: "a", origin: "2026-01-01" },
    ],
    [
      ["Saturate", ["Attribute", "a"], { midpoint: 10 }],
      { kind: "saturate", clause: attribute, midpoint: 10n, exponent: 1 },
    ],
    [
      ["Decay", ["Dist", ["Attribute", "a"], "2026-01-01"], { midpoint: "7d", exponent: 2 }],
      {
        kind: "decay",
        clause: { kind: "dist", attribute: "a", origin: "2026-01-01" },
        midpoint: "7d",
        exponent: 2,
      },
    ],
    [
      ["Sum", [TEXT, ["Product", 3, ["And", [["a", "Eq", 1]]]]]],
      {
        kind: "sum",
        clauses: [
          text,
          {
            kind: "product",
            weight: 3,
            clause: {
              kind: "filter",
              filter: {
                kind: "and",
                filters: [
                  {
                    kind: "condition",
                    attribute: "a",
                    operator: "Eq",
                    operand: { kind: "value", value: 1n },
                  },
                ],
              },
            },
          },
        ],
      },
    ],
    [["Sum", "BM25", "fish"], { ...text, attribute: "Sum" }],
    [["Attribute", "BM25", "fish"], { ...text, attribute: "Attribute" }],
  ])("reads %j", (rank, expression) => {
    expect(parse(rank)).toEqual({ kind: "score", expression });
  });

  const wide = Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`d${i}`, 1]));
  let deep: unknown = TEXT;
  for (let i = 0; i < 32; i++) deep = ["Product", 1, deep];

  test.each<[unknown, string]>([
    [[], "invalid: 💔 rank_by cannot be empty"],
    ["5", "data did not match any variant of enum a valid variant of RankInput"],
    ["{}", "data did not match any variant of enum a valid variant of RankInput"],
    [["a"], "malformed: "],
    [["a", "BM52", "x"], 'unknown operator "BM52", did you mean "BM25"?'],
    [["Summ", [TEXT]], 'unknown function "Summ", did you mean "Sum"?'],
    [["text", "BM25"], "malformed: "],
    [["text", "BM25", "x", {}, 1], "malformed: "],
    [["text", "BM25", "x", "y"], "malformed: "],
    [["text", "BM25", "x", { last_as_prefix: 1 }], "invalid: "],
    [["text", "BM25", "x".repeat(8193)], "invalid: 💔 rank_by[2]: a full-text query has at most"],
    [["s", "SparseKNN", [1, 2]], "malformed: "],
    [["s", "SparseKNN", { x: "1" }], "rank_by[2].x: invalid type"],
    [["s", "SparseKNN", wide], "invalid: 💔 rank_by[2]: a sparse vector has at most 1024"],
    [["Sum", []], "invalid: "],
    [["Sum", [TEXT, 5]], "invalid: 💔 rank_by[1][1]: a number cannot be part of Sum"],
    [["Sum", TEXT, TEXT], "malformed: "],
    [["Max", [1, 2]], "invalid: "],
    [["Max", [0]], "invalid: "],
    [["Max", -1, TEXT], "non-negative"],
    [["Product", -2, TEXT], "invalid: 💔 rank_by[1]: must be a non-negative number, got -2"],
    [["Product", TEXT, TEXT], "invalid: "],
    [["Product", 2, 3], "invalid: "],
    [["Product", 2], "malformed: "],
    [["Dist", "a", 5], "malformed: "],
    [["Dist", TEXT, 5], "malformed: "],
    [["Dist", ["Attribute", "a"], [1]], "malformed: "],
    [["Dist", ["Attribute", "a"], null], "malformed: "],
    [["Saturate", TEXT], "malformed: "],
    [["Saturate", TEXT, {}], "rank_by[2]: missing field `midpoint`"],
    [["Saturate", TEXT, { midpoint: 0 }], "invalid: "],
    [["Decay", TEXT, { midpoint: -1 }], "invalid: "],
    [["Decay", TEXT, { midpoint: 1, exponent: 0 }], "invalid: "],
    [["Decay", TEXT, { midpoint: 1, exponent: "2" }], "malformed: "],
    [["Decay", TEXT, { midpoint: [] }], "malformed: "],
    [["Sum", [["v", "ANN", [1]]]], "invalid: 💔 rank_by[1][0]: ANN cannot be part of"],
    [["Sum", [["v", "kNN", [1]]]], "invalid: 💔 rank_by[1][0]: kNN cannot be part of"],
    [["Sum", [["a", "asc"]]], "malformed: "],
    [deep, "invalid: "],
  ])("refuses %j", (rank, expected) => {
    expect(fault(rank)).toContain(expected);
  });

  test("the length of a query counts characters, not units", () => {
    expect(fault(["text", "BM25", "🐡".repeat(8192)])).toBe("accepted");
    expect(fault(["text", "BM25", "🐡".repeat(8193)])).toContain("invalid: ");
  });

  test("a request has at most sixteen Embed clauses", () => {
    const budget = new ExpressionBudget();
    const rank = parseJson(encoder.encode('["v","ANN",["Embed","x"]]'));
    for (let i = 0; i < 16; i++) parseRankBy("rank_by", rank, budget);
    expect(() => parseRankBy("rank_by", rank, budget)).toThrow("at most 16 Embed clauses");
  });
});
