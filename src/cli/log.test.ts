import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import type { LogConfig } from "./settings/server-config.ts";

function linesOf(config: LogConfig, isTerminal: boolean): string[] {
  const lines: string[] = [];
  const log = createLog(config, { isTerminal, write: (line) => lines.push(line) });
  log("debug", "hidden");
  log("info", "request", { status: 200, path: "/a b", error: "boom" });
  return lines;
}

test("lines are JSON where no terminal is, with the level as a word", () => {
  const lines = linesOf({ level: "info", format: "auto" }, false);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0])).toMatchObject({
    level: "info",
    message: "request",
    status: 200,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test("lines are short on a terminal, with an error below its line", () => {
  const [line] = linesOf({ level: "info", format: "auto" }, true);
  expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info request status=200 path="\/a b"\n {4}boom\n$/);
});

test("the format can be forced, and silence is silent", () => {
  expect(linesOf({ level: "info", format: "json" }, true)[0]).toMatch(/^\{/);
  expect(linesOf({ level: "info", format: "pretty" }, false)[0]).toMatch(/^\d\d:/);
  expect(linesOf({ level: "silent", format: "json" }, false)).toEqual([]);
});
