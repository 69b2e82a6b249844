import { expect, test } from "vitest";
import { LongestTurns } from "./longest-turns.ts";

test("the longest turn is remembered for a minute of readings, and then forgotten", () => {
  const delay = {
    max: 310e6,
    reset: () => {
      delay.max = 0;
    },
  };
  const turns = new LongestTurns(delay);
  for (let reading = 0; reading < 60; reading++) expect(turns.maxMs()).toBe(300);
  expect(turns.maxMs()).toBe(0);
});
