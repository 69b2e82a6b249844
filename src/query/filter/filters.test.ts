import { describe, expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runSteps } from "../../base/steps.ts";
import type { AttributeValue, ScalarValue } from "../../model/value.ts";
import { matchIds } from "../executor/match-ids.ts";

const everyIndex = { regex: true, glob: true, fuzzy: true, fullTextSearch: fullText() } as const;

/** Ids of the documents that match; document i + 1 has the i-th value, null being none. */
function matching(
  type: string,
  values: readonly AttributeValue[],
  filter: readonly unknown[],
): number[] {
  const isText = type === "string" || type === "[]string";
  const schema = schemaOf({ a: isText ? { type, ...everyIndex } : type });
  const documents = values.map((a, i) => documentOf(BigInt(i + 1), { a }));
  const snapshot = openSnapshot(schema, [{ documents }]);
  const { ids } = runSteps(matchIds(snapshot, filterOf(filter), 1000, {}));
  const rest = runSteps(matchIds(snapshot, filterOf(["Not", filter]), 1000, {})).ids;
  expect(ids.length + rest.length, "Not is the complement").toBe(values.length);
  return ids.map(Number);
}

describe("null semantics", () => {
  // Documents: 1 has null, 2 has 5, 3 has 10.
  test.each([
    ["Eq", null, [1]],
    ["NotEq", null, [2, 3]],
    ["NotEq", 5, [1, 3]],
    ["In", [5], [2]],
    ["NotIn", [5], [1, 3]],
    ["Lt", 5, [1]],
    ["Lte", 5, [1, 2]],
    ["Gt", 5, [3]],
    ["Gte", 5, [2, 3]],
    ["Lt", null, []],
    ["Lte", null, [1]],
    ["Gt", null, [2, 3]],
    ["Gte", null, [1, 2, 3]],
  ])("n %s %j matches %j", (operator, operand, expected) => {
    for (const type of ["int", "uint"]) {
      expect(matching(type, [null, 5n, 10n], ["a", operator, operand])).toEqual(expected);
    }
    expect(matching("float", [null, 5, 10], ["a", operator, operand])).toEqual(expected);
    // The same order in an attribute that no document of the segment has.
    const all = matching("int", [null, null, null], ["a", operator, operand]);
    expect(all).toEqual(expected.includes(1) ? [1, 2, 3] : []);
  });

  test.each([
    ["both take null", ["Lt", 10], ["Lte", 5], [1, 2]],
    ["one takes null", ["Lt", 10], ["Gte", 5], [2]],
    ["none takes null", ["Gte", 5], ["Gt", 5], [3]],
    ["nothing is left", ["Gt", 10], ["Lt", 5], []],
  ] as const)("of two ranges %s", (_, [operator, operand], [other, otherOperand], expected) => {
    const both = [
      "And",
      [
        ["a", operator, operand],
        ["a", other, otherOperand],
      ],
    ];
    expect(matching("int", [null, 5n, 10n], both)).toEqual(expected);
  });

  test("different elements may meet two ranges of an array", () => {
    const both = [
      "And",
      [
        ["a", "AnyLt", "y"],
        ["a", "AnyGt", "x"],
      ],
    ];
    expect(matching("[]string", [["x", "y"], ["x"], ["z"]], both)).toEqual([1]);
  });

  // Documents: 1 has null, 2 is empty, 3 and 4 have values.
  test.each([
    ["NotContains", "x", [1, 2, 4]],
    ["NotContainsAny", ["x"], [1, 2, 4]],
    ["NotGlob", "x*", [1, 2, 4]],
    ["NotIGlob", "X*", [1, 2, 4]],
    ["Glob", "*", [3, 4]],
    ["Eq", null, [1]],
    ["Eq", [], [2]],
    ["Eq", ["x", "y"], [3]],
    ["NotEq", ["x", "y"], [1, 2, 4]],
    ["In", ["x", "z"], [3, 4]],
    ["In", "z", [4]],
    ["Contains", "y", [3]],
    ["ContainsAny", ["q", "z"], [4]],
    ["ContainsAny", [], []],
    ["AnyLt", "y", [3]],
    ["AnyLte", "x", [3]],
    ["AnyGt", "y", [4]],
    ["AnyGte", "y", [3, 4]],
    ["Regex", "^[xz]$", [3, 4]],
  ])("tags %s %j matches %j", (operator, operand, expected) => {
    const values = [null, [], ["x", "y"], ["z"]];
    expect(matching("[]string", values, ["a", operator, operand])).toEqual(expected);
  });
});

