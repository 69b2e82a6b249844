/** Every filter operator, the rules about nulls, and what filters are refused for. */

import { beforeAll, describe, expect, test } from "vitest";
import { expectFault, idsOf, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("filters");
const ns = namespace();

beforeAll(async () => {
  await ns.write({
    schema: {
      title: { type: "string", full_text_search: true, filterable: true, regex: true, fuzzy: true },
      path: { type: "string", glob: true },
      names: {
        type: "[]string",
        full_text_search: true,
        glob: true,
        regex: true,
        fuzzy: true,
        filterable: true,
      },
      at: "datetime",
      price: "float",
      plain: { type: "string", filterable: false },
    },
    upsert_rows: [
      {
        id: 1,
        title: "The quick brown fox",
        path: "src/query/plan/plan.ts",
        names: ["Ada Lovelace", "Alan Turing"],
        tags: ["red", "green"],
        sizes: [1, 5],
        at: "2020-01-01",
        price: 1.5,
        plain: "x",
      },
      {
        id: 2,
        title: "A lazy dog",
        path: "src/main.ts",
        names: ["Grace Hopper"],
        tags: ["blue"],
        sizes: [10],
        at: "2021-06-01T12:00:00Z",
        price: -2,
      },
      { id: 3, title: "quick quick lazy", path: "README.md", tags: [], sizes: [] },
      { id: 4 },
    ],
  });
});

/** Ids that a filter leaves. */
async function matching(filters: unknown, from = ns): Promise<(string | number)[]> {
  return idsOf(await from.query({ filters: untyped(filters), rank_by: ["id", "asc"], limit: 100 }));
}

test("null sorts below every value, and negations are exact complements", async () => {
  const nulls = namespace();
  await nulls.write({ upsert_rows: [{ id: 1 }, { id: 2, n: 5 }, { id: 3, n: 10 }] });
  const table: [unknown, number[]][] = [
    [["n", "Eq", null], [1]],
    [
      ["n", "NotEq", null],
      [2, 3],
    ],
    [
      ["n", "NotEq", 5],
      [1, 3],
    ],
    [["n", "In", [5]], [2]],
    [
      ["n", "NotIn", [5]],
      [1, 3],
    ],
    [["n", "Lt", 5], [1]],
    [
      ["n", "Lte", 5],
      [1, 2],
    ],
    [["n", "Gt", 5], [3]],
    [
      ["n", "Gte", 5],
      [2, 3],
    ],
    [["n", "Lt", null], []],
    [["n", "Lte", null], [1]],
    [
      ["n", "Gt", null],
      [2, 3],
    ],
    [
      ["n", "Gte", null],
      [1, 2, 3],
    ],
  ];
  for (const [filter, expected] of table) {
    expect([filter, await matching(filter, nulls)]).toEqual([filter, expected]);
  }
  const nullInList = nulls.query({ filters: ["n", "In", [null]], top_k: 1 });
  await expectFault(nullInList, 422);
});

describe("operators", () => {
  const cases: [string, unknown, number[]][] = [
    ["Eq on a string", ["title", "Eq", "A lazy dog"], [2]],
    ["Eq on a datetime", ["at", "Eq", "2021-06-01T14:00:00+02:00"], [2]],
    ["Eq on a float", ["price", "Eq", -2], [2]],
    ["Eq on a whole array", ["tags", "Eq", ["red", "green"]], [1]],
    ["Eq on an empty array", ["tags", "Eq", []], [3]],
    ["NotEq on a whole array", ["tags", "NotEq", ["blue"]], [1, 3, 4]],
    ["In on a scalar", ["title", "In", ["A lazy dog", "no"]], [2]],
    ["In on an array: any element", ["sizes", "In", [5, 10]], [1, 2]],
    ["In with a single operand", ["tags", "In", "blue"], [2]],
    ["NotIn on an array", ["sizes", "NotIn", [5]], [2, 3, 4]],
    ["Contains", ["tags", "Contains", "red"], [1]],
    ["NotContains takes missing values", ["tags", "NotContains", "red"], [2, 3, 4]],
    ["ContainsAny", ["tags", "ContainsAny", ["green", "blue"]], [1, 2]],
    ["NotContainsAny takes missing values", ["tags", "NotContainsAny", ["blue"]], [1, 3, 4]],
    ["Lt on datetimes", ["at", "Lt", "2021-01-01"], [1, 3, 4]],
    ["Gte on floats", ["price", "Gte", -2], [1, 2]],
    ["Gt on strings, by bytes", ["title", "Gt", "The"], [1, 3]],
    ["AnyLt", ["sizes", "AnyLt", 5], [1]],
    ["AnyLte", ["sizes", "AnyLte", 5], [1]],
    ["AnyGt", ["sizes", "AnyGt", 5], [2]],
    ["AnyGte", ["sizes", "AnyGte", 5], [1, 2]],
    ["Glob", ["path", "Glob", "src/**/*.ts"], [1, 2]],
    ["Glob with classes and alternatives", ["path", "Glob", "{src,lib}/[m-z]*.ts"], [1, 2]],
    ["Glob on any element", ["names", "Glob", "Grace*"], [2]],
    ["Glob * needs a value", ["names", "Glob", "*"], [1, 2]],
    ["NotGlob takes missing values", ["path", "NotGlob", "src/*"], [3, 4]],
    ["IGlob", ["path", "IGlob", "readme.*"], [3]],
    ["NotIGlob", ["path", "NotIGlob", "readme.*"], [1, 2, 4]],
    ["Regex, unanchored", ["title", "Regex", "qu[aeiou]ck .*(fox|lazy)"], [1, 3]],
    ["Regex with flags, on any element", ["names", "Regex", "(?i)^GRACE"], [2]],
    ["ContainsAllTokens", ["title", "ContainsAllTokens", "lazy quick"], [3]],
    ["ContainsAllTokens, spread over elements", ["names", "ContainsAllTokens", "ada turing"], [1]],
    [
      "ContainsAllTokens with a prefix",
      ["title", "ContainsAllTokens", "quick fo", { last_as_prefix: true }],
      [1],
    ],
    ["ContainsAnyToken", ["title", "ContainsAnyToken", "fox dog"], [1, 2]],
    [
      "ContainsAnyToken with a prefix",
      ["title", "ContainsAnyToken", "cat do", { last_as_prefix: true }],
      [2],
    ],
    ["ContainsTokenSequence", ["title", "ContainsTokenSequence", "quick brown"], [1]],
    ["ContainsTokenSequence in order only", ["title", "ContainsTokenSequence", "lazy quick"], []],
    [
      "ContainsTokenSequence within one element",
      ["names", "ContainsTokenSequence", "lovelace alan"],
      [],
    ],
    [
      "And",
      [
        "And",
        [
          ["title", "ContainsAnyToken", "quick"],
          ["tags", "Contains", "red"],
        ],
      ],
      [1],
    ],
    ["an empty And", ["And", []], [1, 2, 3, 4]],
    [
      "Or",
      [
        "Or",
        [
          ["id", "Eq", 4],
          ["id", "Eq", 2],
        ],
      ],
      [2, 4],
    ],
    ["Not", ["Not", ["id", "In", [1, 2]]], [3, 4]],
    [
      "nesting",
      [
        "Not",
        [
          "Or",
          [
            [
              "And",
              [
                ["id", "Gt", 1],
                ["id", "Lt", 3],
              ],
            ],
            ["id", "Eq", 4],
          ],
        ],
      ],
      [1, 3],
    ],
  ];
  test.each(cases)("%s", async (_name, filter, expected) => {
    expect(await matching(filter)).toEqual(expected);
  });
});

test("Fuzzy matches substrings within the edit distance of the text's length", async () => {
  const fuzzy = (text: string, extra: object = {}) => [
    "title",
    "Fuzzy",
    text,
    {
      max_edit_distance: [
        { min_query_chars: 3, distance: 0 },
        { min_query_chars: 6, distance: 1 },
      ],
      ...extra,
    },
  ];
  expect(await matching(fuzzy("quick"))).toEqual([1, 3]);
  expect(await matching(fuzzy("brwn"))).toEqual([]);
  expect(await matching(fuzzy("brown f"))).toEqual([1]);
  expect(await matching(fuzzy("brwn fox"))).toEqual([1]);
  expect(await matching(fuzzy("qu"))).toEqual([]);
  expect(await matching(fuzzy("QUICK"))).toEqual([]);
  expect(await matching(fuzzy("QUICK", { case_sensitive: false }))).toEqual([1, 3]);
  for (const limits of [
    [],
    [{ min_query_chars: 3, distance: 1 }],
    [{ min_query_chars: 9, distance: 3 }],
  ]) {
    const query = ns.query({
      filters: ["title", "Fuzzy", "quick", { max_edit_distance: limits }],
      top_k: 1,
    });
    await expectFault(query, 400);
  }
});

describe("refusals", () => {
  const cases: [string, unknown, number, string?][] = [
    ["an unknown attribute", ["nope", "Eq", 1], 400, "nope"],
    ["an unknown operator", ["title", "Equals", 1], 422],
    ["an attribute without a filter index", ["plain", "Eq", "x"], 400, "plain"],
    ["null in a list", ["title", "In", [null]], 422],
    ["Contains null", ["tags", "Contains", null], 400],
    ["AnyGt null", ["sizes", "AnyGt", null], 400],
    ["an order on an array", ["tags", "Lt", "x"], 400],
    ["Regex where it is not enabled", ["path", "Regex", "x"], 400],
    ["Glob where nothing allows it", ["plain", "Glob", "*"], 400],
    [
      "Fuzzy where it is not enabled",
      ["path", "Fuzzy", "x", { max_edit_distance: [{ min_query_chars: 3, distance: 0 }] }],
      400,
    ],
    ["token filters without full text", ["path", "ContainsAllTokens", "x"], 400],
    ["a fourth element that is not taken", ["title", "Eq", "x", {}], 400],
    ["a regular expression with look-around", ["title", "Regex", "(?=x)"], 400],
    [
      "operands of the wrong type",
      ["tags", "ContainsAny", "x"],
      400,
      "filter error in key `tags`: type mismatch, ContainsAny expects []string, but got",
    ],
    ["scalar operands of the wrong type", ["id", "Eq", "x"], 400, "type mismatch, Eq expects uint"],
  ];
  test.each(cases)("%s", async (_name, filter, status, message) => {
    await expectFault(ns.query({ filters: untyped(filter), top_k: 1 }), status, message);
  });

  test("an unknown attribute is refused in an empty namespace, too", async () => {
    const empty = namespace();
    await empty.write({ upsert_rows: [{ id: 1 }] });
    await empty.write({ deletes: [1] });
    await expectFault(empty.query({ filters: ["nope", "Eq", 1], top_k: 1 }), 400, "nope");
  });
});
