import { expect, test } from "vitest";
import { WarningLog } from "./warning-log.ts";

function logged(): { readonly lines: unknown[]; readonly warnings: WarningLog } {
  const lines: unknown[] = [];
  const warnings = new WarningLog((level, message, facts) => lines.push([level, message, facts]));
  return { lines, warnings };
}

test("each kind is logged once, whatever the place in a list", () => {
  const { lines, warnings } = logged();
  for (let i = 0; i < 10; i++) {
    warnings.note("query", "a", `unknown field "queries[${i}].filter" is ignored`);
    warnings.note("write", "b", 'unknown field "filter" is ignored');
  }
  expect(lines).toEqual([
    [
      "warn",
      "unknown fields are ignored",
      {
        operation: "query",
        namespace: "a",
        warning: 'unknown field "queries[0].filter" is ignored',
      },
    ],
    [
      "warn",
      "unknown fields are ignored",
      { operation: "write", namespace: "b", warning: 'unknown field "filter" is ignored' },
    ],
  ]);
});

test("so many kinds are logged, and then that there are more", () => {
  const { lines, warnings } = logged();
  for (let i = 0; i < 1000; i++) warnings.note("query", "a", `x${i}`);
  expect(lines).toHaveLength(257);
  expect(lines.at(-1)).toEqual([
    "warn",
    "unknown fields of further kinds are not logged",
    { kinds: 256 },
  ]);
});
