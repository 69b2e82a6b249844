import { expect, test } from "vitest";
import { shownUrl } from "./shown-url.ts";

test.each([
  ["http://me:secret@host:1/v1", "http://…@host:1/v1"],
  ["ftp://secret@host", "ftp://…@host"],
  ["http://me:se/cr@et@host/v1", "http://…@host/v1"],
  ["//me:secret@", "//…@"],
  ["http://host/v1", "http://host/v1"],
  ["s3://bucket/prefix", "s3://bucket/prefix"],
  ["no url", "no url"],
])("%s", (text, shown) => {
  expect(shownUrl(text)).toBe(shown);
});
