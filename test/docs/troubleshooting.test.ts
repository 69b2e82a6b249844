/** The messages of docs/troubleshooting.md are those of the sources. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8");
const MESSAGES = [...PAGE.matchAll(/^\| `(.*?)` \|/gm)].map(([, message]) => message);

/** Text of a file with its literals put together and their values left open. */
function literalsOf(path: string): string {
  const source = readFileSync(path, "utf8");
  const joined = source.replace(/["'`]\s*\+\s*["'`]/g, "");
  return joined.replace(/\$\{[^{}]*\}/g, "…").replace(/\\(["`'])/g, "$1");
}

const FILES = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => literalsOf(join(ROOT, "src", path)));

/** Whether a file has all parts of a message that do not change. */
function isOf(source: string, message: string): boolean {
  const parts = message.split("…").map((part) => part.replace(/^[:;, ]+|[:;, ]+$/g, ""));
  return parts.every((part) => source.includes(part));
}

test("there are messages, and each is there once", () => {
  expect(MESSAGES.length).toBeGreaterThan(40);
  expect(new Set(MESSAGES).size).toBe(MESSAGES.length);
});

test.each(MESSAGES)("%s", (message) => {
  expect(FILES.some((source) => isOf(source, message))).toBe(true);
});

test("a message that nothing says is found out", () => {
  expect(FILES.some((source) => isOf(source, "the moon … is not reachable"))).toBe(false);
});
