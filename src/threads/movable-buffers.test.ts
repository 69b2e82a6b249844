import { expect, test } from "vitest";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import { movableBuffers } from "./movable-buffers.ts";
import type { FromQueryThread } from "./thread-messages.ts";

/** A message with an answer. */
const answering = (body: Uint8Array): FromQueryThread =>
  ({ kind: "answer", answer: { ...jsonAnswer({}), body } }) as FromQueryThread;

test("a body that has its buffer for itself moves", () => {
  const body = new Uint8Array(100);
  expect(movableBuffers(answering(body))).toEqual([body.buffer]);
});

test("a window of a buffer that others may read is copied", () => {
  const pool = new ArrayBuffer(100);
  for (const body of [new Uint8Array(pool, 0, 99), new Uint8Array(pool, 1)]) {
    expect(movableBuffers(answering(body))).toEqual([]);
  }
});

test("shared memory stays shared", () => {
  expect(movableBuffers(answering(new Uint8Array(new SharedArrayBuffer(100))))).toEqual([]);
});

test("a message without bytes moves none", () => {
  expect(movableBuffers({ kind: "metrics", metrics: [] })).toEqual([]);
});
