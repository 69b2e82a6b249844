import type { FastifyRequest } from "fastify";
import { expect, test } from "vitest";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import type { ApiOutcome } from "./api-handler.ts";
import { logOutcome } from "./request-log.ts";

const REQUEST = {
  id: "r1",
  method: "POST",
  originalUrl: "/v2/namespaces/a?secret=x",
} as FastifyRequest;

/** The line of a request with this outcome. */
function lineOf(outcome: Partial<ApiOutcome>, { ms = 12.34, slowMs = 0 } = {}) {
  const lines: unknown[][] = [];
  const whole: ApiOutcome = {
    answer: jsonAnswer({}),
    operation: "write",
    bytesReceived: 7,
    ...outcome,
  };
  logOutcome((...line) => lines.push(line), { request: REQUEST, outcome: whole, ms, slowMs });
  expect(lines).toHaveLength(1);
  const [level, message, facts] = lines[0];
  return { level, message, facts };
}

test("a request has one line, without what its query string says", () => {
  const facts = {
    request: "r1",
    method: "POST",
    path: "/v2/namespaces/a",
    operation: "write",
    namespace: "a",
    status: 200,
    ms: 12.3,
    bytesIn: 7,
    bytesOut: 2,
  };
  expect(lineOf({ namespace: "a" })).toEqual({ level: "info", message: "request", facts });
  const { namespace: _, ...rest } = facts;
  expect(lineOf({}).facts).toEqual(rest);
});

test.each(["root", "health", "readiness", "metrics"])("the probe %s is no news", (operation) => {
  expect(lineOf({ operation }).level).toBe("debug");
});

test("a slow request is a warning where there is a bound", () => {
  expect(lineOf({}, { ms: 99.9, slowMs: 100 }).level).toBe("info");
  expect(lineOf({}, { ms: 100, slowMs: 100 })).toMatchObject({
    level: "warn",
    message: "slow request",
  });
  expect(lineOf({}, { ms: 1e6, slowMs: 0 }).level).toBe("info");
});

test("a mistake's line has what was answered, in one line of bounded length", () => {
  const answer = (error: string) => jsonAnswer({ status: "error", error }, 400);
  expect(lineOf({ answer: answer("💔 no limit") })).toMatchObject({
    level: "info",
    facts: { status: 400, error: "💔 no limit" },
  });
  const hostile = lineOf({ answer: answer(`a\nb\r\n\u001b[2J\u2028${"x".repeat(5000)}`) });
  expect(hostile.facts).toMatchObject({ error: expect.stringMatching(/^a b \[2J x{980,}…$/) });
  const plain = {
    status: 400,
    headers: { "content-type": "text/plain" },
    body: Buffer.from("bad"),
  };
  expect(lineOf({ answer: plain }).facts).toMatchObject({ error: "bad" });
  expect(lineOf({}).facts).not.toHaveProperty("error");
});

test("failures are errors with what was answered, bugs with their stack", () => {
  const failed = lineOf({ answer: jsonAnswer({ error: "no disk" }, 503) });
  expect(failed).toMatchObject({
    level: "error",
    message: "request failed",
    facts: { status: 503, error: '{"error":"no disk"}' },
  });
  const bug = new Error("secret detail");
  expect(lineOf({ answer: jsonAnswer({}, 500), bug })).toMatchObject({
    level: "error",
    message: "request failed by a bug",
    facts: { error: bug.stack },
  });
  expect(lineOf({ bug: "odd" }).facts).toMatchObject({ error: "odd" });
});

test("a client that left is no failure", () => {
  expect(lineOf({ answer: jsonAnswer({}, 499) }, { ms: 9, slowMs: 1 })).toMatchObject({
    level: "info",
    message: "client left before the answer",
  });
});
