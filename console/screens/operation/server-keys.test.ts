import { expect, test } from "vitest";
import { keyRequest, keyState, type ServerKey } from "./server-keys.ts";

const KEY: ServerKey = {
  id: "0123456789abcdef",
  name: "app",
  last_four: "x7Qa",
  actions: ["read"],
  namespaces: ["*"],
  created_at: "2026-01-01T00:00:00.000Z",
  last_used_at: null,
  expires_at: null,
};

test("a key counts until it is revoked or its time is over", () => {
  const nowMs = Date.UTC(2026, 0, 31);
  expect(keyState(KEY, nowMs)).toBe("counts");
  expect(keyState({ ...KEY, expires_at: "2026-02-01T00:00:00.000Z" }, nowMs)).toBe("counts");
  expect(keyState({ ...KEY, expires_at: "2026-01-31T00:00:00.000Z" }, nowMs)).toBe("expired");
  expect(keyState({ ...KEY, revoked_at: "2026-01-02T00:00:00.000Z" }, nowMs)).toBe("revoked");
});

test("what was left empty is not asked for", () => {
  const draft = { name: " app ", actions: ["read" as const], namespaces: "a-*, b,," };
  expect(keyRequest({ ...draft, expiresIn: "", requestsPerSecond: " " })).toEqual({
    name: "app",
    actions: ["read"],
    namespaces: ["a-*", "b"],
  });
  expect(keyRequest({ ...draft, expiresIn: "90d", requestsPerSecond: "1.5" })).toMatchObject({
    expires_in: "90d",
    requests_per_second: 1.5,
  });
});
