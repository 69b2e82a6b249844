import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { KIB } from "../../base/byte-sizes.ts";
import { WaitingAnswers } from "./waiting-answers.ts";

/** A response whose client has taken so many bytes. */
class FakeResponse extends EventEmitter {
  readonly connection = { bytesWritten: 0, writableLength: 0 };
  socket: FakeResponse["connection"] | null = this.connection;
  writableFinished = false;
  isDestroyed = false;

  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }
}

const asResponse = (response: FakeResponse) => response as unknown as ServerResponse;

test("answers are counted until they are taken; small ones always find room", () => {
  const answers = new WaitingAnswers({ answerBytesMax: 200 * KIB, answerStallMs: 3000 });
  const [first, second, third] = [new FakeResponse(), new FakeResponse(), new FakeResponse()];
  expect(answers.admit(asResponse(first), 150 * KIB)).toBe(true);
  expect(answers.admit(asResponse(second), 100 * KIB)).toBe(false);
  expect(answers.admit(asResponse(third), 64 * KIB)).toBe(true);
  expect(answers.bytes).toBe(214 * KIB);
  first.emit("close");
  expect(answers.admit(asResponse(second), 100 * KIB)).toBe(true);
  expect(answers.bytes).toBe(164 * KIB);
});

test("clients that take nothing are cut off, slow ones are not", () => {
  const answers = new WaitingAnswers({ answerBytesMax: 1000 * KIB, answerStallMs: 3000 });
  const [dead, slow, done] = [new FakeResponse(), new FakeResponse(), new FakeResponse()];
  for (const response of [dead, slow, done]) answers.admit(asResponse(response), 100 * KIB);
  done.writableFinished = true;
  let cutCount = 0;
  for (let second = 1; second <= 20; second++) {
    // What waits in the program's own memory is not taken.
    dead.connection.bytesWritten += 100;
    dead.connection.writableLength += 100;
    if (second % 2 === 0) slow.connection.bytesWritten += 1;
    cutCount += answers.sweep(1000);
    expect(dead.isDestroyed).toBe(second >= 3);
  }
  expect([cutCount, slow.isDestroyed, done.isDestroyed]).toEqual([1, false, false]);
  expect(answers.bytes).toBe(200 * KIB);
});

test("an answer that waits for the one before it on its connection is not stalled", () => {
  const answers = new WaitingAnswers({ answerBytesMax: 1000 * KIB, answerStallMs: 3000 });
  const response = new FakeResponse();
  response.socket = null;
  answers.admit(asResponse(response), 100 * KIB);
  for (let second = 1; second <= 20; second++) expect(answers.sweep(1000)).toBe(0);
  response.socket = response.connection;
  expect([1, 2, 3].map(() => answers.sweep(1000))).toEqual([0, 0, 1]);
});
