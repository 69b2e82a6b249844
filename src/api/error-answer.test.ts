import { describe, expect, test } from "vitest";
import { DatabaseError, type ErrorCode } from "../base/errors.ts";
import { answerWithId, errorAnswer, errorBody } from "./error-answer.ts";

const bodyOf = (error: unknown) => {
  const { status, headers, body } = errorAnswer(error);
  return { status, headers, json: JSON.parse(Buffer.from(body).toString()) };
};

const STATUSES: Record<ErrorCode, number> = {
  invalid: 400,
  malformed: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  overloaded: 429,
  out_of_memory: 429,
  building: 202,
  timed_out: 408,
  unavailable: 503,
  corrupt: 500,
  too_new: 500,
  too_old: 500,
  internal: 500,
};

test.each(Object.entries(STATUSES))("%s is a %i in the error shape", (code, status) => {
  const answer = bodyOf(new DatabaseError(code as ErrorCode, "what went wrong"));
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(Object.keys(answer.json)).toEqual(["status", "error"]);
  expect(answer.json.status).toBe("error");
  expect(answer.json.error).toMatch(/^what went wrong(?:$|; )/);
});

test("what is damaged, or of another version, comes with what to do about it", () => {
  const adviceOf = (code: ErrorCode) => bodyOf(new DatabaseError(code, "x")).json.error;
  expect(adviceOf("corrupt")).toMatch(/^x; restore it from a backup, or delete the namespace;/);
  expect(adviceOf("too_new")).toMatch(/^x; start the newer version/);
  expect(adviceOf("too_old")).toMatch(/^x; export it with the version that wrote it/);
});

test("an attribute is named", () => {
  const error = new DatabaseError("invalid", "x", { attribute: "price" });
  expect(bodyOf(error).json).toEqual({ status: "error", error: "x", attribute: "price" });
});

describe("advice when to retry", () => {
  test.each(Object.keys(STATUSES) as ErrorCode[])("of %s", (code) => {
    const isWorthIt = ["overloaded", "out_of_memory", "building", "unavailable"].includes(code);
    const { headers } = bodyOf(new DatabaseError(code, "x"));
    expect(headers["retry-after-ms"]).toBe(isWorthIt ? "1000" : undefined);
    const told = bodyOf(new DatabaseError(code, "x", { retryAfterMs: 12.3 })).headers;
    expect(told["retry-after-ms"]).toBe("13");
  });
});

test("what a bug says stays inside", () => {
  for (const thrown of [new Error("secret"), new TypeError("secret"), "secret", undefined]) {
    const { status, json } = bodyOf(thrown);
    expect(status).toBe(500);
    expect(json.error).toMatch(/^🐡 Unknown error/);
    expect(JSON.stringify(json)).not.toContain("secret");
  }
});

test("clients read their own message, wherever it is in the causes, and logs the other", () => {
  const clientMessage = "the object store fails";
  const failure = new DatabaseError("unavailable", "s3://secret", { clientMessage });
  const wrapped = new DatabaseError("unavailable", "cannot commit: s3://secret", {
    cause: failure,
    facts: { line: 3 },
  });
  for (const error of [failure, wrapped]) {
    const answer = errorAnswer(error);
    expect(bodyOf(error).json.error).toBe(clientMessage);
    expect(answer.reason).toBe(error.message);
    const told = answerWithId(answer, "rq-7");
    const json = JSON.parse(Buffer.from(told.body).toString());
    expect(json.error).toBe(
      `${clientMessage}; the server's log has the reason, by the request id rq-7`,
    );
    expect(json.line).toBe(error === wrapped ? 3 : undefined);
    expect(told.headers).toEqual(answer.headers);
  }
  const plain = errorAnswer(new DatabaseError("invalid", "x"));
  expect(answerWithId(plain, "rq-7")).toBe(plain);
});

test("a system without memory asks to retry later", () => {
  const { status, headers, json } = bodyOf(new RangeError("Array buffer allocation failed"));
  expect(status).toBe(429);
  expect(Number(headers["retry-after-ms"])).toBeGreaterThan(0);
  expect(json.error).toContain("out of memory");
  expect(bodyOf(new RangeError("Invalid array length")).status).toBe(500);
});

test("other statuses have the same shape", () => {
  const { status, body } = errorBody(415, 'no "x"');
  expect([status, Buffer.from(body).toString()]).toEqual([
    415,
    '{"status":"error","error":"no \\"x\\""}',
  ]);
});
