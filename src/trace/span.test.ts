import { expect, test } from "vitest";
import { encodeSpans } from "./span.ts";

test("spans are what the protocol's JSON has them be", () => {
  const ids = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
  const times = { startMs: 1_767_225_600_000.25, endMs: 1_767_225_600_001.5 };
  const spans = [
    {
      ...ids,
      ...times,
      name: "query",
      kind: "server",
      attributes: { a: "b", n: 7, no: undefined },
    },
    {
      ...ids,
      ...times,
      parentId: "00f067aa0ba902b8",
      name: "search",
      kind: "internal",
      attributes: {},
      isError: true,
    },
  ] as const;
  const resource = { serviceName: "trawl", version: "1.2.3" };
  const common = {
    ...ids,
    startTimeUnixNano: "1767225600000250000",
    endTimeUnixNano: "1767225600001500000",
  };
  expect(JSON.parse(encodeSpans(spans, resource))).toEqual({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: "service.name", value: { stringValue: "trawl" } },
            { key: "service.version", value: { stringValue: "1.2.3" } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: "trawl", version: "1.2.3" },
            spans: [
              {
                ...common,
                name: "query",
                kind: 2,
                attributes: [
                  { key: "a", value: { stringValue: "b" } },
                  { key: "n", value: { intValue: "7" } },
                ],
              },
              {
                ...common,
                parentSpanId: "00f067aa0ba902b8",
                name: "search",
                kind: 1,
                attributes: [],
                status: { code: 2 },
              },
            ],
          },
        ],
      },
    ],
  });
});
