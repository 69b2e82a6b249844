/** `rank_by` on the wire: forms, operands, scores, and what each refusal says. */

import { beforeAll, describe } from "vitest";
import { contractServer } from "../support/servers/contract-server.ts";
import { contractTable, idRows, scoredRows } from "../support/servers/contract-table.ts";

const { write, query } = contractServer("rank");
const ns = "rank";
const ask = (body: unknown) => query(ns, body);
const by = (rank_by: unknown, extra: object = {}) => ({ rank_by, limit: 5, ...extra });
const bm25 = ["text", "BM25", "hello"];
const value = (attribute: string) => ["Attribute", attribute];
const RANK_INPUT = "data did not match any variant of enum a valid variant of RankInput";

beforeAll(async () => {
  const schema = {
    text: { type: "string", full_text_search: true },
    list: { type: "[]string", full_text_search: true },
    words: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" } },
    sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    tokens: { type: "[][2]f32", ann: { late_interaction: true } },
    at: "datetime",
    heat: "float",
    likes: "uint",
    raw: "bytes",
    uid: "uuid",
    plain: { type: "string", filterable: false },
  };
  const upsert_rows = [
    {
      id: 1,
      vector: [1, 0],
      tokens: [[1, 0]],
      text: "hello world",
      list: ["hello a", "b"],
      words: ["Hello"],
      sparse: { a: 1 },
      at: "2024-01-01",
      heat: 1.5,
      likes: 3,
      n: 1,
      raw: "AAEC",
      plain: "x",
      yes: true,
      tags: ["x"],
    },
    { id: 2, vector: [0, 1], tokens: [[0, 1]], text: "bye", at: "2024-01-11", heat: -2.5, n: 5 },
    { id: 3, vector: [1, 1], tokens: [[1, 1]], n: -7 },
  ];
  await write(ns, { distance_metric: "cosine_distance", schema, upsert_rows });
});

describe("vectors", () => {
  const ann = (operand: unknown, attribute = "vector") => by([attribute, "ANN", operand]);
  const near = scoredRows([1, 0], [3, 0.29289323], [2, 1]);
  const knn = (extra: object) => by(["vector", "kNN", [1, 0]], extra);
  const nested = "cannot be part of another expression; send a multi-query";
  contractTable(
    [
      ["numbers", ann([1, 0]), near],
      ["base64", ann("AACAPwAAAAA="), near],
      ["several, as base64", ann(["AACAPwAAAAA="], "tokens"), near],
      ["too many dimensions", ann([1, 0, 0]), 400, "has 3 dimensions, expected 2 dimensions"],
      ["too many, of several", ann([[1, 0, 0]], "tokens"), 400, "3 dimensions", "2 dimensions"],
      ["base64 of half a number", ann("AACA"), 400, "3 bytes", "float32"],
      ["no base64", ann("!!!!"), 400, "base64"],
      ["empty", ann([]), 400, "empty"],
      ["null", ann(null), 422, "rank_by[2]"],
      ["an object", ann({ a: 1 }), 422, "rank_by[2]"],
      ["null within", ann([1, null]), 422, "rank_by[2][1]"],
      ["beyond float32", ann([1e300, 0]), 400, "finite float32"],
      ["missing", by(["vector", "ANN"]), 422, RANK_INPUT, "expects one vector"],
      ["more than one operand", by(["vector", "ANN", [1, 0], {}]), 422, RANK_INPUT],
      ["an unknown attribute", ann([1, 0], "vec"), 400, '"vec" not found', 'nearest is "vector"'],
      ["a number's attribute", ann([1, 0], "n"), 400, "not a vector attribute, but int"],
      ["a sparse attribute", ann([1, 0], "sparse"), 400, "not a vector attribute"],
      ["several for one", ann([[1, 0]]), 400, "[2]f32"],
      ["one for several", ann([1, 0], "tokens"), 400, "array of vectors"],
      ["ann in lower case", by(["vector", "ann", [1, 0]]), 422, 'did you mean "ANN"?'],
      ["kNN in capitals", by(["vector", "KNN", [1, 0]]), 422, 'did you mean "kNN"?'],
      ["kNN without filters", knn({}), 400, "kNN requires filters"],
      ["kNN with null filters", knn({ filters: null }), 400, "kNN requires filters"],
      ["kNN over everything", knn({ filters: ["And", []] }), near],
      ["ANN in a sum", by(["Sum", [["vector", "ANN", [1, 0]], bm25]]), 400, nested],
      ["kNN in a product", by(["Product", 2, ["vector", "kNN", [1, 0]]]), 400, nested],
    ],
    ask,
  );
});

