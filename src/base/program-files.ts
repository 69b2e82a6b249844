/**
 * Locations of the program's own files. It runs from its sources, src/, as well as from the build,
 * dist/. The build keeps this module two folders below the package's root, where it is in src/.
 */

/** The folder of package.json, docs/ and dist/. */
export const PACKAGE_ROOT: URL = new URL("../../", import.meta.url);

/** Modules with which a process, a thread or an importing program begins, by their path in src/. */
export const ENTRY_MODULES = [
  "cli/certify/certify-worker",
  "cli/main",
  "library/open-trawl",
  "threads/cache/cache-thread",
  "threads/onnx/onnx-thread",
  "threads/query/query-thread",
  "threads/write/write-thread",
] as const;

/** One of `ENTRY_MODULES`. */
export type EntryModule = (typeof ENTRY_MODULES)[number];

const IS_SOURCE = import.meta.url.endsWith(".ts");

/** A module to start as a process or a thread. */
export function entryModule(name: EntryModule): URL {
  return programFile(`${name}${IS_SOURCE ? ".ts" : ".js"}`);
}

/** A file that the sources and the build have at the same path. */
export function programFile(path: string): URL {
  return new URL(`${IS_SOURCE ? "src" : "dist"}/${path}`, PACKAGE_ROOT);
}

/** A file that only the build makes: the kernel and pages for browsers. */
export function builtFile(path: string): URL {
  return new URL(`dist/${path}`, PACKAGE_ROOT);
}
