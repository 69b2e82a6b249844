import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import type { ApiKey, KeyLimits } from "./api-key.ts";
import { KeyLimiter } from "./key-limits.ts";

function keyOf(limits: KeyLimits, id = "0123456789abcdef"): ApiKey {
  return {
    ...{ id, hash: "", name: "slow", lastFour: "abcd", createdAtMs: 0 },
    ...{ actions: ["read"], namespaces: ["*"], ...limits },
  };
}

function limiterOf(limits: KeyLimits) {
  const clock = new InstantClock();
  const limiter = new KeyLimiter(clock);
  const key = keyOf(limits);
  /** Milliseconds to wait; 0 if the request is admitted. */
  const ask = (by = key): number => {
    try {
      limiter.admit(by);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: "overloaded" });
      return Math.ceil((error as { retryAfterMs: number }).retryAfterMs - 1e-6);
    }
  };
  return { clock, limiter, key, ask };
}

test("a key without limits is asked for nothing", () => {
  const { ask } = limiterOf({});
  for (let times = 0; times < 10_000; times++) expect(ask()).toBe(0);
});

test("requests above the limit are refused until their time has come", async () => {
  const { clock, ask } = limiterOf({ requestsPerSecond: 4 });
  expect([1, 2, 3, 4].map(() => ask())).toEqual([0, 0, 0, 0]);
  expect(ask()).toBe(250);
  await clock.sleep(249);
  expect(ask()).toBe(1);
  await clock.sleep(1);
  expect(ask()).toBe(0);
  expect(ask()).toBe(250);
});

test("a limit below one lets one through in its time", async () => {
  const { clock, ask } = limiterOf({ requestsPerSecond: 0.1 });
  expect([ask(), ask()]).toEqual([0, 10_000]);
  await clock.sleep(10_000);
  expect([ask(), ask()]).toEqual([0, 10_000]);
});

test("bytes are paid for after they were used", async () => {
  const { clock, limiter, key, ask } = limiterOf({ bytesPerSecond: 1000 });
  expect(ask()).toBe(0);
  limiter.charge(key, 5000);
  expect(ask()).toBe(4000);
  await clock.sleep(3999);
  expect(ask()).toBe(1);
  await clock.sleep(1);
  expect(ask()).toBe(0);
});

test("keys have limits of their own", () => {
  const { ask } = limiterOf({ requestsPerSecond: 1 });
  const other = keyOf({ requestsPerSecond: 1 }, "fedcba9876543210");
  expect([ask(), ask(other)]).toEqual([0, 0]);
  expect([ask(), ask(other)]).toEqual([1000, 1000]);
});

test("over time no key gets more than its limit and what it has saved", async () => {
  const random = testRandom();
  for (let round = 0; round < 50; round++) {
    const perSecond = 1 + random.below(50);
    const { clock, ask } = limiterOf({ requestsPerSecond: perSecond });
    let [admitted, ms] = [0, 0];
    for (let step = 0; step < 300; step++) {
      const wait = ask();
      if (wait === 0) admitted++;
      else if (random.below(3) === 0) {
        await clock.sleep(wait);
        ms += wait;
        expect(ask()).toBe(0);
        admitted++;
      }
      const pause = random.below(100);
      await clock.sleep(pause);
      ms += pause;
    }
    expect(admitted).toBeLessThanOrEqual(perSecond + (ms / 1000) * perSecond + 1e-6);
  }
});
