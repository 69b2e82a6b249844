import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { ClientError } from "./client-error.ts";
import { type FailedTry, planRetry } from "./retry-plan.ts";

const NO_JITTER = { ...seededRandom(1), next: () => 0 };

function refused(status: number, retryAfterMs?: number): ClientError {
  return new ClientError("refused", "no", {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function plan(fault: ClientError, failed: Partial<FailedTry> = {}): number | undefined {
  const before = { tries: 1, waitedMs: 0, repeatable: false, unsent: false, knownServer: true };
  return planRetry({ fault, ...before, ...failed }, 60_000, NO_JITTER);
}

const BROKEN = new ClientError("unreachable", "gone");

test("the server's time is kept where it names one, and grows where it does not", () => {
  expect(plan(refused(429, 1234))).toBe(1234);
  expect([1, 2, 3, 9].map((tries) => plan(refused(503), { tries }))).toEqual([200, 400, 800, 5000]);
  expect(plan(refused(202, 700))).toBe(700);
});

test("waits are drawn apart, by up to a quarter", () => {
  const waits = Array.from({ length: 50 }, (_, seed) =>
    planRetry(
      {
        fault: refused(429, 1000),
        tries: 1,
        waitedMs: 0,
        repeatable: false,
        unsent: false,
        knownServer: true,
      },
      60_000,
      seededRandom(seed),
    ),
  );
  expect(Math.min(...waits.map(Number))).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(1250);
  expect(new Set(waits).size).toBeGreaterThan(10);
});

test("all waiting for one request is bounded", () => {
  expect(plan(refused(429, 30_000), { waitedMs: 30_000 })).toBe(30_000);
  expect(plan(refused(429, 30_001), { waitedMs: 30_000 })).toBeUndefined();
});

test("other refusals are final", () => {
  for (const status of [400, 401, 403, 404, 408, 409, 413, 422, 500]) {
    expect(plan(refused(status), { repeatable: true })).toBeUndefined();
  }
});

test("what may have taken effect is sent again only if that changes nothing", () => {
  expect(plan(refused(502))).toBeUndefined();
  expect(plan(refused(504), { repeatable: true })).toBe(200);
  expect(plan(BROKEN)).toBeUndefined();
  expect(plan(BROKEN, { repeatable: true })).toBe(200);
  expect(plan(BROKEN, { unsent: true })).toBe(200);
});

test("a server that was never seen is not waited for", () => {
  expect(plan(BROKEN, { unsent: true, repeatable: true, knownServer: false })).toBeUndefined();
});

test("silence and answers that nobody understands are final", () => {
  expect(plan(new ClientError("timed_out", "…"), { repeatable: true })).toBeUndefined();
  expect(plan(new ClientError("misunderstood", "…"), { repeatable: true })).toBeUndefined();
});
