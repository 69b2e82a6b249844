import { expect, test } from "vitest";
import { namespaceNameFault } from "./ids.ts";

test.each(["a", "A-z_0.9", "n".repeat(128)])("%.20s names a namespace", (name) => {
  expect(namespaceNameFault(name)).toBeUndefined();
});

test.each([
  ["", "Namespace contains invalid characters, must be [A-Za-z0-9-_.]"],
  ["é", "Namespace contains invalid characters, must be [A-Za-z0-9-_.]"],
  [
    "n".repeat(129),
    `Namespace \`${"n".repeat(129)}\` is too long, limit is currently 128 characters`,
  ],
  [
    "n".repeat(1e6),
    `Namespace \`${"n".repeat(256)}…\` is too long, limit is currently 128 characters`,
  ],
])("%.20s names none", (name, fault) => {
  expect(namespaceNameFault(name)).toBe(fault);
});