describe("sparse vectors", () => {
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i}`, 1]));
  const knn = (operand: unknown, attribute = "sparse") => by([attribute, "SparseKNN", operand]);
  contractTable(
    [
      ["a dot product", knn({ a: 2, other: 1 }), scoredRows([1, 2])],
      ["negative weights", knn({ a: -2 }), scoredRows([1, -2])],
      ["within a sum", by(["Sum", [["sparse", "SparseKNN", { a: 2 }]]]), scoredRows([1, 2])],
      ["weights that are no f16", knn({ a: 0.1 }), scoredRows([1, 0.099975586])],
      ["weights that f16 has no room for", knn({ a: 65520 }), 400, '"a"', "to 65504), was 65520"],
      ["no entries", knn({}), idRows()],
      ["1,024 entries", knn(entries(1024)), idRows()],
      ["1,025 entries", knn(entries(1025)), 400, "at most 1024 entries, got 1025"],
      ["a list", knn([1]), 422, "a map from dimension names to numbers"],
      ["a string as weight", knn({ a: "1" }), 422, "rank_by[2].a"],
      ["a dense attribute", knn({ a: 1 }, "vector"), 400, "{}f16, not [2]f32"],
    ],
    ask,
  );
});

describe("BM25", () => {
  const text = (operand: unknown, ...options: unknown[]) =>
    by(["text", "BM25", operand, ...options]);
  const input = (got: string, name: string, type: string) =>
    `💔 invalid input '${got}' for rank_by field "${name}", expecting ${type}`;
  const words = (operand: unknown) => by(["words", "BM25", operand]);
  contractTable(
    [
      ["a prefix", text("he", { last_as_prefix: true }), scoredRows([1, 1])],
      ["unknown options", text("he", { nope: true }), idRows()],
      ["no words", text(""), idRows()],
      ["tokens for text", text(["hello"]), 400, input("[hello]", "text", "string")],
      ["a number", text(5), 400, input("5", "text", "string")],
      ["null", text(null), 400, input("null", "text", "string")],
      ["text for tokens", words("a"), 400, input("a", "words", "[]string")],
      ["numbers for tokens", words([1]), 400, input("[1]", "words", "[]string")],
      ["a prefix that is no boolean", text("he", { last_as_prefix: 1 }), 400, "`last_as_prefix`"],
      ["options as a list", text("he", []), 422, "rank_by[3]"],
      ["no query", by(["text", "BM25"]), 422, RANK_INPUT, "BM25 expects a query"],
      ["too many operands", text("a", {}, 1), 422, RANK_INPUT],
      ["an attribute without it", by(["plain", "BM25", "x"]), 400, "needs `full_text_search`"],
      ["lower case", by(["text", "bm25", "x"]), 422, 'did you mean "BM25"?'],
      ["8,192 characters of two units", text("🐡".repeat(8192)), idRows()],
      ["8,193 characters", text("x".repeat(8193)), 400, "at most 8192 characters, got 8193"],
    ],
    ask,
  );
});

describe("orders", () => {
  const unordered = (name: string, type: string): [string, object, number, string] => [
    `by ${type}`,
    by([name, "asc"]),
    400,
    `cannot order by ${type}`,
  ];
  const either = 'expected "asc" or "desc"';
  contractTable(
    [
      ["eight attributes", by(Array(8).fill(["n", "asc"])), idRows(3, 1, 2)],
      ["nine attributes", by(Array(9).fill(["n", "asc"])), 400, "at most 8 attributes, got 9"],
      ["null comes first ascending", by(["heat", "asc"]), idRows(3, 2, 1)],
      ["null comes last descending", by(["heat", "desc"]), idRows(1, 2, 3)],
      unordered("tags", "[]string"),
      unordered("raw", "bytes"),
      unordered("sparse", "{}f16"),
      unordered("vector", "[2]f32"),
      unordered("tokens", "[][2]f32"),
      ["what is not filterable", by(["plain", "asc"]), 400, "set `filterable: true`"],
      ["an unknown attribute", by(["zz", "asc"]), 400, "the attributes are id, text, "],
      ["another direction", by(["n", "up"]), 422, RANK_INPUT, either, 'got "up"'],
      [
        "another direction in a list",
        by([
          ["n", "asc"],
          ["id", "down"],
        ]),
        422,
        either,
        "[1][1]",
      ],
      ["a list without direction", by([["n"]]), 422, RANK_INPUT],
      ["an order with an operand", by(["n", "asc", 1]), 422, "an order stands alone"],
      ["empty", by([]), 400, "💔 rank_by cannot be empty"],
      ["a string", by("id"), 422, RANK_INPUT, "expected an array"],
      ["an object", by({ id: "asc" }), 422, RANK_INPUT],
    ],
    ask,
  );
});

describe("score arithmetic", () => {
  const signed = 'scores must be non-negative; use ["Max", 0, ["Attribute", "n"]]';
  const max = scoredRows([2, 5], [1, 1]);
  contractTable(
    [
      ["Max with a floor before", by(["Max", 0, value("n")]), max],
      ["Max with a floor in the list", by(["Max", [0, value("n")]]), max],
      ["a floor above all", by(["Max", 5, value("n")]), scoredRows([1, 5], [2, 5], [3, 5])],
      ["a negative floor", by(["Max", -1, bm25]), 400, "non-negative", "got -1"],
      [
        "a floor of what only another clause finds",
        by([
          "Sum",
          [
            ["Product", 5, ["id", "Gte", 1]],
            ["Max", [1, ["n", "Eq", 5]]],
          ],
        ]),
        scoredRows([1, 6], [2, 6], [3, 6]),
      ],
      ["only a floor", by(["Max", [0]]), 400, "at least one expression"],
      ["two floors", by(["Max", [0, 1, bm25]]), 400, "at most one number"],
      ["Max of a score without a list", by(["Max", bm25]), 422, 'expected ["Max", [expression'],
      ["Max of nothing", by(["Max", []]), 400, "at least one expression"],
      ["Sum of nothing", by(["Sum", []]), 400, "at least one expression"],
      ["a number in Sum", by(["Sum", [1, bm25]]), 400, "rank_by[1][0]", "number"],
      ["Sum without a list", by(["Sum", bm25]), 422, 'expected ["Sum", [expression, …]]'],
      ["Product with weight 0", by(["Product", 0, bm25]), idRows()],
      ["a negative weight", by(["Product", -1, bm25]), 400, "non-negative", "got -1"],
      ["a weight as a string", by(["Product", "2", bm25]), 400, "one number and one expression"],
      ["Product of expressions", by(["Product", bm25, bm25]), 400, "one number"],
      ["beyond float32", by(["Product", 1e308, ["n", "Gte", 5]]), scoredRows([2, 3.4028235e38])],
      ["signed values", by(value("n")), 400, signed],
      ["signed values in a sum", by(["Sum", [value("n"), bm25]]), 400, signed],
      ["signed values in a product", by(["Product", 2, value("n")]), 400, signed],
      ["signed values in Max", by(["Max", [value("n"), bm25]]), 400, signed],
      ["unsigned values", by(value("likes")), scoredRows([1, 3])],
      ["ids", by(value("id")), scoredRows([3, 3], [2, 2], [1, 1])],
      ["booleans", by(value("yes")), 400, "not bool"],
      ["an unknown attribute", by(value("zz")), 400, '"zz" not found'],
      ["an unknown function", by(["Summ", [bm25]]), 422, RANK_INPUT, 'did you mean "Sum"?'],
      ["nothing known", by(["Min", [bm25]]), 422, RANK_INPUT, "expected one of Sum, Max, Product"],
      ["a filter", by(["n", "Gt", 0]), scoredRows([1, 1], [2, 1])],
      ["a negated filter", by(["Not", ["n", "Gt", 0]]), scoredRows([3, 1])],
      ["a filter's fault", by(["n", "Eq", "x"]), 400, "Eq expects int, but got 'x'"],
    ],
    ask,
  );
});

describe("Dist, Saturate and Decay", () => {
  const away = (attribute: string, origin: unknown) => ["Dist", value(attribute), origin];
  const curve = (options: unknown) => by(["Saturate", value("n"), options]);
  const decay = (midpoint: unknown) => by(["Decay", away("at", "2024-01-01"), { midpoint }]);
  const tenth = scoredRows([1, 1], [2, 0.09090909]);
  contractTable(
    [
      ["farthest first, without null", by(away("heat", 1)), scoredRows([2, 3.5], [1, 0.5])],
      ["of ids", by(away("id", 1)), scoredRows([3, 2], [2, 1])],
      ["a fraction from integers", by(away("n", 5.5)), 400, "an origin of type int"],
      ["a negative origin of uint", by(away("likes", -1)), 400, "an origin of type uint"],
      ["a number from datetimes", by(away("at", 5)), 400, "an origin of type datetime"],
      ["no datetime", by(away("at", "soon")), 400, "datetime, but got 'soon'"],
      ["of strings", by(away("plain", "x")), 400, "not string"],
      ["from null", by(away("n", null)), 422, "rank_by[2]"],
      ["without Attribute", by(["Dist", "n", 1]), 422, 'expected ["Dist", ["Attribute", name]'],
      ["negative values are 0", curve({ midpoint: 1 }), scoredRows([2, 0.8333333], [1, 0.5])],
      ["no midpoint", curve({}), 422, "missing field `midpoint`"],
      ["no options", by(["Saturate", value("n")]), 422, '["Saturate", expression, {"midpoint"'],
      ["midpoint 0", curve({ midpoint: 0 }), 400, "greater than 0"],
      ["a negative midpoint", curve({ midpoint: -1 }), 400, "greater than 0"],
      ["exponent 0", curve({ midpoint: 1, exponent: 0 }), 400, "greater than 0"],
      ["exponent as a string", curve({ midpoint: 1, exponent: "2" }), 422, "exponent"],
      ["a duration of numbers", curve({ midpoint: "1d" }), 400, "a duration", "use a number"],
      ["10 days from the midpoint, ms", decay("86400000ms"), tenth],
      ["s", decay("86400s"), tenth],
      ["m", decay("1440m"), tenth],
      ["h", decay("24h"), tenth],
      ["d", decay("1d"), tenth],
      ["w", decay("1w"), scoredRows([1, 1], [2, 0.4117647])],
      ["a number of milliseconds", decay(86_400_000), tenth],
      ["another unit", decay("1y"), 400, "units ms, s, m, h, d, w", "'1y'"],
      ["a duration of 0", decay("0d"), 400, "greater than 0"],
    ],
    ask,
  );
});
