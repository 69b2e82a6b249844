/** Filters on the wire: operands of every type, shapes, and what each refusal says. */

import { beforeAll, describe } from "vitest";
import { contractServer } from "../support/servers/contract-server.ts";
import { type ContractRow, contractTable, idRows } from "../support/servers/contract-table.ts";

const { write, query } = contractServer("filter");
const ns = "filter";
/** Sends a filter, or a whole body where JavaScript would write its numbers otherwise. */
const ask = (filters: unknown) => {
  const isBody = typeof filters === "string" && filters.startsWith("{");
  return query(ns, isBody ? filters : { filters, limit: 5 });
};
const table = (rows: readonly ContractRow[]) => contractTable(rows, ask);
const fault = (attribute: string, text: string) => `filter error in key \`${attribute}\`: ${text}`;
const mismatch = (attribute: string, text: string) => fault(attribute, `type mismatch, ${text}`);
const UUID = "11111111-2222-3333-4444-555555555555";

beforeAll(async () => {
  const schema = {
    id: "uuid",
    at: "datetime",
    ats: "[]datetime",
    heat: "float",
    heats: "[]float",
    likes: "uint",
    uid: "uuid",
    uids: "[]uuid",
    yeses: "[]bool",
    raw: "bytes",
    sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    text: { type: "string", full_text_search: true },
    words: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" } },
    regex: { type: "string", regex: true },
    glob: { type: "string", glob: true },
    fuzzy: { type: "string", fuzzy: true },
  };
  const first = {
    id: UUID,
    vector: [1, 0],
    at: "2024-01-01",
    ats: ["2024-01-01", "2025-01-01"],
    heat: 1.5,
    heats: [1.5, 2],
    likes: 3,
    uid: UUID,
    uids: [UUID],
    yeses: [true],
    raw: "AAEC",
    sparse: { a: 1 },
    text: "hello world",
    words: ["a", "B"],
    regex: "abc",
    glob: "dir/abc.txt",
    fuzzy: "hello world",
    n: 1,
    ns: [1, 2],
    yes: true,
    s: "k",
    tags: ["x", "y"],
  };
  const upsert_rows = [first, { id: `f${UUID.slice(1)}`, vector: [0, 1], n: 5, tags: [] }];
  await write(ns, { distance_metric: "cosine_distance", schema, upsert_rows });
});

const FIRST = idRows(UUID);
const SECOND = idRows(`f${UUID.slice(1)}`);
const ALL = idRows(UUID, `f${UUID.slice(1)}`);
const NONE = idRows();

describe("Eq", () => {
  table([
    ["a whole number with a point", '{"limit":5,"filters":["n","Eq",1.0]}', FIRST],
    ["an integer of floats", ["heat", "Eq", 1], NONE],
    ["any spelling of a UUID", ["id", "Eq", `{${UUID.replaceAll("-", "").toUpperCase()}}`], FIRST],
    ["a bad UUID", ["id", "Eq", "no-uuid"], 400, mismatch("id", "Eq expects uuid, but got 'no-")],
    ["a fraction", ["n", "Eq", 1.5], 400, mismatch("n", "Eq expects int, but got '1.5'")],
    ["a number in a string", ["n", "Eq", "1"], 400, mismatch("n", "Eq expects int, but got '1'")],
    ["a number of strings", ["s", "Eq", 1], 400, mismatch("s", "Eq expects string, but got '1'")],
    ["no boolean", ["yes", "Eq", "true"], 400, "Eq expects bool, but got 'true'"],
    ["negative uint", ["likes", "Eq", -1], 400, "Eq expects uint, but got '-1'"],
    ["no datetime", ["at", "Eq", "soon"], 400, "Eq expects datetime, but got 'soon'"],
    ["a list of a scalar", ["s", "Eq", ["k"]], 400, "Eq expects string, but got '[k]'"],
    ["a scalar of a list", ["tags", "Eq", "x"], 400, "Eq expects []string, but got 'x'"],
    ["null in a list", ["tags", "Eq", ["x", null]], 400, "but got '[x, null]'"],
    ["an object", ["s", "Eq", { a: 1 }], 422, "filters[2]: invalid type: map"],
    ["bytes", ["raw", "Eq", "AAEC"], 400, fault("raw", "attributes of type bytes cannot be")],
    ["a vector", ["vector", "Eq", [1, 0]], 400, "type [2]f32 cannot be filtered"],
    ["null of a vector", ["sparse", "Eq", null], 400, "type {}f16 cannot be filtered"],
    ["text alone", ["text", "Eq", "x"], 400, "not filterable", "`filterable: true`"],
    ["a regex attribute", ["regex", "Eq", "abc"], 400, "not filterable"],
    ["a glob attribute", ["glob", "Eq", "abc"], 400, "not filterable"],
    ["$ref_new", ["n", "Eq", { $ref_new: "n" }], 400, "`$ref_new` is only allowed in upsert_"],
  ]);
});

