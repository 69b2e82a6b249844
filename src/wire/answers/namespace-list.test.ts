import { expect, test } from "vitest";
import { namespaceName } from "../../base/ids.ts";
import {
  decodeListCursor,
  encodeListAnswer,
  encodeListCursor,
  parseListParameters,
} from "./namespace-list.ts";

const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
const names = ["a", "demo-copy", "demo"].map(namespaceName);

test("a full page has a cursor that goes on after its last name", () => {
  const page = decode(encodeListAnswer(names, 3));
  expect(page.namespaces).toEqual([{ id: "a" }, { id: "demo-copy" }, { id: "demo" }]);
  expect(Buffer.from(page.next_cursor, "base64").toString()).toBe(
    '{"continuation_token":null,"start_after":"demo-table/"}',
  );
  expect(page.next_cursor).not.toContain("=");
  expect(decodeListCursor(page.next_cursor)).toBe("demo");
});

test("a page that is not full is the last", () => {
  expect(decode(encodeListAnswer(names, 4)).next_cursor).toBeNull();
  expect(decode(encodeListAnswer([], 4))).toEqual({ namespaces: [], next_cursor: null });
});

test("parameters have defaults", () => {
  expect(parseListParameters({})).toEqual({ prefix: "", after: undefined, pageSize: 100 });
  expect(parseListParameters({ cursor: "", page_size: "" })).toMatchObject({ pageSize: 100 });
  const cursor = encodeListCursor(names[1]);
  expect(parseListParameters({ cursor, prefix: "d", page_size: "1000" })).toEqual({
    prefix: "d",
    after: "demo-copy",
    pageSize: 1000,
  });
});

test.each(["0", "1001", "-1", "x", "1.5", "99999999999999999"])(
  "page size %s is refused",
  (size) => {
    expect(() => parseListParameters({ page_size: size })).toThrow(
      `💔 Page size must be in range 1..=1000, was ${size}`,
    );
  },
);

const encoded = (text: string) => Buffer.from(text).toString("base64");
test.each([
  "x",
  "*",
  encoded("{"),
  encoded("[]"),
  encoded("{}"),
  encoded('{"start_after":3}'),
  encoded('{"start_after":"demo"}'),
  encoded('{"start_after":"-table/"}'),
  encoded('{"start_after":"a/b-table/"}'),
])("the cursor %s is refused", (cursor) => {
  expect(() => decodeListCursor(cursor)).toThrow("💔 malformed cursor");
});
