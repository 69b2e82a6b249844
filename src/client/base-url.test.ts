import { expect, test } from "vitest";
import { parseBaseUrl } from "./base-url.ts";

test.each([
  ["http://127.0.0.1:8484", "http://127.0.0.1:8484"],
  ["https://search.example/", "https://search.example"],
  ["https://search.example/gcp-us-east4//", "https://search.example/gcp-us-east4"],
])("%s is a base URL", (text, url) => {
  expect(parseBaseUrl(text, "--url")).toBe(url);
});

test.each([
  ["127.0.0.1:8484", "is no URL"],
  ["localhost:8484", "is of another kind than http and https"],
  ["s3://bucket", "is of another kind than http and https"],
  ["http://x/?a=1", "must have nothing behind its path"],
  ["http://user:secret@x", "must hold no credentials"],
])("%s is refused", (text, rule) => {
  const parse = () => parseBaseUrl(text, "--url");
  expect(parse).toThrow(rule);
  expect(parse).toThrow("such as http://127.0.0.1:8484");
  expect(parse).not.toThrow("secret");
});
