import { expect, test } from "vitest";
import { KthLeast } from "../../base/numbers/kth-least.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { DocumentGains } from "./document-gains.ts";

/** Tells of vectors whose estimates are in the middle of their bounds. */
function tell(gains: DocumentGains, met: readonly (readonly [number, number])[]): void {
  for (const [position, distance] of met) gains.add(position, distance - 0.5, distance + 0.5);
}

test("documents are as much nearer as their nearest vectors are than what is imputed", () => {
  const gains = new DocumentGains(Uint32Array.of(2, 0, 2, 1, 3), 4, 0);
  const estimates = new KthLeast(2);
  gains.begin(estimates);
  tell(gains, [
    [0, 3],
    [1, 4],
    [2, 1],
    [3, 9],
  ]);
  expect(estimates.worst).toBe(3);
  expect(gains.farthest).toBe(9);
  runSteps(gains.settle(5));
  gains.begin(new KthLeast(1));
  tell(gains, [
    [1, 2],
    [0, 7],
  ]);
  expect(gains.farthest).toBe(7);
  runSteps(gains.settle(8));
  // Document 0: 5 − 4 and 8 − 2; 2: 5 − 1 and 8 − 7. What is imputed is nearer than document 1.
  expect([0, 1, 2].map((o) => gains.gainOf(o))).toEqual([7, 0, 5]);
  expect([...gains.documents].sort()).toEqual([0, 1, 2]);
  expect(gains.gainOf(3)).toBeNaN();
});

test("many documents are settled in steps", () => {
  const count = 70_000;
  const gains = new DocumentGains(
    Uint32Array.from({ length: count }, (_, o) => o),
    count,
    0,
  );
  gains.begin(new KthLeast(1));
  for (let o = 0; o < count; o++) gains.add(o, 1, 1);
  expect([...gains.settle(3)]).toHaveLength(1);
  expect(gains.documents).toHaveLength(count);
  expect([0, count - 1].map((o) => gains.gainOf(o))).toEqual([2, 2]);
});

test("vectors of which nothing is known are as far as it is said", () => {
  const gains = new DocumentGains(Uint32Array.of(0), 1, 2);
  gains.begin(new KthLeast(1));
  gains.add(0, Number.NaN, Number.NaN);
  runSteps(gains.settle(3));
  expect(gains.gainOf(0)).toBe(1);
});

test("gains rank documents as sums do, of the nearest or of what is imputed", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    const ordinals = Uint32Array.from({ length: 900 }, () => random.below(300));
    const gains = new DocumentGains(ordinals, 300, 0);
    const sums = new Float64Array(300);
    const isSeen = new Uint8Array(300);
    for (let query = 0; query < 5; query++) {
      const imputed = 2 + random.next();
      const nearest = new Float64Array(300).fill(imputed);
      gains.begin(new KthLeast(1));
      for (let position = 0; position < 900; position++) {
        if (random.below(3) > 0) continue;
        const distance = 4 * random.next();
        gains.add(position, distance, distance);
        const ordinal = ordinals[position];
        nearest[ordinal] = Math.min(nearest[ordinal], distance);
        isSeen[ordinal] = 1;
      }
      runSteps(gains.settle(imputed));
      for (let o = 0; o < 300; o++) sums[o] += nearest[o] - imputed;
    }
    const seen = [...isSeen.keys()].filter((o) => isSeen[o] === 1);
    expect(
      [...gains.documents].sort((a, b) => a - b),
      `seed ${seed}`,
    ).toEqual(seen);
    for (const o of seen) expect(gains.gainOf(o)).toBeCloseTo(-sums[o], 4);
  }
});
