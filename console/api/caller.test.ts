import { expect, test } from "vitest";
import { type Caller, denialOf } from "./caller.ts";

const READER: Caller = {
  kind: "key",
  name: "app",
  last_four: "x7Qa",
  actions: ["read"],
  namespaces: ["tenant-a-*", "shared"],
};

test("a key may do what it has, where it has it", () => {
  expect(denialOf(READER, "read", "tenant-a-1")).toBeUndefined();
  expect(denialOf(READER, "query", "shared")).toBeUndefined();
  expect(denialOf(READER, "read")).toBeUndefined();
});

test("what it lacks is said, with its name", () => {
  expect(denialOf(READER, "write", "shared")).toBe("key app (…x7Qa) lacks the action write");
  expect(denialOf(READER, "read", "other")).toBe(
    "key app (…x7Qa) is for tenant-a-*, shared and not for other",
  );
});

test("a token queries, and does nothing else", () => {
  const token: Caller = { kind: "token", actions: ["query"], namespaces: ["books"] };
  expect(denialOf(token, "query", "books")).toBeUndefined();
  expect(denialOf(token, "read", "books")).toBe("the token lacks the action read");
});

test("without keys only what is the machine's own is missing elsewhere", () => {
  const anyone: Caller = { kind: "anyone", actions: ["read", "write"], namespaces: ["*"] };
  expect(denialOf(anyone, "write", "a")).toBeUndefined();
  expect(denialOf(anyone, "admin")).toContain("own machine");
});
