/** Pages as an installed package has them: in one form, from which the server makes the others. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** What is text, and gets smaller. */
const TEXTS = [".html", ".js", ".css", ".json", ".svg", ".txt"];

/**
 * Leaves each text below `folder` in its gzipped form alone (`FILE.gz`): a fourth of the bytes, in
 * what most browsers ask for.
 */
export function packPages(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    if (extname(path) === ".br") rmSync(path);
    if (!TEXTS.includes(extname(path))) continue;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    rmSync(path);
  }
}