describe("lists", () => {
  table([
    ["In of nothing", ["n", "In", []], NONE],
    ["NotIn of nothing", ["n", "NotIn", []], ALL],
    ["In with integers and floats", ["heat", "In", [1, 1.5]], FIRST],
    ["In of types that differ", ["n", "In", [1, "a"]], 422, "filters[2][1]", "as the elements bef"],
    ["In of lists", ["n", "In", [[1]]], 422, "filters[2][0]"],
    ["In of null", ["n", "In", [null]], 422, "filters[2][0]: invalid type: null"],
    ["In with null", ["n", "In", null], 400, "In expects int or []int, but got 'null'"],
    ["In of a wrong type", ["uid", "In", ["z"]], 400, "In expects uuid or []uuid, but got '[z]'"],
    ["ContainsAny of nothing", ["tags", "ContainsAny", []], NONE],
    ["ContainsAny of a scalar", ["tags", "ContainsAny", "x"], 400, "expects []string, but got 'x'"],
    [
      "ContainsAny of null",
      ["tags", "ContainsAny", [null]],
      422,
      "filters[2][0]: invalid type: null",
    ],
    ["NotContainsAny with null", ["tags", "NotContainsAny", ["x", null]], 422, "filters[2][1]"],
    ["ContainsAny of types that differ", ["tags", "ContainsAny", ["x", 1]], 422, "filters[2][1]"],
    ["ContainsAny of lists", ["tags", "ContainsAny", [["x"]]], 422, "filters[2][0]"],
    ["ContainsAny with null", ["tags", "ContainsAny", null], 400, "but got 'null'"],
    ["ContainsAny on a scalar", ["s", "ContainsAny", ["k"]], 400, "array attribute", "use In"],
    ["Contains on a scalar", ["s", "Contains", "k"], 400, "array attribute", "use Eq"],
    ["Contains a list", ["tags", "Contains", ["x"]], 400, "Contains expects string, but got '[x]'"],
    ["NotContains null", ["tags", "NotContains", null], 400, "does not accept null"],
    ["Contains a UUID", ["uids", "Contains", UUID.toUpperCase()], FIRST],
    ["Contains a datetime", ["ats", "Contains", "2025-01-01T01:00:00+01:00"], FIRST],
    ["Contains a float", ["heats", "Contains", 2], FIRST],
    ["Contains a boolean", ["yeses", "Contains", true], FIRST],
    ["NotContains a boolean", ["yeses", "NotContains", true], SECOND],
  ]);
});

