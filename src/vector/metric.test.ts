import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import {
  cosineDistance,
  cosineErrorMax,
  inverseNorm,
  measureOf,
  NEAR_COSINE_DISTANCE,
  unitVector,
  vectorDistance,
} from "./metric.ts";

const METRICS = ["cosine_distance", "euclidean_squared"] as const;

/** The kernel's part, plainly. */
function score(measure: "dot" | "squaredDistance", a: Float32Array, b: Float32Array): number {
  return Math.fround(
    a.reduce((sum, x, i) => sum + (measure === "dot" ? x * b[i] : (x - b[i]) ** 2), 0),
  );
}

describe("metrics", () => {
  test("known distances", () => {
    expect(vectorDistance("cosine_distance", [1, 0], [0, 2])).toBe(1);
    expect(vectorDistance("cosine_distance", [1, 0], [-3, 0])).toBe(2);
    expect(vectorDistance("cosine_distance", [1, 1], [1, 1])).toBe(0);
    expect(vectorDistance("euclidean_squared", [1, 2], [4, 6])).toBe(25);
  });

  test("the zero vector is at cosine distance 1 from everything", () => {
    expect(vectorDistance("cosine_distance", [0, 0], [1, 2])).toBe(1);
    expect(vectorDistance("cosine_distance", [0, 0], [0, 0])).toBe(1);
    const zero = new Float32Array(3);
    expect(inverseNorm(0)).toBe(0);
    expect(unitVector(zero)).toEqual(zero);
    expect(cosineDistance(0, 0, { errorMax: 1e-6 })).toBe(1);
    expect(cosineDistance(0, 1, { errorMax: 1e-6 })).toBe(1);
  });

  test("kernel scores become the distances of the oracle", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed);
      const dimensions = 1 + random.below(64);
      const scale = 10 ** (random.below(50) - 25);
      const vector = (size: number) =>
        Float32Array.from({ length: dimensions }, () => (random.next() - 0.5) * size);
      const query = vector(1);
      const stored = vector(scale);
      for (const metric of METRICS) {
        const wanted = vectorDistance(metric, query, stored);
        if (metric === "euclidean_squared") {
          const distance = score(measureOf(metric), query, stored);
          const error = Math.abs(distance - wanted) / Math.max(1, Math.abs(wanted));
          if (Number.isFinite(wanted)) expect(error, `seed ${seed}`).toBeLessThan(1e-5);
          else expect(distance).toBe(wanted);
          continue;
        }
        const dot = score(measureOf(metric), unitVector(query), stored);
        const errorMax = cosineErrorMax(dimensions);
        const norm = inverseNorm(stored.reduce((sum, x) => sum + x * x, 0));
        const distance = cosineDistance(dot, norm, { errorMax });
        if (Number.isNaN(distance)) continue;
        expect(Math.abs(distance - wanted), `seed ${seed}`).toBeLessThanOrEqual(errorMax);
        expect(distance).toBeGreaterThan(0);
        expect(distance).toBeLessThanOrEqual(2);
      }
    }
  });

  test("equal vectors are at distance 0", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const scale = 10 ** (random.below(76) - 38);
      const vector = Float32Array.from({ length: 1 + random.below(300) }, () => {
        return (random.next() - 0.5) * scale;
      });
      for (const metric of METRICS) {
        expect(vectorDistance(metric, vector, vector), `seed ${seed}`).toBe(0);
      }
    }
  });

  test("float32 tells no distance that may be 0, nor any of very long and short vectors", () => {
    const within = { errorMax: 2e-6 };
    expect(cosineDistance(1 - 1e-6, 1, within)).toBeNaN();
    expect(cosineDistance(1 - NEAR_COSINE_DISTANCE - 1e-6, 1, within)).toBeNaN();
    expect(cosineDistance(1 - NEAR_COSINE_DISTANCE - 3e-6, 1, within)).toBeGreaterThan(0);
    expect(cosineDistance(0.5, 1, within)).toBe(0.5);
    expect(cosineDistance(-1.000001, 1, within)).toBe(2);
    expect(cosineDistance(Number.POSITIVE_INFINITY, 2 ** -128, within)).toBeNaN();
    expect(cosineDistance(1e-40, 2 ** 120, within)).toBeNaN();
  });

  test("near distances are not asked for where they cannot be wanted", () => {
    const errorMax = 2e-6;
    const near = 1 - 2 ** -10;
    expect(cosineDistance(near, 1, { errorMax, worst: 2 ** -10 })).toBeNaN();
    expect(cosineDistance(near, 1, { errorMax, worst: 2 ** -10 - 3e-6 })).toBeNaN();
    expect(cosineDistance(near, 1, { errorMax, worst: 2 ** -10 - 5e-6 })).toBe(2 ** -10);
    expect(cosineDistance(1e-40, 2 ** 120, { errorMax, worst: 0 })).toBeNaN();
  });

  test("near cosine distances have all digits of float32", () => {
    for (const angle of [0.1, 1e-2, 1e-3, 1e-5, 1e-7]) {
      const [a, b] = [[1, 0].map((x) => 3 * x), [Math.cos(angle), Math.sin(angle)]];
      const wanted = 2 * Math.sin(angle / 2) ** 2;
      const relative = vectorDistance("cosine_distance", a, b) / wanted - 1;
      expect(Math.abs(relative), `angle ${angle}`).toBeLessThan(2 ** -23);
    }
  });

  test("vectors of the same direction are at cosine distance 0, whatever their lengths", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const dimensions = 1 + random.below(seed % 10 === 0 ? 10_000 : 300);
      // Few bits, so that three, five and seven times them are exact.
      const vector = Float32Array.from(
        { length: dimensions },
        () => random.below(2 ** 20) - 2 ** 19,
      );
      if (vector.every((x) => x === 0)) continue;
      for (const factor of [3, 5, 7, 2 ** -70]) {
        const longer = vector.map((x) => x * factor);
        expect(vectorDistance("cosine_distance", vector, longer), `seed ${seed}`).toBe(0);
      }
    }
  });

  test("norms that float32 cannot invert are held to its range", () => {
    expect(inverseNorm(1e-82)).toBe(3.4028234663852886e38);
    expect(inverseNorm(16_384 * 1e77)).toBeGreaterThan(0);
  });
});
