import { describe, expect, test } from "vitest";
import { symmetricEigen } from "../../../../src/base/numbers/symmetric-eigen.ts";
import { seededRandom } from "../../../../src/base/random.ts";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { principalComponents, project, type VectorMatrix } from "./principal-components.ts";

/** The slow twin: the whole covariance matrix and its eigenvectors. */
function naiveComponents({ values, count, dims }: VectorMatrix) {
  const at = (i: number, d: number) => values[i * dims + d];
  const rows = Array.from({ length: count }, (_, i) => i);
  const axes = Array.from({ length: dims }, (_, d) => d);
  const mean = axes.map((d) => rows.reduce((sum, i) => sum + at(i, d), 0) / count);
  const covariance = axes.map((a) =>
    axes.map((b) =>
      rows.reduce((sum, i) => sum + ((at(i, a) - mean[a]) * (at(i, b) - mean[b])) / count, 0),
    ),
  );
  return { mean, ...symmetricEigen(Float64Array.from(covariance.flat()), dims) };
}

/** Vectors that differ less along each next dimension, turned by a random rotation of pairs. */
function randomMatrix(count: number, dims: number, random = testRandom()): VectorMatrix {
  const values = new Float32Array(count * dims);
  for (let i = 0; i < count; i++) {
    const row = Array.from({ length: dims }, (_, d) => (random.next() - 0.5) * 0.7 ** d);
    for (let d = 0; d < dims; d++) {
      values[i * dims + d] = row[d] + 0.5 * row[(d + 1) % dims] + 3;
    }
  }
  return { values, count, dims };
}

describe("principal components", () => {
  test("are those of the covariance matrix", () => {
    const random = testRandom();
    for (const [count, dims] of [
      [50, 3],
      [200, 12],
      [120, 40],
    ]) {
      const matrix = randomMatrix(count, dims, random);
      const naive = naiveComponents(matrix);
      const { directions, variances, totalVariance, mean } = principalComponents(matrix, 2, random);
      expect(directions).toHaveLength(2);
      for (const k of [0, 1]) {
        const along = directions[k].reduce((sum, x, d) => sum + x * naive.vectors[k][d], 0);
        expect(Math.abs(along)).toBeCloseTo(1, 6);
        expect(variances[k]).toBeCloseTo(naive.values[k], 6);
      }
      expect(totalVariance).toBeCloseTo(
        naive.values.reduce((sum, value) => sum + value, 0),
        6,
      );
      naive.mean.forEach((value, d) => {
        expect(mean[d]).toBeCloseTo(value, 6);
      });
    }
  });

  test("find the line that vectors lie on, and nothing across it", () => {
    const values = Float32Array.from([0, 0, 3, 4, 6, 8, -3, -4]);
    const found = principalComponents({ values, count: 4, dims: 2 }, 2, seededRandom(1));
    expect([...found.directions[0]]).toEqual([expect.closeTo(0.6, 9), expect.closeTo(0.8, 9)]);
    expect(found.variances[1]).toBeCloseTo(0, 9);
  });

  test("are the same from the same seed, and their largest coordinates are positive", () => {
    const matrix = randomMatrix(60, 9);
    const first = principalComponents(matrix, 3, seededRandom(5));
    expect(principalComponents(matrix, 3, seededRandom(5))).toEqual(first);
    for (const direction of first.directions) {
      const largest = [...direction].sort((a, b) => Math.abs(b) - Math.abs(a))[0];
      expect(largest).toBeGreaterThan(0);
    }
  });

  test("are as many as there are dimensions, if fewer than wanted", () => {
    const found = principalComponents(randomMatrix(10, 1), 2, seededRandom(1));
    expect(found.directions).toHaveLength(1);
    const projected = project(randomMatrix(10, 1), found, 2);
    expect(projected).toHaveLength(20);
    expect(projected[1]).toBe(0);
  });

  test("of vectors that are all the same have no variance", () => {
    const values = new Float32Array(12).fill(2);
    const found = principalComponents({ values, count: 4, dims: 3 }, 2, seededRandom(1));
    expect(found.totalVariance).toBe(0);
    expect([...project({ values, count: 4, dims: 3 }, found, 2)]).toEqual(
      Array.from({ length: 8 }, () => expect.closeTo(0, 6)),
    );
  });
});

test("a projection has the components' variances, around 0", () => {
  const matrix = randomMatrix(300, 8);
  const found = principalComponents(matrix, 2, seededRandom(3));
  const projected = project(matrix, found, 2);
  for (const axis of [0, 1]) {
    const along = Array.from({ length: 300 }, (_, i) => projected[i * 2 + axis]);
    const mean = along.reduce((sum, x) => sum + x, 0) / 300;
    const variance = along.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 300;
    expect(mean).toBeCloseTo(0, 5);
    expect(variance).toBeCloseTo(found.variances[axis], 5);
  }
});
