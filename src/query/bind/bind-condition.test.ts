import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import type { Ordinal } from "../../base/ids.ts";
import { runSteps } from "../../base/steps.ts";
import { REFERENCE_ELEMENTS_MAX } from "../../model/contract-limits.ts";
import type { AttributeValue } from "../../model/value.ts";
import { bindCondition } from "./bind-condition.ts";

const SCHEMA = schemaOf({
  n: "int",
  limits: "[]int",
  at: "datetime",
  vector: "[2]f32",
  many: "[][2]f32",
  sparse: { type: "{}f16", filterable: false },
  text: { type: "string", fullTextSearch: fullText(), glob: true },
});

const CURRENT = documentOf(7n, {
  n: 5n,
  vector: Float32Array.of(1, 2),
  many: [Float32Array.of(1, 2)],
  sparse: { names: ["a"], weights: Float32Array.of(1) },
  text: "quick brown fox",
});

const SNAPSHOT = openSnapshot(SCHEMA, [{ documents: [CURRENT] }]);
const PLACE = { view: SNAPSHOT.segments[0].view, ordinal: 0 as Ordinal };

function holds(notation: unknown[], next: Record<string, AttributeValue> = {}): boolean {
  const condition = runSteps(bindCondition(filterOf(notation), SCHEMA));
  const [{ view }] = openSnapshot(SCHEMA, [{ documents: [documentOf(7n, next)] }]).segments;
  const found = condition(PLACE, (attribute) => view.column(attribute)?.place(PLACE.ordinal));
  return typeof found === "boolean" ? found : runSteps(found);
}

const next = (attribute: string) => ({ $ref_new: attribute });

test.each<[unknown[], Record<string, AttributeValue>, boolean]>([
  [["n", "Lt", next("n")], { n: 6n }, true],
  [["n", "Lt", next("n")], { n: 5n }, false],
  [["n", "Lt", next("n")], {}, false],
  [["n", "Gt", next("n")], {}, true],
  [["n", "NotEq", next("n")], { n: 5n }, false],
  [["at", "Lt", next("at")], { at: 1n }, true],
  [["n", "In", next("limits")], { limits: [4n, 5n] }, true],
  [["n", "In", next("limits")], {}, false],
  [["n", "NotIn", next("n")], { n: 5n }, false],
  [["vector", "Eq", next("vector")], { vector: Float32Array.of(1, 2) }, true],
  [["vector", "NotEq", next("vector")], { vector: Float32Array.of(1, 3) }, true],
  [["vector", "Eq", null], {}, false],
  [["vector", "Eq", [1, 2]], {}, true],
  [["many", "Eq", next("many")], { many: [Float32Array.of(1, 2)] }, true],
  [["many", "Eq", next("many")], { many: [] }, false],
  [
    ["sparse", "Eq", next("sparse")],
    { sparse: { names: ["a"], weights: Float32Array.of(1) } },
    true,
  ],
  [["id", "Eq", null], {}, false],
  [["id", "Eq", 7], {}, true],
  [["text", "ContainsTokenSequence", "brown fox"], {}, true],
  [["text", "ContainsAllTokens", "fox br", { last_as_prefix: true }], {}, true],
  [["text", "Glob", "quick*"], {}, true],
  [
    [
      "Not",
      [
        "Or",
        [
          ["n", "Eq", 4],
          ["n", "Lt", next("n")],
        ],
      ],
    ],
    { n: 3n },
    true,
  ],
])("condition %# on the current document and the new values", (notation, values, expected) => {
  expect(holds(notation, values)).toBe(expected);
});

test.each([
  [["n", "Lt", next("at")], '$ref_new "at" is datetime'],
  [["n", "Lt", next("missing")], 'attribute "missing" not found'],
  [["text", "Glob", next("text")], "$ref_new cannot be the operand of Glob"],
  [["vector", "Lt", next("vector")], "needs a scalar attribute"],
  [["vector", "Eq", [1]], "Eq expects [2]f32, but got '[1]'"],
])("refusal %#", (notation, message) => {
  expect(() => holds(notation)).toThrow(message);
});

/** Steps in which a condition on the document is checked. */
function stepsOf(notation: unknown[], schema = SCHEMA, place = PLACE): number {
  const condition = runSteps(bindCondition(filterOf(notation), schema));
  const found = condition(place, () => undefined);
  return typeof found === "boolean" ? 1 : countSteps(found).count;
}

const parts = (count: number) => Array.from({ length: count }, (_, i) => ["n", "Eq", 100 + i]);

test.each([
  ["a list", ["Or", parts(10_000)]],
  ["short lists in a list", ["Or", Array.from({ length: 100 }, () => ["Or", parts(100)])]],
  ["lists that hold", ["And", parts(10_000).map(([n, , value]) => [n, "NotEq", value])]],
])("a condition of 10,000 comparisons pauses: %s", (_, notation) => {
  expect(stepsOf(notation)).toBeGreaterThanOrEqual(5);
});

test("a condition on a long array pauses, and decodes it once", () => {
  const schema = schemaOf({ numbers: "[]int" });
  const numbers = Array.from({ length: 100_000 }, (_, i) => BigInt(i));
  const [{ view }] = openSnapshot(schema, [{ documents: [documentOf(1n, { numbers })] }]).segments;
  const place = { view, ordinal: 0 as Ordinal };
  const one = stepsOf(["numbers", "Contains", -1], schema, place);
  expect(one).toBeGreaterThanOrEqual(12);
  const many = Array.from({ length: 10 }, (_, i) => ["numbers", "Contains", -1 - i]);
  expect(stepsOf(["Or", many], schema, place)).toBeLessThan(10 * one);
});

test("new arrays that a condition compares have a bound", () => {
  const limits = Array.from({ length: REFERENCE_ELEMENTS_MAX + 1 }, (_, i) => BigInt(i));
  expect(() => holds(["n", "In", next("limits")], { limits })).toThrow(
    "$ref_new of 'limits': a condition compares arrays of at most 65536 elements",
  );
  expect(holds(["n", "In", next("limits")], { limits: limits.slice(1) })).toBe(true);
});
