import { expect, test } from "vitest";
import { drawingDensity } from "./drawing-density.ts";

test.each([
  [{ screen: 1, points: 50_000, isMoving: true }, 1],
  [{ screen: 0.5, points: 50_000, isMoving: true }, 0.5],
  [{ screen: 0, points: 1, isMoving: false }, 1],
  [{ screen: 3, points: 50_000, isMoving: false }, 2],
  [{ screen: 3, points: 50_000, isMoving: true }, 1],
  [{ screen: 2, points: 10_000, isMoving: true }, 2],
])("%o has the density %d", (drawn, density) => {
  expect(drawingDensity(drawn)).toBe(density);
});
