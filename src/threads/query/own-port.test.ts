import { expect, test } from "vitest";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import { ownPort } from "./own-port.ts";

const MESSAGE = { kind: "admitted", call: 1 } as const satisfies ToQueryThread;
const ANSWER = { kind: "weight", call: 1, weight: 2 } as const satisfies FromQueryThread;

test("messages go both ways at once", () => {
  const sent: unknown[] = [];
  const answers: unknown[] = [];
  const port = ownPort({
    start: (post) => ({
      onMessage: (message) => {
        sent.push(message);
        post(ANSWER);
      },
    }),
    onCrash: () => expect.unreachable(),
  });
  port.listen((message) => void answers.push(message));
  port.post(MESSAGE);
  expect([sent, answers]).toEqual([[MESSAGE], [ANSWER]]);
});

test("a message that the service cannot take is a crash, and not its sender's fault", async () => {
  const fault = new Error("a segment that is none");
  const crashes: unknown[] = [];
  let isClosed = false;
  const port = ownPort({
    start: () => ({
      onMessage: () => {
        throw fault;
      },
    }),
    onCrash: (error) => void crashes.push(error),
    close: () => {
      isClosed = true;
    },
  });
  port.post(MESSAGE);
  expect(crashes).toEqual([fault]);
  await port.terminate();
  expect(isClosed).toBe(true);
});
