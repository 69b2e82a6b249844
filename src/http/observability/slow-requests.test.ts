import { expect, test } from "vitest";
import { SlowRequests } from "./slow-requests.ts";

test("some slow requests a minute are logged, the next one tells of those that were not", () => {
  let nowMs = 0;
  const rules = { slowRequestMs: 100, slowRequestsLoggedMax: 1 };
  const slow = new SlowRequests({ monotonicMs: () => nowMs }, rules);
  expect(slow.detailsMs).toBe(50);
  expect(slow.note(99)).toBeUndefined();
  expect(slow.note(100)).toEqual({ kind: "logged", unloggedCount: 0 });
  expect(slow.detailsMs).toBeUndefined();
  expect([slow.note(200), slow.note(300)]).toEqual([{ kind: "unlogged" }, { kind: "unlogged" }]);
  nowMs += 60_000;
  expect(slow.detailsMs).toBe(50);
  expect(slow.note(100)).toEqual({ kind: "logged", unloggedCount: 2 });
});

test("where no bound is set nothing is slow", () => {
  const rules = { slowRequestMs: 0, slowRequestsLoggedMax: 1 };
  const slow = new SlowRequests({ monotonicMs: () => 0 }, rules);
  expect(slow.detailsMs).toBeUndefined();
  expect(slow.note(1e9)).toBeUndefined();
});
