import { expect, test } from "vitest";
import { outlineOf, vectorValues } from "./vector-values.ts";

test("vectors are read of base64 and of arrays", () => {
  expect(vectorValues("AACAPwAAAAA=")).toEqual(Float32Array.of(1, 0));
  expect(vectorValues([0.5, 2])).toEqual(Float32Array.of(0.5, 2));
  for (const none of [null, 5, "?", "AAA="]) expect(vectorValues(none)).toBeUndefined();
});

test("an outline has the extremes of each part, and of 10,752 dimensions as well", () => {
  const { least, greatest } = outlineOf(Float32Array.of(1, -2, 3, 4), 2);
  expect([...least, ...greatest]).toEqual([-2, 3, 1, 4]);
  const long = Float32Array.from({ length: 10_752 }, (_, i) => i);
  const outline = outlineOf(long, 120);
  expect(outline.least.length).toBe(120);
  expect([outline.least[0], outline.greatest[119]]).toEqual([0, 10_751]);
  expect(outlineOf(Float32Array.of(7), 120).least.length).toBe(1);
});
