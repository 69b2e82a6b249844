import { expect, test } from "vitest";
import { encodeWriteAnswer, NO_COUNTS, type WriteAnswer } from "./write-answer.ts";

function encode(answer: Partial<WriteAnswer>): string {
  const bytes = encodeWriteAnswer({
    counts: NO_COUNTS,
    copied: undefined,
    billedBytes: 123,
    queryBilling: undefined,
    serverTotalMs: 4.1,
    embedding: undefined,
    ...answer,
  });
  return new TextDecoder().decode(bytes);
}

const HEAD = '{"status":"OK","message":"documents committed successfully",';
const TAIL =
  '"billing":{"billable_logical_bytes_written":123},"performance":{"server_total_ms":5}}';

test("counts appear for the kinds of operation that the request has, even when they are 0", () => {
  expect(encode({})).toBe(`${HEAD}"rows_affected":0,${TAIL}`);
  expect(encode({ counts: { ...NO_COUNTS, upserted: 0 } })).toBe(
    `${HEAD}"rows_affected":0,"rows_upserted":0,${TAIL}`,
  );
  expect(encode({ counts: { ...NO_COUNTS, upserted: 2, patched: 3, deleted: 1 } })).toBe(
    `${HEAD}"rows_affected":6,"rows_upserted":2,"rows_patched":3,"rows_deleted":1,${TAIL}`,
  );
});

test("ids appear when there are any of the kind, exactly", () => {
  const affected = { upserted: [18_446_744_073_709_551_615n, 2n], patched: [], deleted: ["é"] };
  expect(encode({ counts: { ...NO_COUNTS, upserted: 2, deleted: 1, affected } })).toBe(
    `${HEAD}"rows_affected":3,"rows_upserted":2,"rows_deleted":1,` +
      `"upserted_ids":[18446744073709551615,2],"deleted_ids":["é"],${TAIL}`,
  );
});

test("what is left over a cap is told", () => {
  expect(encode({ counts: { ...NO_COUNTS, deleted: 5, remaining: true } })).toBe(
    `${HEAD}"rows_affected":5,"rows_deleted":5,"rows_remaining":true,${TAIL}`,
  );
});

test("queries are billed beside the write, and embedding is timed", () => {
  const queryBilling = { bytesQueried: 1_280_000_000, bytesReturned: 0 };
  expect(encode({ queryBilling, embedding: { tokens: 9, ms: 40 } })).toBe(
    `${HEAD}"rows_affected":0,"billing":{"billable_logical_bytes_written":123,"query":` +
      '{"billable_logical_bytes_queried":1280000000,"billable_logical_bytes_returned":0}},' +
      '"performance":{"server_total_ms":5,"embedding_tokens":9,"embedding_ms":40}}',
  );
});

test("copies and branches have messages of their own and no counts by kind", () => {
  expect(encode({ copied: { kind: "copy", documentCount: 7 } })).toBe(
    `{"status":"OK","message":"namespace cloned successfully","rows_affected":7,${TAIL}`,
  );
  expect(encode({ copied: { kind: "branch", documentCount: 7 } })).toBe(
    `{"status":"OK","message":"namespace branch successful","rows_affected":0,${TAIL}`,
  );
});
