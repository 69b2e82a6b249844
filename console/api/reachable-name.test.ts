import { expect, test } from "vitest";
import { apiPath } from "./api-client.ts";
import { isFolded, nameFault, unreachableReason } from "./reachable-name.ts";

/** As a browser reads an address, which is the platform's own way. */
const asSent = (path: string) => new URL(path, "http://localhost").pathname;

test.each([".", "..", "...", ".a", "a.", "a..b", "-"])(
  "a namespace %s is reachable exactly where its path is sent as it is",
  (name) => {
    const path = apiPath("v2", "namespaces", name, "metadata");
    const isKept = asSent(path) === path;
    expect(unreachableReason(name) === undefined).toBe(isKept);
    expect(isFolded(path)).toBe(!isKept);
  },
);

test("a name has the API's faults and those of browsers", () => {
  expect(nameFault("books")).toBeUndefined();
  expect(nameFault("a b")).toContain("invalid characters");
  expect(nameFault("..")).toContain("Browsers take “..” in an address for a folder");
});
