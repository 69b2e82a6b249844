import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import type { HttpAnswer } from "../../api/engine.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import type { NamespaceState } from "../../namespace/published-state.ts";
import { QueryAdmission } from "./query-admission.ts";
import { type ArrivedQuery, QueryCall, type QueryRun, type Verification } from "./query-call.ts";

const NAME = namespaceName("movies");
const ANSWER: HttpAnswer = { status: 200, headers: {}, body: new Uint8Array(0) };
const FAILED: HttpAnswer = { ...ANSWER, status: 503 };
const RETURNED = Uint8Array.of(7);
const SEEN = { sequence: sequenceNumber(1) } as NamespaceState;
const RUN: QueryRun = { call: 1, thread: 0, load: 1, sentMs: 0, seen: SEEN, isShared: true };

/** Deadlines that end a wait when the test says so. */
function deadlines() {
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const during = <T>(_query: unknown, work: Promise<T>) => Promise.race([work, late.promise]);
  return { during, expire: () => late.reject(new Error("too late")) };
}

async function queued(rest: Partial<ArrivedQuery> = {}) {
  const body = Uint8Array.of(1, 2);
  const query: ArrivedQuery = {
    ...{ operation: "query", namespace: NAME, parameters: {}, isStrict: false, arrivedMs: 0 },
    ...{ body, ...rest },
  };
  const slots = await new QueryAdmission(new ManualClock()).slot(NAME);
  const { during, expire } = deadlines();
  return { call: new QueryCall(query, slots, { during }), query, expire };
}

async function running(rest: Partial<ArrivedQuery> = {}, run = RUN) {
  const found = await queued(rest);
  found.call.begin(run);
  return found;
}

const verified = (sequence: number): Verification => {
  return { kind: "verified", state: { sequence: sequenceNumber(sequence), knownMs: 0 } };
};

describe("a queued query", () => {
  test("begins on a thread", async () => {
    const { call } = await queued();
    expect([call.state, call.run]).toEqual(["queued", undefined]);
    call.begin(RUN);
    expect([call.state, call.run]).toEqual(["running", RUN]);
  });

  test("ends as it is where its namespace is closed", async () => {
    const { call, query } = await queued();
    call.close();
    expect(call.state).toBe("ended");
    expect(await call.outcome).toEqual({ kind: "closed", query });
  });

  test("has no thread to be told of its end", async () => {
    const { call } = await queued();
    expect([call.cancel(), call.isCancelled]).toEqual([false, false]);
  });
});

describe("a running query", () => {
  test("ends with its answer where what it sees is known to be new", async () => {
    const { call } = await running();
    call.verify(undefined);
    call.answer(ANSWER);
    expect(call.state).toBe("ended");
    expect(await call.outcome).toEqual({ kind: "answered", answer: ANSWER });
  });

  test("does not wait for the store where it would not run again", async () => {
    const { call } = await running({}, { ...RUN, isShared: false });
    call.verify(Promise.resolve(verified(2)));
    call.answer(ANSWER);
    expect(call.state).toBe("ended");
  });

  test("ends with its body where its thread finds the namespace closed", async () => {
    const { call, query } = await running();
    call.closedWith(RETURNED);
    const again = { ...query, body: RETURNED, mayTrust: true };
    expect(await call.outcome).toEqual({ kind: "closed", query: again });
  });

  test("ends with its body where a segment is missing, once", async () => {
    const { call, query } = await running();
    call.miss(RETURNED, FAILED);
    const again = { ...query, body: RETURNED, wasRefreshed: true };
    expect(await call.outcome).toEqual({ kind: "missing", query: again, answer: FAILED });
    const second = await running({ wasRefreshed: true });
    second.call.miss(RETURNED, FAILED);
    expect(await second.call.outcome).toEqual({ kind: "answered", answer: FAILED });
  });

  test("is queued again with its body where its thread has no time", async () => {
    const { call, query } = await running();
    call.verify(Promise.resolve(verified(2)));
    call.handOver(RETURNED);
    expect([call.state, call.query]).toEqual(["queued", { ...query, body: RETURNED }]);
    call.begin({ ...RUN, call: 2 });
    // The next run has not asked the store.
    call.answer(ANSWER);
    expect(await call.outcome).toEqual({ kind: "answered", answer: ANSWER });
  });

  test("is cancelled by its thread alone, which answers it still", async () => {
    const { call } = await running();
    expect([call.cancel(), call.isCancelled, call.state]).toEqual([true, true, "running"]);
    call.answer(FAILED);
    expect(await call.outcome).toEqual({ kind: "answered", answer: FAILED });
    expect(call.cancel()).toBe(false);
  });

  test("keeps the length of a body that has moved to a thread", async () => {
    const { call, query } = await queued();
    call.begin(RUN);
    structuredClone(query.body, { transfer: [query.body.buffer] });
    expect([query.body.length, call.bodyBytes]).toEqual([0, 2]);
  });
});

describe("a query whose answer waits for the store", () => {
  async function verifying() {
    const found = await running();
    const word = Promise.withResolvers<Verification>();
    found.call.verify(word.promise);
    found.call.answer(ANSWER);
    expect(found.call.state).toBe("verifying");
    return { ...found, word };
  }

  test.each([
    [verified(1), "answered", ANSWER],
    [verified(2), "outdated", undefined],
    [{ kind: "closed" } as const, "closed", undefined],
    [{ kind: "failed", answer: FAILED } as const, "answered", FAILED],
  ])("ends by its word %j: %s", async (said, kind, answer) => {
    const { call, query, word } = await verifying();
    word.resolve(said);
    const again = { ...query, body: Uint8Array.of(1, 2), mayTrust: true };
    const expected = answer === undefined ? { kind, query: again } : { kind, answer };
    expect(await call.outcome).toEqual(expected);
    expect(call.state).toBe("ended");
  });

  test("ends at its deadline, and is not cancelled before", async () => {
    const { call, expire } = await verifying();
    expect(call.cancel()).toBe(false);
    expire();
    await expect(call.outcome).rejects.toThrow("too late");
    expect(call.state).toBe("ended");
  });
});

test("what does not fit the state of a query is a bug", async () => {
  const first = await queued();
  expect(() => first.call.answer(ANSWER)).toThrow("assertion failed");
  expect(() => first.call.handOver(RETURNED)).toThrow("assertion failed");
  const { call } = await running();
  expect(() => call.begin(RUN)).toThrow("assertion failed");
  expect(() => call.close()).toThrow("assertion failed");
  call.answer(ANSWER);
  expect(() => call.answer(ANSWER)).toThrow("assertion failed");
  expect(() => call.closedWith(RETURNED)).toThrow("assertion failed");
});
