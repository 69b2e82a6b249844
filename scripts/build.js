/**
 * The build: dist/, with the bundled program, the WebAssembly kernel, the types of the library, and
 * the pages of the console and the documentation. Keyed by a hash of its sources, so that an
 * unchanged tree costs one pass over its files, and a dist/ that was built elsewhere counts where
 * the sources are the same.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildKernel, hashKernel } from "./build-kernel.js";
import { findNode, isNewEnough } from "./find-node.js";

/** File in dist/ that holds the hash of the sources that dist/ was made of. */
const HASH_FILE = ".sources-hash";
/** Vectors of the embedding model that ships with Trawl, in src/ and in dist/. */
const TABLE = "embed/static/static-en.table";

/** Brings dist/ up to date with its sources; it needs the tools for that only where it is not. */
export function build(root) {
  const hash = hashSources(root);
  if (holds(root, hash)) return;
  console.error("trawl: building …");
  compile(root, hash);
}

/** Whether dist/ is there and made of the sources as they are. */
export function isBuilt(root) {
  return holds(root, hashSources(root));
}

function holds(root, hash) {
  const marker = join(root, "dist", HASH_FILE);
  return existsSync(marker) && readFileSync(marker, "utf8") === hash;
}

/**
 * Compiles into a folder of its own and then swaps it in: a build that is interrupted, or two that
 * run at once, never leave half a dist/.
 */
function compile(root, hash) {
  const kernel = buildKernel(root);
  const staged = join(root, "build", `dist-${process.pid}`);
  const types = join(root, "build", `types-${process.pid}`);
  try {
    runCompiler(root, "tsconfig.types.json", types);
    runBundler(root, "build-program.ts", staged);
    copyTypes(join(types, "library"), join(staged, "library"));
    copyFileSync(kernel, join(staged, "kernel.wasm"));
    runBundler(root, "build-console.js", join(staged, "console"));
    runBundler(root, "build-docs.ts", join(staged, "docs"));
    cpSync(join(root, "src", TABLE), join(staged, TABLE));
    writeFileSync(join(staged, HASH_FILE), hash);
    rmSync(join(root, "dist"), { recursive: true, force: true });
    renameSync(staged, join(root, "dist"));
  } catch (error) {
    // Of two builds at once, the later finds the dist/ of the earlier in its way.
    if (!holds(root, hash)) throw error;
  } finally {
    for (const folder of [staged, types]) rmSync(folder, { recursive: true, force: true });
  }
}

function runCompiler(root, project, output) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [tsc, "-p", join(root, project), "--outDir", output];
  const result = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
  if (result.status !== 0) throw new Error("the build failed; the compiler's message is above");
}

/** Runs a script that bundles; its tools need a Node that runs the service as well. */
function runBundler(root, script, output) {
  const node = isNewEnough(process.version) ? process.execPath : findNode(root);
  const quiet = "--disable-warning=ExperimentalWarning";
  const args = [quiet, join(root, "scripts", script), output];
  const result = spawnSync(node, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.status !== 0) throw new Error(`${script} failed; its message is above`);
}

/** Copies the types that the library's users see, which are those that need no other folder's. */
function copyTypes(from, to) {
  for (const name of readdirSync(from)) {
    if (readFileSync(join(from, name), "utf8").includes('from "../')) continue;
    copyFileSync(join(from, name), join(to, name));
  }
}

/** Hash of every file that dist/ is made of, names included, and of all packages' versions. */
function hashSources(root) {
  const hash = createHash("sha256");
  hash.update(hashKernel(root));
  const files = [
    // What is bundled has the code of packages in it.
    "package-lock.json",
    "package.json",
    "scripts/build-program.ts",
    "tsconfig.json",
    "tsconfig.types.json",
    "scripts/build-console.js",
    "scripts/bundled-licenses.js",
    "scripts/compress-pages.js",
    "scripts/build-docs.ts",
    `src/${TABLE}`,
    ...sourcesBelow(root, "src"),
    ...sourcesBelow(root, "console"),
    ...sourcesBelow(root, "scripts/docs"),
    ...sourcesBelow(root, "docs"),
  ];
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

const SOURCE = /\.(?:tsx?|css|html|svg|json|md|png)$/;

function sourcesBelow(root, folder) {
  const found = [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...sourcesBelow(root, path));
    else if (SOURCE.test(path) && !path.endsWith(".test.ts")) found.push(path);
  }
  return found;
}
