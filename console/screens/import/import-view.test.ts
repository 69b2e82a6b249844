import { expect, test } from "vitest";
import type { ImportProgress } from "./import-messages.ts";
import { endText, NOTHING_CHOSEN, progressText, viewAfter } from "./import-view.ts";

const PROGRESS: ImportProgress = {
  counts: { rows: 3000, rejected: 2, bytes: 5000 },
  bytesDone: 1024 * 1024,
  bytesBefore: 0,
  bytesTotal: 4 * 1024 * 1024,
  seconds: 2,
  rowsBefore: 1000,
};

test("progress says how far, how fast and how long", () => {
  expect(progressText(PROGRESS, undefined)).toBe(
    "3,000 rows · 1,000 rows/s · 1.0 MiB of 4.0 MiB · 2 rejected · about 6.0 s left",
  );
  const end = { ...PROGRESS, bytesDone: 9e9, counts: { rows: 1, rejected: 0, bytes: 1 } };
  expect(progressText({ ...end, rowsBefore: 0, seconds: 0 }, undefined)).toBe(
    "1 row · 0 rows/s · 4.0 MiB of 4.0 MiB",
  );
});

test("while the server is waited for, no rate is told", () => {
  expect(progressText(PROGRESS, "too much; tried again in 1.5 s")).toBe(
    "3,000 rows · 1.0 MiB of 4.0 MiB · 2 rejected",
  );
});

test("each end is told with what was done", () => {
  const end = { kind: "ended", namespace: "a", progress: PROGRESS, rejects: undefined } as const;
  const text = (reason: "done" | "stopped" | "failed" | "too_many_rejected", message?: string) =>
    endText({ ...end, reason, message });
  expect(text("done")).toBe("3,000 rows imported, 2 rejected in 2.0 s.");
  expect(text("stopped")).toMatch(/^Stopped: 3,000 rows imported, 2 rejected\. It can go on/);
  expect(text("failed", "the disk is full")).toMatch(/^Failed: the disk is full\. 3,000 rows/);
  expect(text("too_many_rejected", "a:1: bad")).toMatch(/^Ended: a:1: bad\. 3,000 rows/);
});

test("answers to what was asked before are passed over", () => {
  const asked = { ...NOTHING_CHOSEN, turn: 2, phase: "opening" } as const;
  const late = { kind: "failed", turn: 1, message: "no such format" } as const;
  expect(viewAfter(asked, late)).toBe(asked);
  expect(viewAfter(asked, { ...late, turn: 2 })).toMatchObject({
    phase: "empty",
    fault: "no such format",
  });
});

test("what is waited for is told until it goes on", () => {
  const running = { ...NOTHING_CHOSEN, phase: "running" } as const;
  const waiting = viewAfter(running, { kind: "waiting", message: "too much", waitMs: 1500 });
  expect(waiting.waiting).toBe("too much; tried again in 1.5 s");
  expect(viewAfter(waiting, { kind: "progress", progress: PROGRESS }).waiting).toBeUndefined();
});
