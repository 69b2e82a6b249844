import { expect, test } from "vitest";
import { UnknownMembers } from "./unknown-members.ts";

function warningOf(...names: string[]): string | undefined {
  const unknown = new UnknownMembers();
  for (const name of names) unknown.note(name, ["filters", "limit"], () => `queries[0].${name}`);
  return unknown.warning();
}

test("a warning has the path and the nearest known name, if one is near", () => {
  expect(warningOf()).toBeUndefined();
  expect(warningOf("filter")).toBe(
    'unknown field "queries[0].filter" is ignored, did you mean "filters"?',
  );
  expect(warningOf("zzz", "limt")).toBe(
    'unknown field "queries[0].zzz" is ignored; ' +
      'unknown field "queries[0].limt" is ignored, did you mean "limit"?',
  );
});

test("a warning is printable ASCII of bounded length, whatever the names", () => {
  expect(warningOf('é"\n')).toBe('unknown field "queries[0].\\u00e9\\"\\n" is ignored');
  const names = Array.from({ length: 1000 }, (_, i) => "日".repeat(100_000) + i);
  const warning = warningOf(...names) ?? "";
  expect(warning).toMatch(/^[\x20-\x7e]{100,3500}; and 995 more$/);
});

test("a strict request is refused with its first unknown member", () => {
  const unknown = new UnknownMembers({ isStrict: true });
  expect(() => unknown.note("filter", ["filters"], () => "queries[3].filter")).toThrow(
    '💔 unknown field "queries[3].filter", did you mean "filters"?',
  );
  expect(() => unknown.note("zzz", ["filters"], () => "zzz")).toThrow(
    '💔 unknown field "zzz", which is refused',
  );
});
