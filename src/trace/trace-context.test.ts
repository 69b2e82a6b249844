import { expect, test } from "vitest";
import { parseTraceparent } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test("the example of the standard, sampled or not", () => {
  const context = { traceId: TRACE, parentId: PARENT };
  expect(parseTraceparent(`00-${TRACE}-${PARENT}-01`)).toEqual({ ...context, isSampled: true });
  expect(parseTraceparent(`00-${TRACE}-${PARENT}-00`)).toEqual({ ...context, isSampled: false });
  // Other flags, and members of later versions, mean nothing here.
  expect(parseTraceparent(`00-${TRACE}-${PARENT}-03`)).toEqual({ ...context, isSampled: true });
  expect(parseTraceparent(`cc-${TRACE}-${PARENT}-01-what-ever`)).toMatchObject(context);
});

test.each([
  "",
  "00",
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE}-${PARENT}-1`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${"0".repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}x-${PARENT}-01`,
])("%s is no context", (header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
