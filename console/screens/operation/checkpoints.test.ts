import { expect, test } from "vitest";
import { expirySeconds } from "./checkpoints.ts";

test.each([
  ["", undefined],
  [" ", undefined],
  ["7d", 604_800],
  ["1.5h", 5400],
  ["soon", "“soon” is no duration of a second or more, such as 12h or 7d"],
  ["10ms", "“10ms” is no duration of a second or more, such as 12h or 7d"],
])("%j is %j", (text, seconds) => {
  expect(expirySeconds(text)).toBe(seconds);
});
