/** The files that an import was given, by name or by pattern, and how to know them again. */

import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { open } from "node:fs/promises";
import { MIB } from "../../base/byte-sizes.ts";
import { FileFault } from "../read/source-row.ts";

/** Bytes at each end of a file that its fingerprint covers: to read all of it takes too long. */
const FINGERPRINT_BYTES = MIB;

/**
 * Names of files in the order in which they were given, those of a pattern in that of their names.
 * Shells expand patterns by themselves; this is for those that are quoted, and for Windows.
 */
export function inputFiles(patterns: readonly string[]): readonly string[] {
  const names = patterns.flatMap((pattern) => {
    if (pattern === "-" || !/[*?[{]/.test(pattern)) return [pattern];
    // A name may have such characters itself.
    if (existsSync(pattern)) return [pattern];
    const found = globSync(pattern).sort();
    if (found.length === 0) throw new FileFault(`no file matches ${pattern}`);
    return found;
  });
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new FileFault(`${twice} is given twice`);
  if (names.includes("-") && names.length > 1) {
    throw new FileFault("standard input (-) is read alone, not beside files");
  }
  return names;
}

/** A digest of a file's size and both of its ends. */
export async function fingerprintOf(name: string): Promise<string> {
  const file = await open(name);
  try {
    const { size } = await file.stat();
    const hash = createHash("sha256").update(String(size));
    for (const start of [0, Math.max(0, size - FINGERPRINT_BYTES)]) {
      const bytes = Buffer.alloc(Math.min(FINGERPRINT_BYTES, size - start));
      await file.read(bytes, 0, bytes.length, start);
      hash.update(bytes);
    }
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}
