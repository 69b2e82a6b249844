import { expect, test } from "vitest";
import { agoText } from "./ago-text.ts";

test.each([
  [-5000, "just now"],
  [59_999, "just now"],
  [60_000, "1 minute ago"],
  [3_599_999, "59 minutes ago"],
  [3_600_000, "1 hour ago"],
  [86_400_000 * 3 + 1, "3 days ago"],
])("%i ms are %s", (ms, text) => {
  expect(agoText(ms)).toBe(text);
});