describe("comparisons", () => {
  const greatest = '{"limit":5,"filters":["n","Gt",9223372036854775808]}';
  table([
    ["of arrays", ["tags", "Lt", "x"], 400, "scalar attribute", "use AnyLt"],
    ["with lists", ["n", "Lt", [1]], 400, "Lt expects int, but got '[1]'"],
    ["beyond 64 bits", greatest, 400, "Gt expects int, but got '9223372036854775808'"],
    ["of booleans", ["yes", "Lt", true], SECOND],
    ["of UUIDs", ["id", "Gt", UUID], SECOND],
    ["of any element", ["ns", "AnyGt", 1], FIRST],
    ["of any datetime", ["ats", "AnyGte", "2025-01-01"], FIRST],
    ["of any float with an integer", ["heats", "AnyLt", 2], FIRST],
    ["of any of a scalar", ["n", "AnyLt", 2], 400, "array attribute", "use Lt"],
    ["of any with null", ["ns", "AnyGt", null], 400, "does not accept null"],
    ["of any with another type", ["ns", "AnyGt", "x"], 400, "AnyGt expects int, but got 'x'"],
  ]);
});

describe("patterns", () => {
  const fuzzy = (options?: unknown) => ["fuzzy", "Fuzzy", "hello", ...(options ? [options] : [])];
  const edits = (min_query_chars: number, distance: number) =>
    fuzzy({ max_edit_distance: [{ min_query_chars, distance }] });
  table([
    ["a star crosses slashes", ["glob", "Glob", "*.txt"], FIRST],
    ["a question mark is one character", ["glob", "Glob", "dir?abc.tx?"], FIRST],
    ["an open class", ["glob", "Glob", "[a"], 400, "not valid", "']'"],
    ["open alternatives", ["glob", "Glob", "{a"], 400, "not valid", "'}'"],
    ["a glob that is no string", ["glob", "Glob", 1], 400, "Glob expects string, but got '1'"],
    ["a glob without its index", ["text", "Glob", "*"], 400, "Glob needs `glob: true`"],
    ["a glob of numbers", ["n", "Glob", "*"], 400, "string or []string"],
    ["letters are Unicode's", ["regex", "Regex", "^\\w+$"], FIRST],
    ["look-around", ["regex", "Regex", "a(?=b)"], 400, "not valid"],
    ["backreferences", ["regex", "Regex", "(a)\\1"], 400, "not valid"],
    ["half a group", ["regex", "Regex", "("], 400, "not valid"],
    ["classes within classes", ["regex", "Regex", "[\\w&&[^\\d]]"], FIRST],
    [
      "repeats that multiply to too much",
      [
        "Or",
        [
          ["s", "Eq", "a"],
          ["Not", ["regex", "Regex", "(a{0,999}){99}"]],
        ],
      ],
      400,
      "filters[1][1][1][2]: with this Regex pattern (size 197802)",
      "at most 50000 are allowed",
    ],
    ["braces within braces", ["glob", "Glob", "{".repeat(8192)], 400, "nested at most 83 deep"],
    ["a regex without its index", ["s", "Regex", "a"], 400, "Regex needs `regex`"],
    ["Fuzzy without options", fuzzy(), 400, "`max_edit_distance`"],
    ["Fuzzy with empty options", fuzzy({}), 400, "max_edit_distance"],
    ["Fuzzy without distances", fuzzy({ max_edit_distance: [] }), 400, "at least one"],
    [
      "Fuzzy with half a distance",
      fuzzy({ max_edit_distance: [{ distance: 0 }] }),
      400,
      "integers",
    ],
    ["distance 0 from 3 characters", edits(3, 0), FIRST],
    ["distance 0 from 2 characters", edits(2, 0), 400, "at least 3 * (distance + 1) = 3, was 2"],
    ["distance 1 from 5 characters", edits(5, 1), 400, "= 6, was 5"],
    ["distance 2 from 8 characters", edits(8, 2), 400, "= 9, was 8"],
    ["distance 3", edits(12, 3), 400, "distance must be 0 to 2, was 3"],
    ["a negative distance", edits(12, -1), 400, "distance must be 0 to 2, was -1"],
    [
      "Fuzzy without its index",
      ["s", "Fuzzy", ...edits(3, 0).slice(2)],
      400,
      "Fuzzy needs `fuzzy`",
    ],
  ]);
});

