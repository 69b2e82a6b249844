import { expect, test } from "vitest";
import { type Random, seededRandom } from "../base/random.ts";
import { isLoose } from "./loose-cluster.ts";
import { inverseNorm } from "./metric.ts";
import { VectorReader } from "./vector-rows.ts";

const DIMENSIONS = 24;
const METRICS = ["cosine_distance", "euclidean_squared"] as const;

function readerOf(vectors: readonly Float32Array[]): VectorReader {
  const dimensions = vectors[0].length;
  const values = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, row) => {
    values.set(vector, row * dimensions);
  });
  const norms = vectors.map((vector) => inverseNorm(vector.reduce((sum, x) => sum + x * x, 0)));
  return new VectorReader({
    bytes: new Uint8Array(values.buffer),
    strideBytes: 4 * dimensions,
    format: "f32",
    dimensions,
    inverseNorms: Float32Array.from(norms),
  });
}

function draw(random: Random, dimensions: number, around?: Float32Array): Float32Array {
  const near = () => random.next() + random.next() + random.next() - 1.5;
  return Float32Array.from({ length: dimensions }, (_, d) => near() + (around?.[d] ?? 0));
}

/** Groups of so many rows around centres that are about three times as far apart as groups reach. */
function groups(random: Random, sizes: readonly number[]): Float32Array[] {
  return sizes.flatMap((size) => {
    const centre = draw(random, DIMENSIONS).map((x) => 2 * x);
    return Array.from({ length: size }, () => draw(random, DIMENSIONS, centre));
  });
}

function looseness(vectors: readonly Float32Array[], metric: (typeof METRICS)[number]): boolean {
  return isLoose(readerOf(vectors), Uint32Array.from(vectors.keys()), metric);
}

test.each(METRICS)("groups are told apart, and one is whole, by %s", (metric) => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    expect(looseness(groups(random, [64]), metric), `one group, seed ${seed}`).toBe(false);
    expect(looseness(groups(random, [32, 32]), metric), `two groups, seed ${seed}`).toBe(true);
    expect(looseness(groups(random, [48, 16]), metric), `three to one, seed ${seed}`).toBe(true);
    expect(looseness(groups(random, [20, 20, 24]), metric), `three, seed ${seed}`).toBe(true);
    // A few rows that lie apart are no group, and neither is a cluster of few rows.
    expect(looseness(groups(random, [60, 4]), metric), `some apart, seed ${seed}`).toBe(false);
    expect(looseness(groups(random, [7, 7]), metric), `few rows, seed ${seed}`).toBe(false);
  }
});

test("vectors without structure are whole, but for those of few dimensions", () => {
  const random = seededRandom(5);
  const uniform = (dimensions: number) =>
    Array.from({ length: 64 }, () =>
      Float32Array.from({ length: dimensions }, () => 2 * random.next() - 1),
    );
  expect(looseness(uniform(1), "euclidean_squared")).toBe(true);
  expect(looseness(uniform(2), "euclidean_squared")).toBe(true);
  expect(looseness(uniform(8), "euclidean_squared")).toBe(false);
  expect(looseness(uniform(64), "euclidean_squared")).toBe(false);
});

test("vectors that are all the same, or too long to be compared, are whole", () => {
  const same = Array.from({ length: 64 }, () => Float32Array.of(1, 2, 3));
  const long = Array.from({ length: 64 }, (_, i) => Float32Array.of(i % 2 === 0 ? 3e38 : -3e38, 1));
  expect(looseness(same, "euclidean_squared")).toBe(false);
  expect(looseness(same, "cosine_distance")).toBe(false);
  expect(() => looseness(long, "euclidean_squared")).not.toThrow();
});
