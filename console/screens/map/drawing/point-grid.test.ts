import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { PointGrid } from "./point-grid.ts";

/** Random points, some of them at the same places. */
function randomPoints(count: number, random = testRandom()): Float32Array {
  return Float32Array.from({ length: count * 2 }, () => Math.round(random.next() * 200) / 100);
}

test("the nearest point is the one that a look at all of them finds", () => {
  const random = testRandom();
  for (const count of [0, 1, 7, 500]) {
    const positions = randomPoints(count, random);
    const grid = new PointGrid(positions);
    for (let i = 0; i < 200; i++) {
      const place = { x: random.next() * 3 - 0.5, y: random.next() * 3 - 0.5 };
      const radius = random.next() * 0.5;
      let best = -1;
      let least = radius * radius;
      for (let point = 0; point < count; point++) {
        const distance =
          (positions[point * 2] - place.x) ** 2 + (positions[point * 2 + 1] - place.y) ** 2;
        if (distance < least) {
          best = point;
          least = distance;
        }
      }
      expect(grid.nearest(place, radius)).toBe(best);
    }
  }
});

test("points of a rectangle are those that a look at all of them finds", () => {
  const random = testRandom();
  const positions = randomPoints(400, random);
  const grid = new PointGrid(positions);
  for (let i = 0; i < 100; i++) {
    const [minX, minY] = [random.next() * 2 - 0.2, random.next() * 2 - 0.2];
    const bounds = { minX, minY, maxX: minX + random.next(), maxY: minY + random.next() };
    const all = Array.from({ length: 400 }, (_, point) => point).filter((point) => {
      const [x, y] = [positions[point * 2], positions[point * 2 + 1]];
      return x >= bounds.minX && x <= bounds.maxX && y >= bounds.minY && y <= bounds.maxY;
    });
    expect(grid.within(bounds)).toEqual(all);
  }
});

test("points on a line, and all at one place, are found", () => {
  const line = new PointGrid(Float32Array.from([0, 1, 1, 1, 2, 1]));
  expect(line.nearest({ x: 1.9, y: 1.2 }, 0.5)).toBe(2);
  const place = new PointGrid(new Float32Array(100).fill(3));
  expect(place.nearest({ x: 3, y: 3 }, 0.1)).toBe(0);
  expect(place.nearest({ x: 4, y: 3 }, 0.1)).toBe(-1);
});
