import { expect, test } from "vitest";
import { testRandom } from "../../test/support/random/seed.ts";
import { BodyBudget } from "./body-budget.ts";

test("what fits to the last byte is charged, and nothing of what does not", () => {
  const budget = new BodyBudget(100);
  expect(budget.reserve(60)).toBe(true);
  expect(budget.reserve(41)).toBe(false);
  expect(budget.bytesUsed).toBe(60);
  expect(budget.reserve(40)).toBe(true);
  expect(budget.reserve(0)).toBe(true);
  expect(budget.reserve(1)).toBe(false);
  budget.release(60);
  expect(budget.bytesUsed).toBe(40);
  expect(budget.reserve(60)).toBe(true);
});

test("whatever comes and goes, the sum is right and within the bound", () => {
  const random = testRandom();
  const budget = new BodyBudget(1000);
  const charged: number[] = [];
  for (let step = 0; step < 2000; step++) {
    const bytes = random.below(400);
    const used = charged.reduce((sum, one) => sum + one, 0);
    expect(budget.bytesUsed).toBe(used);
    if (random.below(2) === 0 && charged.length > 0) {
      budget.release(charged.splice(random.below(charged.length), 1)[0]);
    } else {
      expect(budget.reserve(bytes)).toBe(used + bytes <= 1000);
      if (used + bytes <= 1000) charged.push(bytes);
    }
  }
});
