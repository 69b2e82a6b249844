import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { RATE_WINDOW_MS, RecentRate } from "./recent-rate.ts";

test("a rate is of what was added, over the time that has passed", () => {
  const rate = new RecentRate({ ms: 1_000, count: 500 });
  expect(rate.at(1_000)).toBe(0);
  rate.note(2_000, 1_500);
  expect(rate.at(2_000)).toBe(1_000);
  expect(rate.at(3_000)).toBe(500);
  const sudden = new RecentRate({ ms: 0, count: 0 });
  sudden.note(0, 4_000);
  expect(sudden.at(5_000)).toBe(800);
});

test("where nothing is added the rate falls, to nothing after the window", () => {
  const rate = new RecentRate({ ms: 0, count: 0 });
  for (let ms = 1_000; ms <= 60_000; ms += 1_000) rate.note(ms, ms);
  expect(rate.at(60_000)).toBe(1_000);
  expect(rate.at(60_000 + RATE_WINDOW_MS / 2)).toBe(500);
  expect(rate.at(60_000 + RATE_WINDOW_MS)).toBe(0);
  rate.note(120_000, 60_300);
  expect(rate.at(120_000)).toBe(10);
});

test("rates are those of all points, as far as a window of them can tell", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const points = [{ ms: 0, count: 0 }];
    const rate = new RecentRate(points[0]);
    for (let i = 0; i < 200; i++) {
      const last = points[points.length - 1];
      // Far enough from each other that none is taken together with the one before.
      const point = {
        ms: last.ms + 250 + random.below(5_000),
        count: last.count + random.below(9),
      };
      points.push(point);
      rate.note(point.ms, point.count);
      const ms = point.ms + random.below(RATE_WINDOW_MS);
      const fromMs = Math.max(0, ms - RATE_WINDOW_MS);
      const before = points.findLast((each) => each.ms <= fromMs) ?? points[0];
      const naive = ms === fromMs ? 0 : ((point.count - before.count) * 1000) / (ms - fromMs);
      expect(rate.at(ms), `seed ${seed}`).toBeCloseTo(naive, 9);
    }
  }
});
