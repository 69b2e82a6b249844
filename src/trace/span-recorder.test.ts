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

test("parts are below what they are of, and go on where it does", () => {
  const { now, spans } = recorder();
  spans.enter("search");
  spans.enterPart("filter");
  now.ms = 8;
  spans.enterPart("score");
  now.ms = 9;
  // It waits for its turn, and reads.
  spans.enter(undefined);
  now.ms = 11;
  spans.enter("search");
  now.ms = 14;
  spans.enterPart(undefined);
  now.ms = 15;
  spans.enter("serialize");
  spans.enterPart("return");
  now.ms = 16;
  spans.enter("search");
  now.ms = 17;
  const score = { name: "score" };
  expect(spans.end()).toEqual([
    {
      ...{ name: "search", startMs: 5, endMs: 9 },
      parts: [
        { name: "filter", startMs: 5, endMs: 8 },
        { ...score, startMs: 8, endMs: 9 },
      ],
    },
    { name: "search", startMs: 11, endMs: 15, parts: [{ ...score, startMs: 11, endMs: 14 }] },
    {
      ...{ name: "serialize", startMs: 15, endMs: 16 },
      parts: [{ name: "return", startMs: 15, endMs: 16 }],
    },
    { name: "search", startMs: 16, endMs: 17 },
  ]);
});

test("so many spans are kept, and so many parts of all of them", () => {
  const { now, spans } = recorder();
  for (let i = 0; i < 1000; i++) {
    spans.enter(`step ${i}`);
    now.ms++;
    for (const part of ["a", "b", "c"]) {
      spans.enterPart(part);
      now.ms++;
    }
  }
  const all = spans.end();
  expect(all).toHaveLength(64);
  expect(all.flatMap(({ parts = [] }) => parts)).toHaveLength(64);
});
