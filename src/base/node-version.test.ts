import { expect, test } from "vitest";
import { nodeVersionFault } from "./node-version.ts";

const { isNewEnough } = (await import(
  new URL("../../scripts/find-node.js", import.meta.url).href
)) as { readonly isNewEnough: (version: string) => boolean };

test.each([
  ["v24.18.1", true],
  ["v24.22.0", true],
  ["v26.5.1", true],
  ["v26.10.0", true],
  ["v27.0.0", true],
  ["v27.0.0-nightly20261101", true],
  ["v24.18.0", false],
  ["v24.0.0", false],
  ["v26.5.0", false],
  ["v25.9.0", false],
  ["v22.23.3", false],
  ["nonsense", false],
])("Node %s has the line's security releases: %j", (version, expected) => {
  expect(nodeVersionFault(version) === undefined).toBe(expected);
  expect(isNewEnough(`${version}\n`)).toBe(expected);
});

test("what is wrong names what was found, and the rule", () => {
  expect(nodeVersionFault("v24.0.0")).toMatch(
    /^this is Node v24\.0\.0, and Trawl needs Node 24\.18\.1 or 26\.5\.1, or a newer one/,
  );
});
