/** Programs that are bundled, with Trawl left outside as docs/library.md says, and with it inside. */

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { productEnvironment } from "../support/processes/environment.ts";

const PROGRAM = `
const [, , dataDir] = process.argv;
const options = { dataDir, memoryLimit: "512MiB", queryThreads: 1, logLevel: "silent" };
try {
  await using trawl = await openTrawl(options);
  const { rows_affected } = await trawl.namespace("a").write({ upsert_rows: [{ id: 1 }] });
  console.log(JSON.stringify({ rows_affected }));
} catch (error) {
  console.log(JSON.stringify({ name: error.name, status: error.status, message: error.message }));
}
`;

let folder: string;

beforeAll(() => {
  // Inside the project, which is the package that the program imports.
  mkdirSync("build", { recursive: true });
  folder = mkdtempSync(resolve("build", "bundle-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles the program, which imports Trawl as `from`, and returns what it prints. */
async function printed(name: string, from: string): Promise<unknown> {
  const { build } = await import("vite");
  const source = join(folder, `${name}.js`);
  writeFileSync(source, `import { openTrawl } from ${JSON.stringify(from)};${PROGRAM}`);
  const outDir = join(folder, name);
  await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: { ssr: source, outDir },
    ssr: { noExternal: true, external: ["trawl"] },
  });
  const args = [join(outDir, `${name}.js`), join(folder, `${name}-data`)];
  const env = productEnvironment();
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout);
}

test("a bundle with Trawl as an external package works", async () => {
  expect(await printed("outside", "trawl")).toEqual({ rows_affected: 1 });
});

test("a bundle that contains Trawl is refused with the missing file and the fix", async () => {
  expect(await printed("inside", resolve("dist/library/open-trawl.js"))).toEqual({
    name: "TrawlError",
    status: 500,
    message: expect.stringMatching(
      /^Trawl cannot be opened: .*; install the package again, or mark trawl as external if/,
    ),
  });
});
