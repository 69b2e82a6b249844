import { expect, test } from "vitest";
import { documentOf, openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { greatestNumber } from "./number-column.ts";

const SCHEMA = schemaOf({
  x: { type: "float", filterable: true },
  n: "int",
  y: { type: "float", filterable: false },
});

function greatest(attribute: string, count: number, values: number): number {
  const documents = Array.from({ length: count }, (_, i) => {
    const x = i === 77 ? 1e9 : (i % values) - values / 2;
    return documentOf(BigInt(i), { ...(i !== 5 && { x }), n: BigInt(-1 - (i % values)), y: x });
  });
  const [{ view }] = openSnapshot(SCHEMA, [{ documents }]).segments;
  return greatestNumber(attribute, view);
}

test.each([
  ["a key for each value", "x", 20_000, 50, 1e9],
  ["a key for some values", "x", 20_000, 20_000, 1e9],
  ["none above 0", "n", 20_000, 50, 0],
  ["values in no order", "y", 20_000, 50, Number.POSITIVE_INFINITY],
  ["few documents", "x", 100, 50, Number.POSITIVE_INFINITY],
  ["no such values", "none", 20_000, 50, Number.POSITIVE_INFINITY],
] as const)("the greatest number, of %s", (_name, attribute, count, values, expected) => {
  expect(greatest(attribute, count, values)).toBe(expected);
});
