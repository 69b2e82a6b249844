/**
 * Compiles assembly/ to build/kernel.wasm. Keyed by a hash of the sources, the compiler's version
 * and its options, so that an unchanged tree costs a few file reads.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const COMPILER = join(ROOT, "node_modules", "assemblyscript");
const OUTPUT = join(ROOT, "build", "kernel.wasm");
const HASH_FILE = join(ROOT, "build", "kernel.sources-hash");

/**
 * The memory is brought in and shared between threads; 65536 pages are the 4 GiB that 32 bits
 * reach. The stub runtime adds no code, as kernels allocate nothing.
 */
const OPTIONS = [
  ...["-O3", "--noAssert", "--runtime", "stub"],
  ...["--enable", "simd", "--enable", "relaxed-simd", "--enable", "threads"],
  ...["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
];

/** Brings build/kernel.wasm up to date. Throws if the compiler refuses the sources. */
export function buildKernel() {
  const hash = hashSources();
  const isBuilt = existsSync(OUTPUT) && existsSync(HASH_FILE);
  if (isBuilt && readFileSync(HASH_FILE, "utf8") === hash) return;

  mkdirSync(dirname(OUTPUT), { recursive: true });
  // Two builds at once must not leave a mixture: each writes its own file and moves it in place.
  const staged = join(ROOT, "build", `kernel.staged-${process.pid}.wasm`);
  try {
    const asc = join(COMPILER, "bin", "asc.js");
    const entry = join("assembly", "index.ts");
    const args = [asc, entry, "--outFile", staged, ...OPTIONS];
    const result = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
    if (result.status !== 0) {
      throw new Error("the kernel was not built; the compiler's message is above");
    }
    renameSync(staged, OUTPUT);
    writeFileSync(HASH_FILE, hash);
  } finally {
    rmSync(staged, { force: true });
  }
}

function hashSources() {
  const hash = createHash("sha256").update(OPTIONS.join(" "));
  hash.update(readFileSync(join(COMPILER, "package.json")));
  for (const name of readdirSync(join(ROOT, "assembly")).sort()) {
    if (!name.endsWith(".ts")) continue;
    hash.update(`\0${name}\0`).update(readFileSync(join(ROOT, "assembly", name)));
  }
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildKernel();
