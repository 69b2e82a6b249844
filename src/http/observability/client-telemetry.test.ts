import { describe, expect, test } from "vitest";
import { parseClientTelemetry } from "./client-telemetry.ts";

const record = {
  route: "POST /v2/namespaces/{ns}/query",
  status: 200,
  request_id: "tpreq_abc",
  total_us: 1_500_000,
  age_ms: 12,
};
const header = (...records: unknown[]) => JSON.stringify({ version: 1, records });

function parsed(text: string) {
  const telemetry = parseClientTelemetry(text);
  return telemetry?.records.map(({ operation, status, seconds }) => [operation, status, seconds]);
}

test("records say operation, status and time", () => {
  const others = [
    { ...record, route: "GET /v1/namespaces", status: 0 },
    { ...record, route: "GET /v1/namespaces/{ns}/operations/{token}", status: 404 },
    { route: "POST /v2/namespaces/{ns}?stainless_overload=copyFrom", status: 429 },
  ];
  expect(parsed(header(record, ...others))).toEqual([
    ["query", "200", 1.5],
    ["list_namespaces", "0", 1.5],
    ["poll_operation", "404", 1.5],
    ["write", "429", 0],
  ]);
});

test("whatever clients say, the labels are few and the numbers sane", () => {
  const odd = [
    { route: "POST /v2/namespaces/secret/query", status: 299, total_us: -1 },
    { route: { toString: "x" }, status: "200", total_us: 1e300 },
    { route: "constructor", status: null, total_us: "9" },
    null,
    3,
    [],
  ];
  expect(parsed(header(...odd))).toEqual(odd.map(() => ["other", "other", 0]));
});

test("of more than 16 records the first are counted", () => {
  expect(parsed(header(...Array(17).fill(record)))).toHaveLength(16);
});

describe("a header that is not understood", () => {
  test.each([
    ["no JSON", "{"],
    ["no object", "3"],
    ["null", "null"],
    ["no records", "{}"],
    ["records that are no list", '{"records":{"length":3}}'],
    ["too long", `${header(record)}${" ".repeat(12 * 1024)}`],
  ])("%s gives nothing", (_name, text) => {
    expect(parseClientTelemetry(text)).toBeUndefined();
  });
});

test.each([
  [3, 3],
  [1000, 1000],
  [1001, 0],
  [-1, 0],
  ["3", 0],
])("of records that were dropped, %j counts as %i", (dropped, expected) => {
  const telemetry = parseClientTelemetry(JSON.stringify({ records: [], dropped }));
  expect(telemetry?.dropped).toBe(expected);
});
