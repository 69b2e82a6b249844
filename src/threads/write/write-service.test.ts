import { expect, test } from "vitest";
import { settled } from "../../../test/support/engine/fake-port.ts";
import type { HttpAnswer } from "../../api/engine.ts";
import type { CallHandler, CallMessage } from "../../api/write-call.ts";
import { DatabaseError } from "../../base/errors.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import { namespaceNotFound } from "../../namespace/namespace-faults.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { EngineQuestion, FromWriteThread } from "../thread-messages.ts";
import { type QuestionHandler, WriteService } from "./write-service.ts";

const ANSWER: HttpAnswer = { status: 200, headers: {}, body: new Uint8Array(0) };

function callMessage(call: number, hasBody = true): CallMessage {
  const namespace = namespaceName("n");
  return {
    kind: "call",
    call,
    operation: "write",
    namespace,
    parameters: {},
    apiVersion: "v2",
    isStrict: false,
    hasBody,
  };
}

function serviceOf(handler: CallHandler, reply: QuestionHandler = async () => undefined) {
  const said: FromWriteThread[] = [];
  const service = new WriteService((message) => said.push(message), handler, reply);
  const kinds = () => said.map(({ kind }) => kind);
  return { service, said, kinds };
}

/** Reads a body to its end and answers. */
const reading: CallHandler = async (_call, body) => {
  while ((await body.next()) !== undefined);
  return ANSWER;
};

test("bodies of several calls are read side by side, each in its order", async () => {
  const texts = new Map<number, string>();
  const { service, kinds } = serviceOf(async ({ call }, body) => {
    for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
      texts.set(call, (texts.get(call) ?? "") + new TextDecoder().decode(chunk));
    }
    return ANSWER;
  });
  const chunk = (call: number, text: string) =>
    service.onMessage({ kind: "chunk", call, bytes: new TextEncoder().encode(text) });
  service.onMessage(callMessage(1));
  service.onMessage(callMessage(2));
  chunk(1, "a");
  chunk(2, "x");
  chunk(1, "b");
  await settled();
  chunk(2, "y");
  service.onMessage({ kind: "end", call: 2 });
  chunk(1, "c");
  service.onMessage({ kind: "end", call: 1 });
  await service.whenIdle();
  expect([texts.get(1), texts.get(2)]).toEqual(["abc", "xy"]);
  expect(kinds().filter((kind) => kind === "consumed")).toHaveLength(5);
  expect(kinds().filter((kind) => kind === "answer")).toHaveLength(2);
});

test("bytes count as consumed only when the next are asked for", async () => {
  let goOn: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { service, said } = serviceOf(async (_call, body) => {
    await body.next();
    await gate;
    await body.next();
    return ANSWER;
  });
  service.onMessage(callMessage(1));
  service.onMessage({ kind: "chunk", call: 1, bytes: new Uint8Array(9) });
  await settled();
  expect(said).toEqual([]);
  goOn();
  await settled();
  const piece = new Uint8Array(9);
  expect(said).toEqual([{ kind: "consumed", call: 1, bytes: 9, piece }]);
  service.onMessage({ kind: "end", call: 1 });
  await service.whenIdle();
});

test("a call whose client is gone before its body is whole is dropped", async () => {
  const { service, kinds } = serviceOf(reading);
  service.onMessage(callMessage(1));
  service.onMessage({ kind: "chunk", call: 1, bytes: new Uint8Array(3) });
  service.onMessage({ kind: "abort", call: 1 });
  await service.whenIdle();
  expect(kinds()).not.toContain("answer");
  expect(kinds()).not.toContain("log");
});

test("a call whose client is gone after its body was whole is answered all the same", async () => {
  const { service, kinds } = serviceOf(async (call, body, reporter) => {
    await reading(call, body, reporter);
    await settled();
    return ANSWER;
  });
  service.onMessage(callMessage(1));
  service.onMessage({ kind: "end", call: 1 });
  await Promise.resolve();
  await Promise.resolve();
  service.onMessage({ kind: "abort", call: 1 });
  await service.whenIdle();
  expect(kinds()).toContain("answer");
});

test("operating errors are answers; those about the server, and bugs, are logged too", async () => {
  const errors = [
    new DatabaseError("invalid", "wrong"),
    new DatabaseError("corrupt", "damaged"),
    new TypeError("a secret"),
  ];
  const { service, said } = serviceOf(async ({ call }) => {
    throw errors[call];
  });
  for (const call of [0, 1, 2]) service.onMessage(callMessage(call, false));
  await service.whenIdle();
  const answers = said.filter((message) => message.kind === "answer");
  expect(answers.map(({ answer }) => answer.status)).toEqual([400, 500, 500]);
  expect(new TextDecoder().decode(answers[2].answer.body)).not.toContain("secret");
  expect(said.filter(({ kind }) => kind === "log")).toHaveLength(2);
});

test("questions of the engine are answered with states and typed errors", async () => {
  const namespace = namespaceName("n");
  const instance = "n/1/1" as NamespaceInstance;
  const state = { sequence: sequenceNumber(7), knownMs: 3 };
  const { service, said } = serviceOf(reading, async ({ kind }) => {
    if (kind === "verify") return state;
    throw kind === "open" ? namespaceNotFound(namespace) : new TypeError("a secret");
  });
  const ask = (call: number, question: EngineQuestion) =>
    service.onMessage({ kind: "ask", call, question });
  ask(1, { kind: "verify", namespace, instance, stalenessMsMax: 0 });
  ask(2, { kind: "open", namespace, visible: [EVERY_NAMESPACE] });
  ask(3, { kind: "refresh", namespace, visible: [EVERY_NAMESPACE] });
  await service.whenIdle();
  const replies = said.filter(({ kind }) => kind !== "log");
  expect(replies).toMatchObject([
    { kind: "reply", call: 1, state },
    { kind: "failure", call: 2, error: { code: "not_found" } },
    { kind: "failure", call: 3, error: { code: "internal" } },
  ]);
  expect(JSON.stringify(replies)).not.toContain("secret");
  expect(said.filter(({ kind }) => kind === "log")).toMatchObject([
    { facts: { operation: "refresh", stack: expect.stringContaining("a secret") } },
  ]);
});
