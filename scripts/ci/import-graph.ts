/** Which files of the checkout a file needs: by its imports, and by the files that it names in URLs. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const REFERENCE = /\b(?:from|import|new URL)\s*\(?\s*"(\.[^"]+)"/g;
const SOURCE = /\.(?:tsx?|js)$/;

/** See the file's head. Files are read once, when they are first reached. */
export class ImportGraph {
  readonly #root: string;
  readonly #needs = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The files, and all that they need directly or through others. Paths are from the root. */
  closure(paths: Iterable<string>): ReadonlySet<string> {
    const found = new Set<string>(paths);
    for (const path of found) for (const needed of this.#needsOf(path)) found.add(needed);
    return found;
  }

  #needsOf(path: string): readonly string[] {
    const known = this.#needs.get(path);
    if (known !== undefined) return known;
    const needs = SOURCE.test(path) && this.#isFile(path) ? this.#read(path) : [];
    this.#needs.set(path, needs);
    return needs;
  }

  #read(path: string): string[] {
    const text = readFileSync(join(this.#root, path), "utf8");
    return [...text.matchAll(REFERENCE)]
      .map(([, specifier]) => join(dirname(path), specifier))
      .filter((each) => this.#isFile(each));
  }

  #isFile(path: string): boolean {
    const full = join(this.#root, path);
    return existsSync(full) && statSync(full).isFile();
  }
}
