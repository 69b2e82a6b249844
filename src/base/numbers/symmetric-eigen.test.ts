import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

test("eigenvalues of a matrix that is solved by hand", () => {
  const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2);
  expect([...values]).toEqual([expect.closeTo(3, 12), expect.closeTo(1, 12)]);
  expect(Math.abs(vectors[0][0])).toBeCloseTo(Math.SQRT1_2, 12);
  expect(vectors[0][0]).toBeCloseTo(vectors[0][1], 12);
});

test("a matrix times each vector is that vector times its value", () => {
  const random = testRandom();
  for (const size of [1, 3, 10, 40]) {
    const half = Array.from({ length: size }, () =>
      Array.from({ length: size }, () => random.next() - 0.5),
    );
    const matrix = half.map((row, i) => row.map((value, j) => value + half[j][i]));
    const { values, vectors } = symmetricEigen(Float64Array.from(matrix.flat()), size);
    expect([...values].sort((a, b) => b - a)).toEqual([...values]);
    vectors.forEach((vector, k) => {
      matrix.forEach((row, i) => {
        const image = row.reduce((sum, value, j) => sum + value * vector[j], 0);
        expect(image).toBeCloseTo(values[k] * vector[i], 9);
      });
    });
  }
});

test("numbers may be as small as they like", () => {
  const { values } = symmetricEigen(Float64Array.of(2e-12, 1e-12, 1e-12, 2e-12), 2);
  expect(values[0] / values[1]).toBeCloseTo(3, 9);
});

test("a matrix without rows has nothing", () => {
  expect(symmetricEigen(new Float64Array(0), 0)).toEqual({
    values: new Float64Array(0),
    vectors: [],
  });
});
