/**
 * `npm run pack`: makes the npm package in build/, of what is built and of nothing that only
 * development needs. Prints its path.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packPages } from "./pack/pack-pages.ts";
import { pruneModules } from "./pack/prune-modules.ts";
import {
  type Lock,
  type Manifest,
  nodeFolder,
  publishedManifest,
  runtimeLock,
} from "./pack/published-files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUTPUT = join(ROOT, "build");
const STAGED = join(OUTPUT, "package");

/** What the package has of the clone's files: the program, its launcher, what it says of itself. */
const COPIED = [
  "dist",
  "LICENSE",
  "NOTICE",
  "README.md",
  "CHANGELOG.md",
  "docs",
  "scripts/check-health.js",
  "scripts/find-node.js",
  "scripts/memory-environment.js",
  "scripts/node-process.js",
  "scripts/npm.js",
  "scripts/start-program.js",
  "scripts/trawl.js",
];
/** What is for those alone who change the program. */
const LEFT_OUT = ["dist/.sources-hash", "docs/adr", "docs/images"];
/** Folders of built pages. */
const PAGES = ["dist/console", "dist/docs"];
/** npm lists each file that it packs, some 7,000. */
const NPM_OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

function main(): void {
  const manifest = readJson<Manifest>("package.json");
  const lock = readJson<Lock>("package-lock.json");
  rmSync(STAGED, { recursive: true, force: true });
  mkdirSync(STAGED, { recursive: true });
  for (const path of COPIED) {
    const filter = (from: string) => !LEFT_OUT.includes(relative(ROOT, from));
    cpSync(join(ROOT, path), join(STAGED, path), { recursive: true, filter });
  }
  for (const folder of PAGES) packPages(join(STAGED, folder));
  writeJson("package.json", publishedManifest(manifest));
  writeJson("package-lock.json", runtimeLock(manifest, lock));
  npm(["ci", "--ignore-scripts", "--omit=dev", "--omit=optional", "--no-audit", "--no-fund"]);
  pruneModules(join(STAGED, "node_modules"));
  const node = nodeFolder(manifest, lock);
  mkdirSync(join(STAGED, "node"));
  writeJson("node/package.json", node.manifest);
  writeJson("node/package-lock.json", node.lock);
  const printed = npm(["pack", "--pack-destination", OUTPUT, "--json", "--ignore-scripts"]);
  const [made] = JSON.parse(printed) as [{ filename: string; size: number; unpackedSize: number }];
  process.stderr.write(`trawl: ${made.size} bytes, ${made.unpackedSize} unpacked\n`);
  process.stdout.write(`${join(OUTPUT, made.filename)}\n`);
}

/** Runs npm in the staged package and returns what it prints. */
function npm(args: readonly string[]): string {
  const shell = process.platform === "win32";
  const options = {
    cwd: STAGED,
    shell,
    encoding: "utf8",
    maxBuffer: NPM_OUTPUT_BYTES_MAX,
  } as const;
  const { status, stdout, stderr, error } = spawnSync("npm", args, options);
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(join(STAGED, path), `${JSON.stringify(value, undefined, 2)}\n`);
}

main();
