import { expect, test } from "vitest";
import { parseMetrics } from "./metrics-text.ts";

test("samples are found by name, with labels and values of all forms", () => {
  const text = [
    "# HELP trawl_a what it is",
    "# TYPE trawl_a counter",
    'trawl_a{operation="query",status="200"} 12',
    'trawl_a{operation="say \\"hi\\"\\\\\\n, {x}",} 1.5e3 1700000000000',
    "",
    "trawl_b NaN",
    'trawl_c_bucket{le="+Inf"} +Inf\r',
    "trawl_d -Inf",
  ].join("\n");
  expect(Object.fromEntries(parseMetrics(text))).toEqual({
    trawl_a: [
      { labels: { operation: "query", status: "200" }, value: 12 },
      { labels: { operation: 'say "hi"\\\n, {x}' }, value: 1500 },
    ],
    trawl_b: [{ labels: {}, value: Number.NaN }],
    trawl_c_bucket: [{ labels: { le: "+Inf" }, value: Number.POSITIVE_INFINITY }],
    trawl_d: [{ labels: {}, value: Number.NEGATIVE_INFINITY }],
  });
});

test.each(["<html>", "a b", 'a{b="c} 1', "a{b=c} 1", "1a 1"])(
  "what is no sample is named by its line: %s",
  (line) => {
    expect(() => parseMetrics(`ok 1\n${line}\n`)).toThrow(
      `/metrics: line 2 is no sample of a metric: ${line}`,
    );
  },
);