describe("equality of arrays", () => {
  const repeated = (length: number, at: (i: number) => ScalarValue) =>
    Array.from({ length }, (_, i) => at(i));

  test.each<
    [type: string, at: (i: number) => ScalarValue, operand: (value: ScalarValue) => unknown]
  >([
    ["[]string", (i) => `é${i % 7}`, String],
    ["[]int", (i) => BigInt(i % 7) - 2n ** 60n, (value) => value],
    ["[]uint", (i) => BigInt(i % 7) + 2n ** 63n, (value) => value],
    ["[]float", (i) => (i % 7) - 0.5, (value) => value],
    ["[]bool", (i) => i % 7 === 0, (value) => value],
    ["[]uuid", (i) => `00000000-0000-4000-8000-00000000000${i % 7}`, String],
    ["[]datetime", (i) => BigInt(i % 7) * 1000n, (value) => new Date(Number(value)).toISOString()],
  ])("of type %s compares order, length and every element", (type, at, operand) => {
    const long = repeated(20_001, at);
    const values = [
      long,
      [...long.slice(0, -1), at(0)],
      [at(3), ...long.slice(1)],
      long.slice(1),
      [...long, at(0)],
      long.toReversed(),
      null,
      long,
    ];
    expect(matching(type, values, ["a", "Eq", long.map(operand)])).toEqual([1, 8]);
  });

  test("takes steps in proportion to the elements, and no more elements in one than usual", () => {
    const stepsOf = (length: number) => {
      const values = Array.from({ length: 8 }, () => repeated(length, (i) => BigInt(i)));
      const schema = schemaOf({ a: "[]int" });
      const documents = values.map((a, i) => documentOf(BigInt(i + 1), { a }));
      const snapshot = openSnapshot(schema, [{ documents }]);
      const filter = filterOf(["a", "Eq", values[0]]);
      const { result, count } = countSteps(matchIds(snapshot, filter, 10, {}));
      expect(result.ids).toHaveLength(8);
      return count;
    };
    const [short, long] = [stepsOf(50_000), stepsOf(100_000)];
    // 8 arrays are compared by 16,384 elements, and operands read and made comparable by thousands.
    expect(long).toBeGreaterThan((8 * 100_000) / 16_384 + 100);
    expect(long).toBeLessThan(2.2 * short);
  });
});

