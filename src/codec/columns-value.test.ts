import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { AttributeValue } from "../model/value.ts";
import { buildDocuments } from "./columns-builder.ts";
import { columnValue, hasManyElements, longValue } from "./columns-value.ts";

const LONG = 40_000;
const random = seededRandom(6101);
const filled = <T>(count: number, of: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => of(i));

const VALUES: readonly [
  name: string,
  type: AttributeType,
  of: (count: number) => AttributeValue,
][] = [
  ["strings", { kind: "array", of: "string" }, (count) => filled(count, (i) => `é${i}`)],
  ["integers", { kind: "array", of: "int" }, (count) => filled(count, (i) => BigInt(i) - 7n)],
  ["floats", { kind: "array", of: "float" }, (count) => filled(count, () => random.next())],
  ["booleans", { kind: "array", of: "bool" }, (count) => filled(count, (i) => i % 3 === 0)],
  [
    "vectors",
    { kind: "multi_vector", dimensions: 2 },
    (count) => filled(count, (i) => Float32Array.of(i, 0.5)),
  ],
];

test.each(VALUES)("a long value of %s is decoded in steps as it is at once", (_name, type, of) => {
  const short = of(5);
  const long = of(LONG);
  const documents = [short, long, null].map((value, i) => ({
    id: BigInt(i),
    attributes: new Map(value === null ? [] : [["a", value]]),
  }));
  const column = buildDocuments("uint", new Map([["a", type]]), documents).attributes.get("a");
  if (column === undefined) throw new Error("no column");
  expect([0, 1].map((ordinal) => hasManyElements({ column, ordinal }))).toEqual([false, true]);
  let pauses = 0;
  const steps = longValue({ column, ordinal: 1 });
  for (let next = steps.next(); next.done !== true; next = steps.next()) pauses++;
  expect(pauses).toBe(2);
  for (const [ordinal, value] of [short, long].entries()) {
    expect(runSteps(longValue({ column, ordinal }))).toEqual(value);
    expect(columnValue(column, ordinal)).toEqual(value);
  }
});
