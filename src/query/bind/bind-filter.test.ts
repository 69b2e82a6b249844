import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import { fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import type { Schema } from "../../model/schema.ts";
import { bindFilter } from "./bind-filter.ts";
import { PatternBudget } from "./pattern-budget.ts";

const SCHEMA = schemaOf(
  {
    n: "int",
    u: "uint",
    f: "float",
    s: "string",
    ok: "bool",
    at: "datetime",
    key: "uuid",
    keys: "[]uuid",
    tags: "[]string",
    hidden: { type: "string", filterable: false },
    pattern: { type: "string", filterable: false, glob: true, regex: true, fuzzy: true },
    text: { type: "string", filterable: false, fullTextSearch: fullText() },
    vector: "[2]f32",
  },
  { idType: "uuid" },
);

function bind(notation: readonly unknown[], schema: Schema = SCHEMA): unknown {
  const patterns = new PatternBudget();
  const scope = { schema, purpose: "query", requireIndex: () => undefined, patterns } as const;
  return runSteps(bindFilter(filterOf(notation), scope));
}

function fault(notation: readonly unknown[], schema?: Schema): { code: string; message: string } {
  try {
    bind(notation, schema);
  } catch (error) {
    if (isDatabaseError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(notation)}`);
}

const fuzzy = (...steps: unknown[]) => ({ max_edit_distance: steps });

describe("a filter is refused with 400", () => {
  test.each([
    [
      ["id", "Eq", "not-a-uuid"],
      "filter error in key `id`: type mismatch, Eq expects uuid, but got 'not-a-uuid'",
    ],
    [
      ["key", "In", "x"],
      "filter error in key `key`: type mismatch, In expects uuid or []uuid, but got 'x'",
    ],
    [
      ["key", "In", ["x"]],
      "filter error in key `key`: type mismatch, In expects uuid or []uuid, but got '[x]'",
    ],
    [
      ["tags", "ContainsAny", "a"],
      "filter error in key `tags`: type mismatch, ContainsAny expects []string, but got 'a'",
    ],
    [
      ["tags", "ContainsAny", [1, 2]],
      "filter error in key `tags`: type mismatch, ContainsAny expects []string, but got '[1, 2]'",
    ],
    [
      ["tags", "Contains", 1],
      "filter error in key `tags`: type mismatch, Contains expects string, but got '1'",
    ],
    [["tags", "Contains", null], "Contains expects string, but got 'null'"],
    [["tags", "AnyGt", null], "AnyGt expects string, but got 'null'"],
    [["tags", "Eq", "a"], "Eq expects []string, but got 'a'"],
    [["n", "Eq", "1"], "Eq expects int, but got '1'"],
    [["n", "Eq", 1.5], "Eq expects int, but got '1.5'"],
    [["n", "Lt", 1e19], "Lt expects int"],
    [["u", "Gt", -1], "Gt expects uint, but got '-1'"],
    [["f", "Gt", "1"], "Gt expects float"],
    [["ok", "Eq", 1], "Eq expects bool"],
    [["at", "Gt", 5], "Gt expects datetime, but got '5'"],
    [["at", "Gt", "yesterday"], "Gt expects datetime, but got 'yesterday'"],
    [["tags", "Lt", "a"], "Lt needs a scalar attribute"],
    [["n", "AnyLt", 1], "AnyLt needs an array attribute, but the attribute is int; use Lt"],
    [
      ["s", "Contains", "a"],
      "Contains needs an array attribute, but the attribute is string; use Eq",
    ],
    [["nn", "Eq", 1], 'attribute "nn" not found in schema; the nearest is "n"'],
    [["hidden", "Eq", "a"], "filter error in key `hidden`: attribute is not filterable"],
    [["pattern", "Eq", "a"], "attribute is not filterable"],
    [["hidden", "Glob", "a"], "Glob needs `glob: true`"],
    [["s", "Regex", "a"], "Regex needs `regex` to be set"],
    [["s", "Fuzzy", "abc", fuzzy({ min_query_chars: 3, distance: 0 })], "Fuzzy needs `fuzzy`"],
    [["s", "ContainsAllTokens", "a"], "ContainsAllTokens needs `full_text_search`"],
    [["text", "ContainsAllTokens", 5], "ContainsAllTokens expects string, but got '5'"],
    [["text", "ContainsAnyToken", "a", { last_as_prefix: 1 }], "last_as_prefix: true or false"],
    [["text", "ContainsTokenSequence", "a", {}], "ContainsTokenSequence takes no fourth element"],
    [["n", "Eq", 1, {}], "Eq takes no fourth element"],
    [["n", "Glob", "1*"], "Glob needs a string or []string attribute"],
    [["pattern", "Glob", 1], "Glob expects string"],
    [["pattern", "Glob", "[a"], "Glob pattern is not valid"],
    [["pattern", "Regex", "(?=a)"], "Regex pattern is not valid"],
    [["pattern", "Regex", "x".repeat(8193)], "at most 8192 are allowed"],
    [["pattern", "Fuzzy", "abc"], "Fuzzy needs a fourth element"],
    [["pattern", "Fuzzy", "abc", fuzzy()], "at least one entry"],
    [["pattern", "Fuzzy", "abc", fuzzy({ min_query_chars: 3 })], "needs integers"],
    [
      ["pattern", "Fuzzy", "abc", fuzzy({ min_query_chars: 12, distance: 3 })],
      "distance must be 0 to 2",
    ],
    [
      ["pattern", "Fuzzy", "abc", fuzzy({ min_query_chars: 5, distance: 1 })],
      "at least 3 * (distance + 1) = 6",
    ],
    [
      [
        "pattern",
        "Fuzzy",
        "abc",
        { ...fuzzy({ min_query_chars: 3, distance: 0 }), case_sensitive: 1 },
      ],
      "case_sensitive must be true or false",
    ],
    [["vector", "Eq", [1, 2]], "attributes of type [2]f32 cannot be filtered"],
    [["n", "Eq", { $ref_new: "n" }], "$ref_new is only allowed in conditions of writes"],
  ])("%j", (notation, message) => {
    const found = fault(notation);
    expect(found.message).toContain(message);
    expect(found.code).toBe("invalid");
  });

  test("for an unknown attribute, also in a namespace without anything", () => {
    const empty = { ...schemaOf({}), idType: undefined };
    expect(fault(["color", "Eq", "red"], empty).message).toContain('"color" not found in schema');
  });
});

describe("a list is refused with 422", () => {
  test.each([[[1, null]], [[1, "a"]], [[[1]]], [[{ a: 1 }]]])("%j", (list) => {
    expect(fault(["n", "In", list]).code).toBe("malformed");
  });
});

test("ids of a namespace without documents may be of any type", () => {
  const empty = { ...schemaOf({}), idType: undefined };
  for (const id of [5, "a", ["a", "b"], [1, 2]]) {
    expect(bind(["id", Array.isArray(id) ? "In" : "Eq", id], empty)).toMatchObject({
      kind: "membership",
    });
  }
});

test("indexes that are read are asked for", () => {
  const asked: string[] = [];
  const filters = [
    "And",
    [
      ["n", "Eq", 1],
      ["pattern", "Glob", "*"],
      ["text", "ContainsAnyToken", "a"],
    ],
  ];
  const bound = bindFilter(filterOf(filters), {
    schema: SCHEMA,
    purpose: "query",
    patterns: new PatternBudget(),
    requireIndex: (attribute, index) => asked.push(`${attribute} ${index}`),
  });
  runSteps(bound);
  expect(asked).toEqual(["n filterable", "pattern glob", "text full_text_search"]);
});

test("a fuzzy query below all thresholds matches nothing, else the longest threshold wins", () => {
  const steps = fuzzy({ min_query_chars: 3, distance: 0 }, { min_query_chars: 6, distance: 1 });
  expect(bind(["pattern", "Fuzzy", "ab", steps])).toEqual({ kind: "or", predicates: [] });
  const bound = bind(["pattern", "Fuzzy", "abcdef", steps]);
  expect(bound).toMatchObject({ description: 'Fuzzy "abcdef" distance 1' });
});
