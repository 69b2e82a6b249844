import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import type { DistanceMetric } from "../model/schema.ts";
import { LateInteraction } from "./late-interaction.ts";
import { vectorDistance } from "./metric.ts";

const METRICS = ["cosine_distance", "euclidean_squared"] as const;

/** The same by the slowest means. */
function slowDistance(
  metric: DistanceMetric,
  queries: readonly Float32Array[],
  vectors: readonly Float32Array[],
): number {
  const nearest = queries.map((query) =>
    Math.min(...vectors.map((vector) => vectorDistance(metric, query, vector))),
  );
  return Math.fround(nearest.reduce((sum, distance) => sum + distance, 0));
}

test("distances to the nearest vectors are summed", () => {
  const queries = [Float32Array.of(0, 0), Float32Array.of(10, 10)];
  const values = Float32Array.of(7, 7, 3, 4, 10, 11, 1, 0);
  const late = new LateInteraction("euclidean_squared", queries);
  expect(late.distance(values, { start: 2, end: 8 })).toBe(1 + 1);
  expect(late.distance(values, { start: 2, end: 2 })).toBe(Infinity);
  expect(() => late.distance(values, { start: 2, end: 5 })).toThrow("other dimensions");
});

test("a document that is farther than it matters is as far as was summed", () => {
  const late = new LateInteraction("euclidean_squared", [
    Float32Array.of(0, 9),
    Float32Array.of(5, 0),
  ]);
  const place = { start: 0, end: 2 };
  expect(late.distance(Float32Array.of(1, 0), place)).toBe(82 + 16);
  expect(late.distance(Float32Array.of(1, 0), place, 82)).toBe(82 + 16);
  expect(late.distance(Float32Array.of(1, 0), place, 81)).toBe(82);
});

test.each(METRICS)("they are those of single vectors, to the bit: %s", (metric) => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const dimensions = 1 + random.below(9);
    const drawn: Float32Array[] = [];
    const vector = (): Float32Array => {
      const scale = 10 ** (random.below(seed % 5 === 0 ? 40 : 3) - 1);
      const kind = random.below(6);
      const known = drawn.length > 0 ? drawn[random.below(drawn.length)] : undefined;
      const next = Float32Array.from({ length: dimensions }, (_, d) => {
        if (kind === 0) return 0;
        // Some are the same as others, or nearly.
        if (kind === 1 && known !== undefined) return known[d] * 3;
        if (kind === 2 && known !== undefined) return known[d] * (1 + 0.01 * random.next());
        return (random.next() - 0.5) * scale;
      });
      drawn.push(next);
      return next;
    };
    const queries = Array.from({ length: 1 + random.below(4) }, vector);
    const late = new LateInteraction(metric, queries);
    for (let document = 0; document < 5; document++) {
      const vectors = Array.from({ length: 1 + random.below(100) }, vector);
      const values = Float32Array.from([0, ...vectors.flatMap((own) => [...own])]);
      const place = { start: 1, end: values.length };
      const expected = slowDistance(metric, queries, vectors);
      expect(late.distance(values, place), `seed ${seed}`).toBe(expected);
    }
  }
});
