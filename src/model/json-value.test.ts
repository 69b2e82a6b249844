import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import {
  distinctNumbers,
  type JsonNumbers,
  jsonElementReader,
  jsonElements,
} from "./json-value.ts";

const LARGE = [2n ** 53n + 1n, -(2n ** 63n), 2n ** 64n - 1n];

function numbersOf(elements: readonly (number | bigint)[]): JsonNumbers {
  const exact = elements.flatMap((element, i) =>
    typeof element === "bigint" && !Number.isSafeInteger(Number(element))
      ? [[i, element] as const]
      : [],
  );
  return {
    values: Float64Array.from(elements, Number),
    integers: elements.every((element) => typeof element === "bigint"),
    exact: exact.length === 0 ? undefined : exact,
  };
}

test("the elements are what was written, and distinct ones are there once", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const isFloat = random.below(3) === 0;
    const elements = Array.from({ length: random.below(30) }, () => {
      if (isFloat) return (random.below(9) - 4) / 4;
      return random.below(4) === 0 ? LARGE[random.below(3)] : BigInt(random.below(9) - 4);
    });
    const numbers = numbersOf(elements);
    expect(jsonElements(numbers), `seed ${seed}`).toEqual(elements);
    const distinct = jsonElements(runSteps(distinctNumbers(numbers)));
    expect(distinct, `seed ${seed}`).toHaveLength(new Set(elements).size);
    expect(new Set(distinct), `seed ${seed}`).toEqual(new Set(elements));
    expect(jsonElements(numbers), "the first ones stay").toEqual(elements);
    const { read, count } = jsonElementReader(numbers);
    expect(
      Array.from({ length: count }, (_, i) => read(i)),
      `seed ${seed}`,
    ).toEqual(elements);
  }
});

test("what is there once alone becomes a value", () => {
  const ones = { values: new Float64Array(3_000_000).fill(1), integers: true };
  expect(jsonElements(runSteps(distinctNumbers(ones)))).toEqual([1n]);
});
