/** Commands and flags that pages show exist; those of docs/cli.md and docs/backup.md are run elsewhere. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { docPages } from "../support/docs/doc-pages.ts";
import { runTrawl } from "../support/processes/run-trawl.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEXT = ["README.md", "examples/README.md", ...docPages().map((page) => `docs/${page}`)]
  .map((page) => readFileSync(join(ROOT, page), "utf8"))
  .join("\n");

/** What a line begins with that shows a command. */
const START = /^(?: {4})?(npm start --|npx trawl|trawl|npm run (?:--silent )?trawl --) /;
/** Options of each command that is shown, such as `keys create`; starts of the server are `serve`. */
const SHOWN = shownCommands(TEXT);

function shownCommands(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const [start, program] = START.exec(line) ?? [];
    if (start === undefined) continue;
    const rest = line.slice(start.length).replace(/ # .*$|'[^']*'|"[^"]*"/g, "");
    const words = program.startsWith("npm start") ? `serve ${rest}` : rest;
    const name = /^(?:keys|checkpoint) \w+/.exec(words)?.[0] ?? words.split(" ")[0];
    const options = [...words.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([option]) => option);
    found.set(name, new Set([...(found.get(name) ?? []), ...options]));
  }
  return found;
}

test("commands and options are found", () => {
  const text = "    trawl keys create --name a --json\nnpm start -- --port 1 \\\n  --strict\n";
  expect(Object.fromEntries(shownCommands(text))).toEqual({
    "keys create": new Set(["--name", "--json"]),
    serve: new Set(["--port", "--strict"]),
  });
  expect(SHOWN.size).toBeGreaterThan(10);
});

test.each([...SHOWN])("trawl %s", async (name, options) => {
  const { code, out } = await runTrawl([...name.split(" "), "--help"]);
  expect(code).toBe(0);
  const known = [...out.matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option);
  expect(known).toEqual(expect.arrayContaining([...options]));
});
