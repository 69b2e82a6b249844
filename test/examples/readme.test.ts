/** What README.md shows works as it is shown. */

import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const SHOWN_URL = "http://127.0.0.1:8484";
const run = promisify(execFile);

let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  // Inside the project, so that the example finds the client as a user's would.
  mkdirSync(join(ROOT, "build"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "build", "readme-"));
  server = await startServer({ dataDir: mkdtempSync(join(tmpdir(), "trawl-readme-")) });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

/** The blocks of one language, pointed at the test's server. */
function blocks(language: string): string[] {
  const found = README.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"));
  return [...found].map(([, block]) => block.replaceAll(SHOWN_URL, server.url));
}

test("the example for the official client finds what it wrote", async () => {
  const path = join(folder, "example.ts");
  writeFileSync(path, blocks("ts")[0]);
  const { stdout } = await run(process.execPath, [path]);
  expect(stdout).toMatch(/id: 1[\s\S]*id: 1/);
  expect(stdout).not.toMatch(/id: 2/);
});

test("the example for curl finds the same", async () => {
  const calls = blocks("sh").flatMap((block) => [
    ...block.matchAll(/curl -X POST (\S+) -d '([^']*)'/g),
  ]);
  expect(calls).toHaveLength(1);
  const answers = [];
  for (const [, url, body] of calls) {
    // As curl sends it: with the content type of a form.
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(response.status).toBe(200);
    answers.push((await response.json()) as { rows?: { id: number; title: string }[] });
  }
  expect(answers[0].rows).toMatchObject([{ id: 1, title: "A walrus at sea" }]);
});

test("the commands import a file, search it and export it", async () => {
  const commands = blocks("sh").find((block) => block.startsWith("npx trawl import"));
  cpSync(join(ROOT, "examples/books.csv"), join(folder, "examples/books.csv"));
  const program = `set -e\nnpx() { shift; "$NODE" "$MAIN" "$@"; }\n${commands}`;
  const { stdout } = await run("bash", ["-c", program], {
    cwd: folder,
    env: {
      ...productEnvironment(),
      NODE: process.execPath,
      MAIN: BUILT_PROGRAM,
      TURBOPUFFER_BASE_URL: server.url,
    },
  });
  for (const title of ["The Sea-Wolf", "A Journey to the Centre of the Earth"]) {
    expect(stdout).toContain(title);
  }
  expect(existsSync(join(folder, "classics.parquet"))).toBe(true);
});
