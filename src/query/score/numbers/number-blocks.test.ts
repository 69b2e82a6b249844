import { expect, test } from "vitest";
import {
  documentOf,
  openSnapshot,
  schemaOf,
} from "../../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../../base/random.ts";
import { runSteps } from "../../../base/steps.ts";
import type { ScalarValue } from "../../../model/value.ts";
import { numberBlocks } from "./number-blocks.ts";

const SCHEMA = schemaOf({
  float: { type: "float", filterable: false },
  int: "int",
  uint: "uint",
  datetime: "datetime",
  string: "string",
});
const DRAWS: Record<string, (number: number) => ScalarValue> = {
  float: (number) => (number - 500) / 7,
  int: (number) => BigInt(number - 500) * 2n ** 52n - 1n,
  uint: (number) => BigInt(number) * 2n ** 53n + 1n,
  datetime: (number) => BigInt(number),
};

test("of any documents the least and the greatest number are known, or more", () => {
  const random = seededRandom(5801);
  const values = Object.keys(DRAWS).map((name) => {
    return Array.from({ length: 5000 }, (_, i): [string, ScalarValue] | undefined => {
      // None of 2,048 documents in a row, and of some others.
      const isAbsent = (i >= 1024 && i < 3072) || random.below(4) === 0;
      return isAbsent ? undefined : [name, DRAWS[name](random.below(1000))];
    });
  });
  const documents = Array.from({ length: 5000 }, (_, i) =>
    documentOf(BigInt(i), Object.fromEntries(values.flatMap((all) => (all[i] ? [all[i]] : [])))),
  );
  const [{ view }] = openSnapshot(SCHEMA, [{ documents }]).segments;
  Object.keys(DRAWS).forEach((name, n) => {
    const blocks = runSteps(numberBlocks(name, view));
    for (let round = 0; round < 200; round++) {
      const start = random.below(5000);
      const end = start + 1 + random.below(5000 - start);
      // Of whole blocks.
      const whole = values[n].slice(start & ~1023, (end + 1023) & ~1023);
      const numbers = whole.flatMap((value) => (value === undefined ? [] : [Number(value[1])]));
      const least = Math.min(...numbers);
      const expected = numbers.length === 0 ? undefined : { least, greatest: Math.max(...numbers) };
      expect(blocks?.rangeIn(start, end), `${name} of ${start} to ${end}`).toEqual(expected);
    }
    expect(runSteps(numberBlocks(name, view))).toBe(blocks);
  });
  expect(runSteps(numberBlocks("none", view))).toBeUndefined();
  expect(runSteps(numberBlocks("id", view))).toBeUndefined();
});
