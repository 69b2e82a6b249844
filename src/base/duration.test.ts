import { expect, test } from "vitest";
import { durationText, parseDuration } from "./duration.ts";

test.each([
  ["30d", 30 * 86_400_000],
  ["1h", 3_600_000],
  ["1.5s", 1_500],
  ["250 ms", 250],
  ["2w", 14 * 86_400_000],
  ["5m", 300_000],
  ["0s", 0],
])("%s is read", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "1", "d", "-1d", "1y", "1 d 2 h", "1e3s", "1.d", "NaNs", "1234567890s"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  [0, "0 ms"],
  [0.25, "0.3 ms"],
  [12.4, "12 ms"],
  [999, "999 ms"],
  [999.6, "1.0 s"],
  [3_400, "3.4 s"],
  [59_960, "1 min"],
  [312_000, "5 min 12 s"],
  [3_600_000, "1 h"],
  [7_620_000, "2 h 7 min"],
  [86_399_999, "1 d"],
  [90_000_000, "1 d 1 h"],
])("%d ms are shown as %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