describe("values", () => {
  test("integers are exact beyond 2^53 and at both ends", () => {
    const ints = [-(2n ** 63n), 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    expect(matching("int", ints, ["a", "Eq", 2n ** 53n + 1n])).toEqual([3]);
    expect(matching("int", ints, ["a", "Lt", 2n ** 53n])).toEqual([1]);
    expect(matching("int", ints, ["a", "Gt", 2n ** 63n - 1n])).toEqual([]);
    expect(matching("int", ints, ["a", "Lt", -(2n ** 63n)])).toEqual([]);
    expect(matching("uint", [0n, 2n ** 64n - 1n], ["a", "Gte", 2n ** 63n])).toEqual([2]);
    expect(matching("int", ints, ["a", "In", [ints[0], ints[3]]])).toEqual([1, 4]);
  });

  test("a number fits every numeric type that can hold it", () => {
    expect(matching("int", [5n], ["a", "Eq", 5])).toEqual([1]);
    expect(matching("float", [5, 5.5], ["a", "Gte", 5])).toEqual([1, 2]);
    expect(matching("float", [5, 5.5], ["a", "In", [5.5, 7]])).toEqual([2]);
  });

  test("bools are ordered and listed", () => {
    expect(matching("bool", [false, true, null], ["a", "Eq", false])).toEqual([1]);
    expect(matching("bool", [false, true, null], ["a", "Gt", false])).toEqual([2]);
    expect(matching("bool", [false, true, null], ["a", "In", [true, false]])).toEqual([1, 2]);
  });

  test("strings are ordered by UTF-8 bytes", () => {
    const values = ["", "a", "é", "\uffff", "\u{10000}"];
    expect(matching("string", values, ["a", "Gt", "é"])).toEqual([4, 5]);
    expect(matching("string", values, ["a", "Lt", "\u{10000}"])).toEqual([1, 2, 3, 4]);
    expect(matching("string", values, ["a", "Lte", ""])).toEqual([1]);
  });

  test("datetimes are compared in milliseconds, operands are strings", () => {
    const values = [0n, 86_400_000n, null];
    expect(matching("datetime", values, ["a", "Gte", "1970-01-02"])).toEqual([2]);
    expect(matching("datetime", values, ["a", "Lt", "1970-01-02T01:00:00+01:00"])).toEqual([1, 3]);
    expect(matching("[]datetime", [[0n, 86_400_000n]], ["a", "AnyGt", "1970-01-01"])).toEqual([1]);
  });

  test("uuids are found in every spelling", () => {
    const id = "01234567-89ab-cdef-0123-456789abcdef";
    for (const spelling of [
      id.toUpperCase(),
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll("-", ""),
    ]) {
      expect(matching("uuid", [id, null], ["a", "Eq", spelling])).toEqual([1]);
      expect(matching("[]uuid", [[id], []], ["a", "ContainsAny", [spelling]])).toEqual([1]);
    }
  });
});

describe("ids", () => {
  const open = (idType: "uint" | "string" | "uuid", ids: (bigint | string)[]) =>
    openSnapshot(schemaOf({}, { idType }), [{ documents: ids.map((id) => documentOf(id)) }]);

  test("of every type are compared, listed and matched", () => {
    const numbers = open("uint", [1n, 2n, 2n ** 63n]);
    expect(runSteps(matchIds(numbers, filterOf(["id", "Gt", 1]), 9, {})).ids).toEqual([
      2n,
      2n ** 63n,
    ]);
    expect(runSteps(matchIds(numbers, filterOf(["id", "NotIn", [2, 7]]), 9, {})).ids).toEqual([
      1n,
      2n ** 63n,
    ]);
    expect(runSteps(matchIds(numbers, filterOf(["id", "Eq", null]), 9, {})).ids).toEqual([]);
    const strings = open("string", ["a", "b", "é"]);
    expect(runSteps(matchIds(strings, filterOf(["id", "Gte", "b"]), 9, {})).ids).toEqual([
      "b",
      "é",
    ]);
    expect(runSteps(matchIds(strings, filterOf(["id", "Glob", "[ab]"]), 9, {})).ids).toEqual([
      "a",
      "b",
    ]);
    const uuids = ["00000000-0000-0000-0000-000000000001", "ff000000-0000-0000-0000-000000000000"];
    const namespace = open("uuid", uuids);
    const spelled = uuids[1].toUpperCase();
    expect(runSteps(matchIds(namespace, filterOf(["id", "Eq", spelled]), 9, {})).ids).toEqual([
      uuids[1],
    ]);
    expect(runSteps(matchIds(namespace, filterOf(["id", "Lt", spelled]), 9, {})).ids).toEqual([
      uuids[0],
    ]);
  });

  test("are cut at the cap, smallest first", () => {
    const numbers = open("uint", [5n, 3n, 9n]);
    const all = filterOf(["And", []]);
    expect(runSteps(matchIds(numbers, all, 2, {}))).toEqual({ ids: [3n, 5n], more: true });
    expect(runSteps(matchIds(numbers, all, 3, {}))).toEqual({ ids: [3n, 5n, 9n], more: false });
  });
});

describe("trees", () => {
  test("an empty And matches everything, an empty Or nothing", () => {
    expect(matching("int", [1n, null], ["And", []])).toEqual([1, 2]);
    expect(matching("int", [1n, null], ["Or", []])).toEqual([]);
  });

  test("nest", () => {
    const filter = [
      "And",
      [
        ["a", "Gt", 1],
        [
          "Not",
          [
            "Or",
            [
              ["a", "Eq", 3],
              ["a", "Eq", 4],
            ],
          ],
        ],
      ],
    ];
    expect(matching("int", [1n, 2n, 3n, 4n, 5n, null], filter)).toEqual([2, 5]);
  });
});

describe("tokens", () => {
  const texts = ["Visited the café by night", "a café, visited", null, "night café", ""];

  test.each([
    [
      ["a", "ContainsAllTokens", "café VISITED"],
      [1, 2],
    ],
    [["a", "ContainsAllTokens", "the"], []],
    [
      ["a", "ContainsAnyToken", "night visited"],
      [1, 2, 4],
    ],
    [
      ["a", "ContainsAnyToken", "nig", { last_as_prefix: true }],
      [1, 4],
    ],
    [
      ["a", "ContainsAllTokens", "café vis", { last_as_prefix: true }],
      [1, 2],
    ],
    [["a", "ContainsAllTokens", "café vis", { last_as_prefix: false }], []],
    [["a", "ContainsTokenSequence", "night café"], [4]],
    // A dropped stop word holds its position.
    [["a", "ContainsTokenSequence", "visited a café"], [1]],
    [["a", "ContainsTokenSequence", "visited café"], []],
    [
      ["a", "ContainsTokenSequence", "café"],
      [1, 2, 4],
    ],
  ])("%j matches %j", (filter, expected) => {
    expect(matching("string", texts, filter)).toEqual(expected);
  });

  test("of all elements count together, but sequences stay within one element", () => {
    const values = [["red fox", "blue sky"], ["red"], []];
    expect(matching("[]string", values, ["a", "ContainsAllTokens", "sky red"])).toEqual([1]);
    expect(matching("[]string", values, ["a", "ContainsTokenSequence", "red fox"])).toEqual([1]);
    expect(matching("[]string", values, ["a", "ContainsTokenSequence", "fox blue"])).toEqual([]);
  });

  test("of pre-tokenized attributes are the elements as they are", () => {
    const fullTextSearch = fullText({ tokenizer: "pre_tokenized_array" });
    const schema = schemaOf({ a: { type: "[]string", fullTextSearch, filterable: false } });
    const documents = [documentOf(1n, { a: ["The", "red fox"] }), documentOf(2n, { a: ["the"] })];
    const snapshot = openSnapshot(schema, [{ documents }]);
    const ids = (filter: unknown[]) => runSteps(matchIds(snapshot, filterOf(filter), 9, {})).ids;
    expect(ids(["a", "ContainsAnyToken", ["The"]])).toEqual([1n]);
    expect(ids(["a", "ContainsTokenSequence", ["The", "red fox"]])).toEqual([1n]);
    expect(ids(["a", "ContainsAnyToken", ["x", "t"], { last_as_prefix: true }])).toEqual([2n]);
    expect(() => ids(["a", "ContainsAnyToken", "The"])).toThrow("expects []string, but got 'The'");
  });
});
