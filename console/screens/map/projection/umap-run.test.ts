import { expect, test } from "vitest";
import { seededRandom } from "../../../../src/base/random.ts";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { distinctRows, runUmap } from "./umap-run.ts";

const QUIET = { onDistances: () => {}, onEpoch: () => {} };

/** Two heaps of points that lie far apart, in turns. */
function heaps(count: number): Float32Array {
  const random = testRandom();
  return Float32Array.from({ length: count * 3 }, (_, i) => {
    return random.next() + (Math.floor(i / 3) % 2) * 50;
  });
}

test("heaps that are far apart stay apart", () => {
  const epochs: number[] = [];
  const positions = runUmap(heaps(120), 3, {
    ...QUIET,
    random: seededRandom(1),
    onEpoch: (epoch, of, now) => {
      epochs.push(epoch);
      if (epoch === of) expect(now()).toHaveLength(240);
    },
  });
  expect(epochs).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  const nearestIsOwn = Array.from({ length: 120 }, (_, i) => {
    const others = Array.from({ length: 120 }, (_, j) => j).filter((j) => j !== i);
    const distance = (j: number) =>
      Math.hypot(positions[i * 2] - positions[j * 2], positions[i * 2 + 1] - positions[j * 2 + 1]);
    const nearest = others.reduce((best, j) => (distance(j) < distance(best) ? j : best));
    return nearest % 2 === i % 2;
  });
  expect(nearestIsOwn.filter(Boolean).length).toBeGreaterThan(114);
});

test("the same randomness gives the same map", () => {
  const points = heaps(30);
  const once = runUmap(points, 3, { ...QUIET, random: seededRandom(4) });
  expect(runUmap(points, 3, { ...QUIET, random: seededRandom(4) })).toEqual(once);
});

test("points that are the same have one place", () => {
  const points = Float32Array.of(1, 2, 3, 4, 1, 2, 5, 6);
  const { rows, rowOf } = distinctRows(points, 2);
  expect(rows).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  expect([...rowOf]).toEqual([0, 1, 0, 2]);
});

test("too few different points have no map", () => {
  const points = new Float32Array(40).fill(1);
  expect(() => runUmap(points, 2, { ...QUIET, random: seededRandom(1) })).toThrow(
    "UMAP needs 5 different vectors, and there are 1",
  );
});
