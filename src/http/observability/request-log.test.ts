import { expect, test } from "vitest";
import { jsonAnswer } from "../../../test/support/servers/fake-engine.ts";
import type { QueryDetails } from "../../api/engine.ts";
import { noPhases } from "../../model/request-stats.ts";
import type { ApiOutcome } from "./api-outcome.ts";
import { logOutcome, type SlowRequest } from "./request-log.ts";

const REQUEST = { id: "r1", method: "POST", path: "/v2/namespaces/a" };
/** The line of a request with this outcome. */
function lineOf(outcome: Partial<ApiOutcome>, slow?: SlowRequest) {
  const lines: unknown[][] = [];
  const whole: ApiOutcome = {
    answer: jsonAnswer({}),
    operation: "write",
    bytesReceived: 7,
    ...outcome,
  };
  logOutcome((...line) => lines.push(line), { request: REQUEST, outcome: whole, ms: 12.34, slow });
  expect(lines).toHaveLength(1);
  const [level, message, facts] = lines[0];
  return { level, message, facts };
}

test("a request has one line", () => {
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

test("that a server is not ready is no failure, other 503s are", () => {
  const answer = jsonAnswer({ status: "error", error: "shutting down" }, 503);
  expect(lineOf({ operation: "readiness", answer }).level).toBe("debug");
  expect(lineOf({ operation: "health", answer }).level).toBe("error");
  expect(lineOf({ answer }).level).toBe("error");
});

test("a slow request is a warning", () => {
  const line = lineOf({}, { unloggedCount: 0 });
  expect(line).toMatchObject({ level: "warn", message: "slow request" });
  expect(line.facts).not.toHaveProperty("unlogged");
  expect(lineOf({}, { unloggedCount: 7 }).facts).toMatchObject({ unlogged: 7 });
});

const DETAILS: QueryDetails = {
  phases: { ...noPhases(), queue: 0.04, search: 10.06, wait: 2 },
  shape: "rank_by v ANN <vector of 3>; limit 10",
  plan: "documents(vector_probe(v ANN scan))",
  documents: 5,
  segments: 1,
  work: { codesScanned: 5 },
};
const TIMES = { workedMs: 10.06, waitedMs: 2.04, kind: "ann", details: DETAILS };

test("a slow query tells where its time went, and nothing of what was asked for", () => {
  const line = lineOf({ answer: { ...jsonAnswer({}), times: TIMES } }, { unloggedCount: 0 });
  expect(line).toMatchObject({ level: "warn", message: "slow query" });
  expect(line.facts).toMatchObject({
    request: "r1",
    workedMs: 10.1,
    waitedMs: 2,
    kind: "ann",
    phases: { search: 10.1, wait: 2 },
    shape: DETAILS.shape,
    plan: DETAILS.plan,
    documents: 5,
    segments: 1,
    work: { codesScanned: 5 },
  });
  expect(line.facts).not.toHaveProperty("phases.queue");
  const ended = { ...jsonAnswer({ error: "ended at: text is secret" }, 408), times: TIMES };
  expect(JSON.stringify(lineOf({ answer: ended }, { unloggedCount: 0 }))).not.toContain("secret");
  expect(lineOf({ answer: ended }).facts).toMatchObject({ error: "ended at: text is secret" });
  expect(lineOf({ answer: ended }).facts).not.toHaveProperty("shape");
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
  const answer = jsonAnswer({}, 499);
  const message = "client left before the answer";
  expect(lineOf({ answer })).toMatchObject({ level: "info", message });
  const slow = lineOf({ answer: { ...answer, times: TIMES } }, { unloggedCount: 0 });
  expect(slow).toMatchObject({ level: "warn", message, facts: { kind: "ann" } });
});