describe("tokens", () => {
  table([
    ["nothing to look for", ["text", "ContainsAllTokens", ""], NONE],
    ["only stop words", ["text", "ContainsAnyToken", "the"], NONE],
    ["a sequence of nothing", ["text", "ContainsTokenSequence", ""], NONE],
    ["whole tokens", ["words", "ContainsAllTokens", ["a", "B"]], FIRST],
    ["a sequence of whole tokens", ["words", "ContainsTokenSequence", ["a", "B"]], FIRST],
    ["text for whole tokens", ["words", "ContainsAllTokens", "a"], 400, "expects []string"],
    ["whole tokens for text", ["text", "ContainsAllTokens", ["a"]], 400, "expects string"],
    ["null", ["text", "ContainsAnyToken", null], 400, "expects string, but got 'null'"],
    [
      "a prefix that is no boolean",
      ["text", "ContainsAllTokens", "a", { last_as_prefix: 1 }],
      400,
      "`last_as_prefix` must be true or false",
    ],
    [
      "options of sequences",
      ["text", "ContainsTokenSequence", "a", { last_as_prefix: true }],
      400,
      "takes one operand",
    ],
    ["8,192 characters", ["text", "ContainsAllTokens", "é".repeat(8192)], NONE],
    ["8,192 of two units", ["text", "ContainsAnyToken", "🐡".repeat(8192)], NONE],
    ["8,193 characters", ["text", "ContainsTokenSequence", "x".repeat(8193)], 400, "got 8193"],
    ["without full text", ["s", "ContainsAllTokens", "k"], 400, "needs `full_text_search`"],
  ]);
});

describe("shapes", () => {
  const example = 'expected a filter such as ["attribute", "Eq", value] or ["And", [filter, …]]';
  const nested = (depth: number): unknown =>
    depth === 0 ? ["n", "Eq", 1] : ["Not", nested(depth - 1)];
  const n = ["n", "Eq", 1];
  table([
    ["And of nothing", ["And", []], ALL],
    ["Or of nothing", ["Or", []], NONE],
    ["31 levels above a condition", nested(31), SECOND],
    ["32 levels above a condition", nested(32), 400, "at most 32 deep"],
    ["an operator in lower case", ["n", "eq", 1], 422, 'unknown operator "eq", did you mean "Eq"?'],
    ["an operator of SQL", ["n", "==", 1], 422, 'unknown operator "=="', "Eq, NotEq, In,"],
    ["a combinator in lower case", ["and", [n]], 422, 'did you mean "And" before it?'],
    ["And with two arguments", ["And", n, n], 400, 'expected ["And", [filter, …]], but 2'],
    ["Not with two arguments", ["Not", n, n], 400, 'expected ["Not", filter], but 2'],
    ["And of one condition", ["And", n], 422, "filters[1][0]", example],
    ["a list of conditions", [n, n], 422, "filters[0]", "And, Or, Not"],
    ["no operand", ["n", "Eq"], 422, 'expected ["n", "Eq", value]'],
    ["a fourth element", ["n", "Eq", 1, 2], 400, "Eq takes one operand, but 2"],
    ["nothing", [], 422, "invalid length 0", example],
    ["a string", "n = 1", 422, 'invalid type: string "n = 1"', example],
    ["an object", { n: 1 }, 422, "invalid type: map", example],
    ["a number as name", [1, "Eq", 1], 422, "filters[0]"],
    ["a number as operator", ["n", 1, 1], 422, "filters[1]"],
    ["a misspelt attribute", ["heatt", "Eq", 1], 400, '"heatt" not found', 'nearest is "heat"'],
    ["the score", ["$dist", "Lt", 1], 400, "`$dist`", "not found in schema"],
  ]);
});
