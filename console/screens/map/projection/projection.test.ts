import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { Projection } from "./projection.ts";

/** Two heaps of vectors, far apart along the last dimension. */
function heaps(count: number): Float32Array {
  const random = testRandom();
  return Float32Array.from({ length: count * 6 }, (_, i) => {
    const vector = Math.floor(i / 6);
    return random.next() + (i % 6 === 5 && vector % 2 === 1 ? 20 : 0);
  });
}

test("vectors are where they are, however they came in parts", () => {
  const vectors = heaps(5000);
  const whole = new Projection(6);
  whole.add(vectors);
  const parts = new Projection(6);
  for (const [start, end] of [
    [0, 1],
    [1, 1],
    [1, 700],
    [700, 5000],
  ]) {
    parts.add(vectors.slice(start * 6, end * 6));
  }
  expect(parts.count).toBe(5000);
  expect(parts.project(2)).toEqual(whole.project(2));
});

test("the first axis tells two heaps apart, and has their share of the variance", () => {
  const projection = new Projection(6);
  projection.add(heaps(3000));
  const { coordinates, shares } = projection.project(2);
  const sides = Array.from({ length: 3000 }, (_, i) => coordinates[i * 2] > 0);
  expect(sides.every((side, i) => side === (i % 2 === 1))).toBe(true);
  expect(shares[0]).toBeGreaterThan(0.98);
  expect(projection.project(6).shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
});

test("there is a projection of none, and of one vector", () => {
  const projection = new Projection(3);
  expect(projection.project(2).coordinates).toHaveLength(0);
  projection.add(Float32Array.of(1, 2, 3));
  expect([...projection.project(2).coordinates]).toEqual([0, 0]);
});
