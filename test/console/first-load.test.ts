/** What a browser loads before it shows the first screen. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const BUILT = fileURLToPath(new URL("../../dist/console/", import.meta.url));
/** Of page, scripts and styles, gzipped. */
const FIRST_LOAD_BYTES_MAX = 60 * 1024;

/** The file, and all that it imports without being asked. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(BUILT, "assets", name), "utf8");
  for (const [, imported] of text.matchAll(/\b(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
    filesOf(imported, found);
  }
  return found;
}

test("the first load is small", () => {
  const page = readFileSync(join(BUILT, "index.html"), "utf8");
  const named = [...page.matchAll(/\/console\/assets\/([\w.-]+\.(?:js|css))/g)].map(
    ([, name]) => name,
  );
  const all = readdirSync(join(BUILT, "assets"));
  const screen = all.filter((name) => /^namespaces-screen.*\.(?:js|css)$/.test(name));
  expect(named.length).toBeGreaterThan(1);
  expect(screen.length).toBeGreaterThan(0);
  const files = new Set<string>();
  for (const name of [...named, ...screen]) filesOf(name, files);
  const bytes = [...files].map(
    (name) => gzipSync(readFileSync(join(BUILT, "assets", name)), { level: 9 }).length,
  );
  const total = bytes.reduce((sum, each) => sum + each, gzipSync(page).length);
  expect(total).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});
