import { expect, test } from "vitest";
import { parseKeyRequest } from "./key-requests.ts";

const GOOD = { name: "n", actions: ["read"], namespaces: ["a-*"] };
const parse = (body: unknown) =>
  parseKeyRequest(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), 1000);

test("a key is what was asked for", () => {
  const asked = {
    name: "🐡",
    actions: ["list", "read", "list"],
    namespaces: ["a-*", "b", "a-*"],
    expires_in: "2h",
    requests_per_second: 0.5,
    bytes_per_second: 1_000_000,
  };
  expect(parse(asked)).toEqual({
    name: "🐡",
    actions: ["read", "list"],
    namespaces: ["a-*", "b"],
    createdAtMs: 1000,
    expiresAtMs: 7_201_000,
    requestsPerSecond: 0.5,
    bytesPerSecond: 1_000_000,
  });
  expect(parse({ ...GOOD, expires_in: null })).toEqual({ ...GOOD, createdAtMs: 1000 });
});

test.each([
  [{}, "missing field `name`"],
  [[], "expected a map"],
  ["{", "JSON"],
  [{ ...GOOD, name: "" }, "name must have 1 to 128 characters"],
  [{ ...GOOD, name: "a\nb" }, "control characters"],
  [{ ...GOOD, name: "x".repeat(129) }, "1 to 128"],
  [{ ...GOOD, name: 1 }, "expected a string"],
  [{ ...GOOD, actions: [] }, "at least one of read, write, list, admin"],
  [{ ...GOOD, actions: ["raed"] }, "did you mean `read`?"],
  [{ ...GOOD, actions: "read" }, "expected a sequence"],
  [{ ...GOOD, namespaces: [] }, 'for all namespaces say ["*"]'],
  [{ ...GOOD, namespaces: undefined }, "missing field `namespaces`"],
  [{ ...GOOD, namespaces: ["a*b"] }, 'namespaces[0]: "a*b" is no pattern'],
  [{ ...GOOD, namespaces: ["**"] }, "is no pattern"],
  [{ ...GOOD, namespaces: ["x".repeat(130)] }, "is too long"],
  [{ ...GOOD, namespaces: Array(33).fill("a") }, "1 to 32 names or patterns, got 33"],
  [{ ...GOOD, actions: ["admin"] }, 'namespaces must be ["*"]'],
  [{ ...GOOD, expires_in: "soon" }, "such as 30d"],
  [{ ...GOOD, expires_in: 30 }, "expected a string"],
  [{ ...GOOD, expires_in: "0d" }, "got string"],
  [{ ...GOOD, expires_in: "999999999d" }, "at most 3650d"],
  [{ ...GOOD, requests_per_second: 0 }, "requests_per_second must be a number from 0.001"],
  [{ ...GOOD, requests_per_second: 1e-320 }, "requests_per_second must be a number from 0.001"],
  [{ ...GOOD, bytes_per_second: "1" }, "bytes_per_second must be a number from 0.001"],
  [{ ...GOOD, expires: "30d" }, 'unknown field "expires", did you mean "expires_in"?'],
])("%j is refused: %s", (body, message) => {
  expect(() => parse(body)).toThrow(message);
});
