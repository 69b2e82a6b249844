import { expect, test } from "vitest";
import { inOrder, longestPhase, type SlowRequest, slowKey } from "./slow-request.ts";

function slow(ms: number, more: Partial<SlowRequest> = {}): SlowRequest {
  return {
    time: "2026-01-31T09:30:00.000Z",
    request: `r${ms}`,
    message: "slow query",
    method: "POST",
    path: "/v2/namespaces/a/query",
    operation: "query",
    status: 200,
    ms,
    bytesIn: 1,
    bytesOut: 1,
    ...more,
  };
}

test("the newest first, or the slowest", () => {
  const all = [slow(5), slow(9), slow(7)];
  expect(inOrder(all, "newest").map(({ ms }) => ms)).toEqual([5, 9, 7]);
  expect(inOrder(all, "slowest").map(({ ms }) => ms)).toEqual([9, 7, 5]);
});

test("the phase that took the most time is named", () => {
  expect(longestPhase(slow(9, { phases: { parse: 1, search: 7, wait: 1 } }))).toBe("search");
  expect(longestPhase(slow(9))).toBeUndefined();
});

test("requests of one id are told apart by their times", () => {
  expect(slowKey(slow(1))).not.toBe(slowKey(slow(1, { time: "2026-01-31T09:30:01.000Z" })));
});
