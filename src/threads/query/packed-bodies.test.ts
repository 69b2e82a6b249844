import { expect, test } from "vitest";
import { FakePort } from "../../../test/support/engine/fake-port.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import {
  type PackedFromQueryThread,
  type PackedToQueryThread,
  packFromQueryThread,
  packingPort,
  unpackToQueryThread,
} from "./packed-bodies.ts";

const SHORT = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const LONG = new Uint8Array(8 * KIB + 1).fill(7);

const queryWith = (body: Uint8Array): ToQueryThread =>
  ({ kind: "query", call: 1, body }) as ToQueryThread;
const answerWith = (body: Uint8Array): FromQueryThread => ({
  kind: "answer",
  call: 1,
  answer: { status: 200, headers: { "content-type": "application/json" }, body },
});

function connected() {
  const inner = new FakePort<PackedToQueryThread, PackedFromQueryThread>();
  return { inner, port: packingPort(inner) };
}

test.each([
  ["a short body", SHORT, "string"],
  ["no body", new Uint8Array(0), "string"],
  ["a long body", LONG, "object"],
])("%s reaches the query thread as it was", (_name, body, carrier) => {
  const { inner, port } = connected();
  port.post(queryWith(body), []);
  const [sent] = inner.all("query");
  expect(typeof sent.body).toBe(carrier);
  const come = unpackToQueryThread(sent);
  expect(come.kind === "query" && [...come.body]).toEqual([...body]);
});

test.each([
  ["a short answer", SHORT, "string"],
  ["a long answer", LONG, "object"],
])("%s comes back as it was", async (_name, body, carrier) => {
  const { inner, port } = connected();
  const heard: FromQueryThread[] = [];
  port.listen((message) => heard.push(message));
  const packed = packFromQueryThread(answerWith(body));
  expect(packed.kind === "answer" && typeof packed.answer.body).toBe(carrier);
  await inner.say(packed);
  const [message] = heard;
  expect(message.kind === "answer" && message.answer).toMatchObject({ status: 200 });
  expect(message.kind === "answer" && [...message.answer.body]).toEqual([...body]);
});

test("other messages pass as they are", async () => {
  const { inner, port } = connected();
  const heard: FromQueryThread[] = [];
  port.listen((message) => heard.push(message));
  port.post({ kind: "admitted", call: 3 });
  await inner.say({ kind: "weight", call: 3, weight: 2 });
  expect(inner.all("admitted")).toEqual([{ kind: "admitted", call: 3 }]);
  expect(heard).toEqual([{ kind: "weight", call: 3, weight: 2 }]);
});
