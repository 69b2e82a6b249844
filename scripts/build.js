/**
 * The build: the WebAssembly kernel and the JavaScript of src/. Both are keyed by a hash of what
 * they are made of, so that an unchanged tree costs one pass over its files (about 30 ms).
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** File in dist/ that holds the hash of the sources that dist/ was made of. */
const HASH_FILE = ".sources-hash";

/** Brings dist/ and the kernel up to date with their sources. */
export async function build(root) {
  const { buildKernel } = await import("./build-kernel.js");
  await buildKernel();
  const hash = hashSources(root);
  if (isBuilt(root, hash)) return;
  console.error("trawl: building …");
  compile(root, hash);
}

function isBuilt(root, hash) {
  const marker = join(root, "dist", HASH_FILE);
  return existsSync(marker) && readFileSync(marker, "utf8") === hash;
}

/**
 * Compiles into a folder of its own and then swaps it in: a build that is interrupted, or two that
 * run at once, never leave half a dist/.
 */
function compile(root, hash) {
  const staged = join(root, "build", `dist-${process.pid}`);
  const args = ["-p", join(root, "tsconfig.build.json"), "--outDir", staged];
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  try {
    const result = spawnSync(process.execPath, [tsc, ...args], { stdio: ["ignore", 2, 2] });
    if (result.status !== 0) throw new Error("the build failed; the compiler's message is above");
    writeFileSync(join(staged, HASH_FILE), hash);
    rmSync(join(root, "dist"), { recursive: true, force: true });
    renameSync(staged, join(root, "dist"));
  } catch (error) {
    // Of two builds at once, the later finds the dist/ of the earlier in its way.
    if (!isBuilt(root, hash)) throw error;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Hash of every file that dist/ is made of, names included. */
function hashSources(root) {
  const hash = createHash("sha256");
  const typescript = join("node_modules", "typescript", "package.json");
  const files = ["tsconfig.json", "tsconfig.build.json", typescript, ...sourcesBelow(root, "src")];
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function sourcesBelow(root, folder) {
  const found = [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...sourcesBelow(root, path));
    else if (path.endsWith(".ts") && !path.endsWith(".test.ts")) found.push(path);
  }
  return found;
}
