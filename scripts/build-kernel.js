/**
 * Compiles assembly/ to WebAssembly. Kept in build/ by a hash of the sources, the compiler's
 * version and its options, so that a build in which they are unchanged does not compile them.
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
import { join } from "node:path";
import { lockedVersion } from "./install.js";

/**
 * The memory is brought in and shared between threads; 65536 pages are the 4 GiB that 32 bits
 * reach. The stub runtime adds no code, as kernels allocate nothing.
 */
const OPTIONS = [
  ...["-O3", "--noAssert", "--runtime", "stub"],
  ...["--enable", "simd", "--enable", "relaxed-simd", "--enable", "threads"],
  ...["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
];

/** Path of the compiled kernel. Throws if the compiler refuses the sources. */
export function buildKernel(root) {
  const output = join(root, "build", "kernel.wasm");
  const hashFile = join(root, "build", "kernel.sources-hash");
  const hash = hashKernel(root);
  const isBuilt = existsSync(output) && existsSync(hashFile);
  if (isBuilt && readFileSync(hashFile, "utf8") === hash) return output;

  mkdirSync(join(root, "build"), { recursive: true });
  // Two builds at once must not leave a mixture: each writes its own file and moves it in place.
  const staged = join(root, "build", `kernel.staged-${process.pid}.wasm`);
  try {
    const asc = join(root, "node_modules", "assemblyscript", "bin", "asc.js");
    const entry = join("assembly", "index.ts");
    const args = [asc, entry, "--outFile", staged, ...OPTIONS];
    const result = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] });
    if (result.status !== 0) {
      throw new Error("the kernel was not built; the compiler's message is above");
    }
    renameSync(staged, output);
    writeFileSync(hashFile, hash);
  } finally {
    rmSync(staged, { force: true });
  }
  return output;
}

/** Hash of all that the kernel is made of. */
export function hashKernel(root) {
  const hash = createHash("sha256").update(OPTIONS.join(" "));
  hash.update(lockedVersion(root, "assemblyscript"));
  for (const name of readdirSync(join(root, "assembly")).sort()) {
    if (!name.endsWith(".ts")) continue;
    hash.update(`\0${name}\0`).update(readFileSync(join(root, "assembly", name)));
  }
  return hash.digest("hex");
}
