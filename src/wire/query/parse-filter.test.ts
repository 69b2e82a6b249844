import { describe, expect, test } from "vitest";
import { DatabaseError } from "../../base/errors.ts";
import { FILTER_OPERATORS } from "../../model/filter.ts";
import { parseJson } from "../json/json-reader.ts";
import { parseCondition, parseFilter } from "./parse-filter.ts";

const encoder = new TextEncoder();
const json = (value: unknown) => parseJson(encoder.encode(JSON.stringify(value)));

function fault(filter: unknown, parse = parseFilter): string {
  try {
    parse("filters", json(filter));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

const isOne = {
  kind: "condition",
  attribute: "a",
  operator: "Eq",
  operand: { kind: "value", value: 1n },
};

describe("filters", () => {
  test.each<[unknown, unknown]>([
    [["a", "Eq", 1], isOne],
    [["And", []], { kind: "and", filters: [] }],
    [["Or", []], { kind: "or", filters: [] }],
    [["And", [["a", "Eq", 1]]], { kind: "and", filters: [isOne] }],
    [["Not", ["a", "Eq", 1]], { kind: "not", filter: isOne }],
    [["Not", "Eq", 1], { ...isOne, attribute: "Not" }],
    [["And", "Eq", 1], { ...isOne, attribute: "And" }],
    [["a", "Eq", null], { ...isOne, operand: { kind: "value", value: null } }],
    [["a", "Eq", ["x"]], { ...isOne, operand: { kind: "value", value: ["x"] } }],
    [["a", "In", []], { ...isOne, operator: "In", operand: { kind: "value", value: [] } }],
    [["a", "In", "x"], { ...isOne, operator: "In", operand: { kind: "value", value: "x" } }],
    [
      ["a", "In", [1, 2.5]],
      { ...isOne, operator: "In", operand: { kind: "value", value: [1n, 2.5] } },
    ],
    [
      ["a", "ContainsAllTokens", "x", { last_as_prefix: true }],
      {
        ...isOne,
        operator: "ContainsAllTokens",
        operand: { kind: "value", value: "x" },
        options: new Map([["last_as_prefix", true]]),
      },
    ],
  ])("reads %j", (filter, expected) => {
    expect(parseFilter("filters", json(filter))).toEqual(expected);
  });

  test("reads every operator", () => {
    for (const operator of FILTER_OPERATORS) {
      const filter = ["a", operator, "x", ...(operator === "Fuzzy" ? [{}] : [])];
      expect(parseFilter("filters", json(filter))).toMatchObject({ kind: "condition", operator });
    }
  });

  let deep: unknown = ["a", "Eq", 1];
  for (let i = 0; i < 32; i++) deep = ["Not", deep];
  const wide = ["Or", new Array(65_536).fill(["a", "Eq", 1])];

  test.each<[unknown, string]>([
    ["x", "filters: invalid type: string"],
    [{}, "malformed: "],
    [[], "malformed: "],
    [["a"], "malformed: "],
    [["a", "Eq"], "malformed: "],
    [[1, "Eq", 1], "filters[0]: invalid type: integer `1`"],
    [["a", 1, 1], "filters[1]: invalid type"],
    [["a", "Equals", 1], 'filters[1]: unknown operator "Equals", did you mean "'],
    [["And", [["a", "eq", 1]]], 'filters[1][0][1]: unknown operator "eq", did you mean "Eq"?'],
    [["And", {}], "filters[1]: invalid type: map, expected an array of filters"],
    [["And"], "malformed: "],
    [["And", [], []], "invalid: "],
    [["Not", ["a", "Eq", 1], 1], "invalid: "],
    [["Not", []], "malformed: "],
    [["a", "Eq", 1, {}], "invalid: 💔 filters: Eq takes one operand, but 2 arguments were given"],
    [["a", "ContainsTokenSequence", "x", {}], "invalid: "],
    [["a", "ContainsAllTokens", "x", {}, 1], "invalid: "],
    [["a", "ContainsAllTokens", "x", 1], "malformed: "],
    [["a", "ContainsAnyToken", "x", { last_as_prefix: "yes" }], "invalid: "],
    [["a", "Fuzzy", "x"], "invalid: 💔 filters: Fuzzy requires options"],
    [["a", "In", [1, null]], "filters[2][1]: invalid type: null"],
    [["a", "In", [1, "x"]], "filters[2][1]: invalid type: string"],
    [["a", "NotIn", [[1]]], "malformed: "],
    [["a", "In", [true, 1]], "malformed: "],
    [["a", "Contains", null], "invalid: filter error in key `a`: Contains does not accept null"],
    [["a", "NotContains", null], "invalid: "],
    [["a", "AnyGt", null], "invalid: "],
    [["a", "Eq", { x: 1 }], "malformed: "],
    [["a", "Eq", { $ref_new: "b" }], "invalid: 💔 filters[2]: `$ref_new` is only allowed in"],
    [["a", "ContainsAllTokens", "x".repeat(8193)], "invalid: "],
    [deep, "invalid: 💔 "],
    [wide, "invalid: 💔 "],
  ])("refuses %.80j", (filter, expected) => {
    expect(fault(filter)).toContain(expected);
  });
});

describe("conditions", () => {
  test("an operand may refer to the document being written", () => {
    expect(parseCondition("upsert_condition", json(["v", "Lt", { $ref_new: "v" }]))).toEqual({
      kind: "condition",
      attribute: "v",
      operator: "Lt",
      operand: { kind: "ref_new", attribute: "v" },
    });
  });

  test.each([[{ $ref_new: 1 }], [{ $ref_new: "a", more: 1 }], [{ ref_new: "a" }], [{}]])(
    "refuses the operand %j",
    (operand) => {
      expect(fault(["a", "Eq", operand], parseCondition)).toContain("malformed: ");
    },
  );
});
