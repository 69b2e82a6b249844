import { expect, test } from "vitest";
import { cssColor, pixelColor, scaleColor } from "./color-scales.ts";
import { plainShades, shadesOf } from "./point-shades.ts";

test("categories have colours by how frequent they are; the rest is grey", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const values = names.flatMap((name, i) => Array.from({ length: 10 - i }, () => name));
  const { shades, legend, kind } = shadesOf([...values, null, undefined], "light");
  expect(kind).toBe("categories");
  expect(legend.map(({ label, count }) => [label, count])).toEqual([
    ["a", 10],
    ["b", 9],
    ["c", 8],
    ["d", 7],
    ["e", 6],
    ["f", 5],
    ["g", 4],
    ["others, or no value", 5],
  ]);
  expect(shades[0]).toBe(0);
  expect([...shades.slice(-2)]).toEqual([255, 255]);
});

test("few distinct numbers, booleans and first elements of arrays are categories", () => {
  expect(shadesOf([1, 2, 2], "dark").legend.map(({ label }) => label)).toEqual(["2", "1"]);
  expect(shadesOf([true, false, true], "dark").legend[0].label).toBe("true");
  expect(shadesOf([["x", "y"], ["x"], []], "dark").legend[0]).toMatchObject({
    label: "x",
    count: 2,
  });
});

test("many numbers are a scale from the least to the greatest", () => {
  const values = Array.from({ length: 101 }, (_, i) => i * 2);
  const { shades, colors, kind, legend } = shadesOf([...values, null], "dark");
  expect(kind).toBe("scale");
  expect([shades[0], shades[50], shades[100], shades[101]]).toEqual([0, 127, 254, 255]);
  expect(colors[254]).toBe(pixelColor(scaleColor(1, "dark")));
  expect(legend.map(({ label }) => label)).toEqual(["0", "200", "others, or no value"]);
  expect(legend[0].color).toBe(cssColor(scaleColor(0, "dark")));
});

test("times are a scale, ids beyond 2^53 too", () => {
  const times = Array.from({ length: 20 }, (_, i) => `2026-01-${10 + i}T00:00:00.000000000Z`);
  expect(shadesOf(times, "light").kind).toBe("scale");
  expect(
    shadesOf(
      times.map((_, i) => 2n ** 60n + BigInt(i) * 2n ** 50n),
      "light",
    ).kind,
  ).toBe("scale");
});

test("without an attribute all points have one colour", () => {
  const { shades, legend } = plainShades(3, "light");
  expect([...shades]).toEqual([0, 0, 0]);
  expect(legend).toEqual([]);
});
