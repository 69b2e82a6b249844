import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { invalid } from "../base/errors.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { OPERATION_RESULT_MS } from "../model/contract-limits.ts";
import type { HttpAnswer } from "./engine.ts";
import { errorAnswer } from "./error-answer.ts";
import { acceptedAnswer, operationAnswer } from "./operation-answer.ts";
import { OPERATIONS_MAX, OperationRegistry } from "./operation-registry.ts";

const NAMESPACE = namespaceName("a.b");
const textOf = ({ body }: HttpAnswer) => new TextDecoder().decode(body);

function fixture() {
  const clock = new InstantClock();
  const registry = new OperationRegistry(clock, seededRandom(1));
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>();
  const token = registry.start(NAMESPACE, promise) ?? "";
  const poll = () => {
    const state = registry.state(NAMESPACE, token);
    return state === undefined ? undefined : textOf(operationAnswer(state));
  };
  return { clock, registry, token, poll, finish: resolve };
}

test("an accepted operation names its token and where to poll", () => {
  const { token } = fixture();
  const answer = acceptedAnswer(NAMESPACE, token);
  expect(answer.status).toBe(202);
  expect(answer.headers).toMatchObject({
    "preference-applied": "respond-async",
    location: `/v1/namespaces/a.b/operations/${token}`,
  });
  expect(JSON.parse(textOf(answer))).toEqual({ token });
});

test("a poll tells progress, then the answer as it is, for one hour", async () => {
  const { clock, registry, token, poll, finish } = fixture();
  const start = '"start_time":"2026-01-01T00:00:00.000000000Z"';
  expect(poll()).toBe(`{"status":"running",${start}}`);
  registry.progress(token, "index: copied 5 bytes");
  expect(poll()).toBe(`{"status":"running",${start},"progress":"index: copied 5 bytes"}`);
  const body = new TextEncoder().encode('{"rows_affected":18446744073709551615}');
  finish({ status: 200, headers: {}, body });
  await clock.sleep(0);
  await clock.sleep(OPERATION_RESULT_MS - 1);
  const success = '{"success":{"rows_affected":18446744073709551615}}';
  const finished = '"status":"finished"';
  const end = '"finish_time":"2026-01-01T00:00:00.000000000Z"';
  expect(poll()).toBe(`{${finished},${start},${end},"result":${success}}`);
  await clock.sleep(1);
  expect(poll()).toBeUndefined();
});

test("a failure is finished too, with its status and its body", async () => {
  const { clock, poll, finish } = fixture();
  finish(errorAnswer(invalid("💔 no")));
  await clock.sleep(1);
  expect(JSON.parse(poll() ?? "")).toEqual({
    status: "finished",
    start_time: expect.any(String),
    finish_time: expect.any(String),
    result: { error: { status_code: 400, detail: { status: "error", error: "💔 no" } } },
  });
});

test("tokens belong to one namespace, and there is room for so many", () => {
  const { registry, token } = fixture();
  expect(registry.state(namespaceName("other"), token)).toBeUndefined();
  expect(registry.state(NAMESPACE, "nope")).toBeUndefined();
  const never = new Promise<HttpAnswer>(() => {});
  expect(registry.isFull).toBe(false);
  for (let i = 1; i < OPERATIONS_MAX; i++) registry.start(NAMESPACE, never);
  expect(registry.isFull).toBe(true);
  expect(registry.start(NAMESPACE, never)).toBeUndefined();
});

test("a finished operation has the warning of its answer", () => {
  const answer = errorAnswer(invalid("💔 no"));
  const warned = { ...answer, headers: { ...answer.headers, "trawl-warning": "unknown field" } };
  const finished = { kind: "finished", startedAtMs: 1, finishedAtMs: 2 } as const;
  const polled = operationAnswer({ ...finished, answer: warned });
  expect(polled.headers["trawl-warning"]).toBe("unknown field");
  const { headers } = operationAnswer({ ...finished, answer });
  expect(headers).not.toHaveProperty("trawl-warning");
});
