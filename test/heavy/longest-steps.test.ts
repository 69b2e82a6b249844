/**
 * No step of a parser, a write, a segment, a query or a response keeps its thread for more than 50
 * ms of processor time, whatever the request is: what others wait for is the longest step. Times
 * are the least of several runs, so that neither the collection of garbage nor a busy machine
 * counts.
 */

import { describe, expect, test } from "vitest";
import type { Steps } from "../../src/base/steps.ts";
import { runRequest } from "../../src/query/executor/run-request.ts";
import { encodeQueryAnswer, type QueryAnswer } from "../../src/wire/answers/query-answer.ts";
import { parseQueryBody } from "../../src/wire/query/parse-query.ts";
import { LineBatches } from "../../src/wire/write/line-batches.ts";
import { WriteBodyParser } from "../../src/wire/write/parse-write.ts";
import { KERNELS } from "../support/queries/query-fixture.ts";
import { stepCheck } from "../support/steps/check-steps.ts";
import {
  WORST_LINES,
  WORST_QUERY_BODIES,
  WORST_WRITE_BODIES,
} from "../support/steps/worst-bodies.ts";
import { WORST_QUERIES, WORST_SNAPSHOTS } from "../support/steps/worst-queries.ts";
import { refusedReference, WORST_WRITES } from "../support/steps/worst-writes.ts";

const check = stepCheck();
/** Documents of queries over many. */
const DOCUMENTS = 100_000;
/** Bytes that the write thread receives at a time. */
const PIECE_BYTES = 256 * 1024;

/** Members of a response other than its results. */
const ANSWER: Omit<QueryAnswer, "kind" | "results"> = {
  vectorEncoding: "float",
  billing: { bytesQueried: 0, bytesReturned: 0 },
  performance: () => ({
    cacheHitRatio: 1,
    cacheTemperature: "hot",
    serverTotalMs: 1,
    executionMs: 1,
    exhaustiveCount: 0,
    namespaceDocumentCount: 0,
    lastIncludedWriteAtMs: undefined,
    embedding: undefined,
  }),
};

function* inPieces(body: Buffer, push: (piece: Buffer) => Steps<void>): Steps<void> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    yield* push(body.subarray(at, at + PIECE_BYTES));
    yield;
  }
}

function* readWrite(body: Buffer): Steps<unknown> {
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  yield* inPieces(body, (piece) => parser.push(piece));
  return yield* parser.finish();
}

function* readLines(body: Buffer): Steps<void> {
  const batches = new LineBatches({});
  yield* inPieces(body, (piece) => batches.push(piece));
  yield* batches.end();
}

describe("the body of a query is read in short steps, with", () => {
  test.each(Object.entries(WORST_QUERY_BODIES))("%s", (name, make) => {
    const body = make();
    check(`query body with ${name}`, () => parseQueryBody(body));
  });
});

describe("the body of a write is read in short steps, with", () => {
  test.each(Object.entries(WORST_WRITE_BODIES))("%s", (name, make) => {
    const body = make();
    check(`write body with ${name}`, () => readWrite(body));
  });
});

describe("lines are read in short steps, as", () => {
  test.each(Object.entries(WORST_LINES))("%s", (name, make) => {
    const body = make();
    check(`import of ${name}`, () => readLines(body));
  });
});

describe("a write is bound and resolved in short steps, with", () => {
  test.each(Object.entries(WORST_WRITES))("%s", (name, make) => {
    expect(check(`write with ${name}`, make())).toBeUndefined();
  });

  test("a new array that is too long for its condition", () => {
    const refusal = check("write with a new array that is too long", refusedReference());
    expect(refusal).toContain("$ref_new of 'numbers'");
  });
});

describe.each(["wide", "long", "many", "large"] as const)(
  "queries over %s documents take short steps:",
  (kind) => {
    const snapshot = WORST_SNAPSHOTS[kind](DOCUMENTS);
    test.each(Object.entries(WORST_QUERIES[kind]))("%s", (name, make) => {
      const body = Buffer.from(JSON.stringify(make()));
      const refusal = check(`${name} over ${kind} documents`, function* () {
        const request = yield* parseQueryBody(body);
        yield;
        const { results } = yield* runRequest(snapshot, request, { kernels: KERNELS });
        yield;
        return yield* encodeQueryAnswer({ ...ANSWER, kind: request.kind, results });
      });
      expect(refusal).toBeUndefined();
    });
  },
);
