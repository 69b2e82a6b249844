import { describe, expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { PointGrid } from "./drawing/point-grid.ts";
import { isInside, pointsInside, withCorner } from "./lasso.ts";
import type { Place } from "./map-view.ts";

const SQUARE = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 4 },
  { x: 0, y: 4 },
];
/** A U whose opening is at the top. */
const BAY = [
  { x: 0, y: 0 },
  { x: 6, y: 0 },
  { x: 6, y: 6 },
  { x: 4, y: 6 },
  { x: 4, y: 2 },
  { x: 2, y: 2 },
  { x: 2, y: 6 },
  { x: 0, y: 6 },
];

describe("a place", () => {
  test("is inside a square, or is not", () => {
    expect(isInside({ x: 2, y: 2 }, SQUARE)).toBe(true);
    expect(isInside({ x: 5, y: 2 }, SQUARE)).toBe(false);
    expect(isInside({ x: -1, y: 2 }, SQUARE)).toBe(false);
  });

  test("in a bay of the line is outside", () => {
    expect(isInside({ x: 3, y: 4 }, BAY)).toBe(false);
    expect(isInside({ x: 1, y: 4 }, BAY)).toBe(true);
    expect(isInside({ x: 3, y: 1 }, BAY)).toBe(true);
  });

  test("that the line goes around twice is outside, by the even-odd rule", () => {
    expect(isInside({ x: 2, y: 2 }, [...SQUARE, ...SQUARE])).toBe(false);
  });

  test("is inside by the same count as by the sum of angles, for lines that cross nothing", () => {
    const random = testRandom();
    for (let round = 0; round < 100; round++) {
      const corners = star(3 + random.below(20), random.next);
      for (let i = 0; i < 50; i++) {
        const place = { x: random.next() * 2 - 1, y: random.next() * 2 - 1 };
        expect(isInside(place, corners)).toBe(Math.abs(winding(place, corners)) > Math.PI);
      }
    }
  });
});

test("points inside a lasso are those for which a look at all of them says so", () => {
  const random = testRandom();
  const positions = Float32Array.from({ length: 2000 }, () => random.next() * 2 - 1);
  const grid = new PointGrid(positions);
  for (let round = 0; round < 20; round++) {
    const corners = star(3 + random.below(30), random.next);
    const all = Array.from({ length: 1000 }, (_, point) => point).filter((point) =>
      isInside({ x: positions[point * 2], y: positions[point * 2 + 1] }, corners),
    );
    expect(pointsInside(corners, positions, grid)).toEqual(all);
  }
  expect(pointsInside(SQUARE.slice(0, 2), positions, grid)).toEqual([]);
});

test("a line takes corners that are some way apart, and no more than it may have", () => {
  const line = withCorner(withCorner([], { x: 0, y: 0 }), { x: 1, y: 1 });
  expect(line).toHaveLength(1);
  let long: readonly Place[] = [];
  for (let i = 0; i < 2100; i++) long = withCorner(long, { x: i * 3, y: 0 });
  expect(long).toHaveLength(2000);
});

/** A polygon around 0 whose corners go round in order, so that no two edges cross. */
function star(corners: number, next: () => number): Place[] {
  return Array.from({ length: corners }, (_, i) => {
    const angle = ((i + next() * 0.8) / corners) * 2 * Math.PI;
    const radius = 0.1 + next() * 0.9;
    return { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius };
  });
}

/** The slow twin: how far one turns while the eye follows the line once around. */
function winding(place: Place, corners: readonly Place[]): number {
  return corners.reduce((sum, a, i) => {
    const b = corners[(i + 1) % corners.length];
    const from = Math.atan2(a.y - place.y, a.x - place.x);
    const turn = Math.atan2(b.y - place.y, b.x - place.x) - from;
    return sum + Math.atan2(Math.sin(turn), Math.cos(turn));
  }, 0);
}
