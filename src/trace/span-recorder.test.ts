import { expect, test } from "vitest";
import { SpanRecorder } from "./span-recorder.ts";

function recorder() {
  const now = { ms: 5 };
  return { now, spans: new SpanRecorder(() => now.ms) };
}

test("one thing follows the other, with gaps where it has no name", () => {
  const { now, spans } = recorder();
  spans.begin("queue");
  spans.enter("parse");
  now.ms = 7;
  spans.enter("plan");
  // What takes no time was not there.
  spans.enter("read");
  now.ms = 17;
  spans.enter("read");
  now.ms = 20;
  spans.enter(undefined);
  now.ms = 21;
  spans.enter("search");
  now.ms = 30;
  expect(spans.end()).toEqual([
    { name: "queue", startMs: 0, endMs: 5 },
    { name: "parse", startMs: 5, endMs: 7 },
    { name: "read", startMs: 7, endMs: 20 },
    { name: "search", startMs: 21, endMs: 30 },
  ]);
});

test("so many spans are kept", () => {
  const { now, spans } = recorder();
  for (let i = 0; i < 1000; i++) {
    spans.enter(`step ${i}`);
    now.ms++;
  }
  expect(spans.end()).toHaveLength(64);
});
