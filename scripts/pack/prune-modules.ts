import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What compilers and debuggers read of a package, and no program that runs. */
const UNREAD = /\.(?:d\.[cm]?ts|map)$/;

/** Takes the declarations and source maps out of installed packages: thousands of small files. */
export function pruneModules(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && UNREAD.test(entry.name)) rmSync(join(entry.parentPath, entry.name));
  }
}
