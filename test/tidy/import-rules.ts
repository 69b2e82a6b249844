/** Rules about who imports whom: rings, cycles, files that nobody needs. */

import { dirname, join } from "node:path";
import { type Finding, isProduct, lineAt, type SourceFile } from "./source-file.ts";

/** Lower rings first. A file imports its own folder and lower rings; never a sibling or higher. */
const RINGS = [
  ["base"],
  ["kernel", "model", "trace"],
  ["storage", "codec", "text", "vector", "wire", "embed"],
  ["log", "segment", "manifest"],
  ["write", "query"],
  ["cache"],
  ["namespace"],
  ["commit", "indexer"],
  ["api"],
  ["threads", "access", "mcp"],
  ["http", "client"],
  ["transfer", "reference"],
  ["cli"],
  ["library"],
];
/** The same of the console's folders; a screen imports no other, "." is what lies beside them. */
const CONSOLE_RINGS = [
  ["base"],
  ["api", "query"],
  ["state"],
  ["ui"],
  ["composer"],
  ["screens"],
  ["shell"],
  ["."],
  ["docs"],
];
/** What of the product runs in browsers, too, as far as it needs nothing of Node. */
const SHARED_FOLDERS = ["base", "model"];
/**
 * And what of `trawl import` the console's import is made of, so that a file gives the same rows by
 * both: readers, plans and encoders, without what opens files of a disk.
 */
const SHARED_FILES: ReadonlySet<string> = new Set([
  "src/client/client-error.ts",
  "src/client/retry-plan.ts",
  "src/transfer/import/attribute-types.ts",
  "src/transfer/import/column-samples.ts",
  "src/transfer/import/committed-bytes.ts",
  "src/transfer/import/import-plan.ts",
  "src/transfer/import/long-texts.ts",
  "src/transfer/import/plan-fault.ts",
  "src/transfer/import/plan-words.ts",
  "src/transfer/import/rejected-line.ts",
  "src/transfer/import/row-batches.ts",
  "src/transfer/import/row-sender.ts",
  "src/transfer/import/run-import.ts",
  "src/transfer/import/sample-files.ts",
  "src/transfer/import/settle-batch.ts",
  "src/transfer/read/arrow/arrow-reader.ts",
  "src/transfer/read/byte-source.ts",
  "src/transfer/read/file-faults.ts",
  "src/transfer/read/file-format.ts",
  "src/transfer/read/json-array-reader.ts",
  "src/transfer/read/json-lines-reader.ts",
  "src/transfer/read/lz4.ts",
  "src/transfer/read/opened-file.ts",
  "src/transfer/read/parquet/parquet-reader.ts",
  "src/transfer/read/source-row.ts",
  "src/transfer/read/table-text-reader.ts",
  "src/transfer/read/zstd-frames.ts",
]);
/** Where `Buffer` may be used all the same: the build of the console's import has a package for it. */
const BUFFERED = /^(?:src\/transfer\/|src\/wire\/json\/scan-object\.ts|console\/screens\/import\/)/;
const RING_OF = new Map(RINGS.flatMap((folders, ring) => folders.map((name) => [name, ring])));

/** Files that something else than the program's imports needs. */
const ENTRY_POINTS = new Set([
  "src/cli/main.ts",
  // The console's page names it.
  "console/main.tsx",
  // The pages of the documentation name it.
  "console/docs/docs-page.ts",
  // What programs import that have Trawl in their own process.
  "src/library/open-trawl.ts",
]);

/** One import. */
export interface Import {
  readonly from: SourceFile;
  /** Path of the imported file from the project's root. */
  readonly to: string;
  readonly line: number;
}

/** Imports of a sibling folder or a higher ring, and folders that have no ring. */
export function ringFindings(files: readonly SourceFile[]): Finding[] {
  return files.filter(isProduct).flatMap((file) => {
    if (isConsole(file.path)) return consoleRingFindings(file);
    const folder = folderOf(file.path);
    const ring = RING_OF.get(folder);
    if (ring === undefined) {
      const message = `folder ${folder} has no ring; add it to RINGS, or move the file`;
      return [{ path: file.path, line: 1, message }];
    }
    return importsOf(file)
      .filter(({ to }) => {
        const other = folderOf(to);
        const isHigher = isConsole(to) || !((RING_OF.get(other) ?? RINGS.length) < ring);
        return other !== folder && isHigher;
      })
      .map(({ to, line }) => ({
        path: file.path,
        line,
        message:
          `${folder} may not import ${to}: only its own folder and lower rings; ` +
          "take what is needed as a parameter from above",
      }));
  });
}

function consoleRingFindings(file: SourceFile): Finding[] {
  const ring = consoleRingOf(file.path);
  if (ring < 0) {
    const message = "folder has no ring; add it to CONSOLE_RINGS, or move the file";
    return [{ path: file.path, line: 1, message }];
  }
  return importsOf(file)
    .filter(({ to }) => {
      if (!isConsole(to)) return !isShared(to) && !to.startsWith("node_modules/");
      const isOwn = roomOf(to) === roomOf(file.path);
      return !isOwn && !(consoleRingOf(to) < ring);
    })
    .map(({ to, line }) => {
      const message =
        `${roomOf(file.path)} may not import ${to}: only its own folder, lower rings of the ` +
        `console, and ${SHARED_FOLDERS.join(" and ")}`;
      return { path: file.path, line, message };
    });
}

function isShared(path: string): boolean {
  return SHARED_FOLDERS.includes(folderOf(path)) || SHARED_FILES.has(path);
}

/** Files that the console imports, also through others, and that only Node can run. */
export function browserFindings(files: readonly SourceFile[]): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Map<string, Finding>();
  const visited = new Set<string>();
  const visit = (file: SourceFile) => {
    if (visited.has(file.path)) return;
    visited.add(file.path);
    const needs = BUFFERED.test(file.path) ? OF_NODE : OF_NODE_OR_BUFFER;
    const node = NODE_IMPORT.exec(file.code) ?? needs.exec(file.bare);
    if (node !== null) {
      const message = "the console imports this file, which only Node can run";
      found.set(file.path, { path: file.path, line: lineAt(file, node.index), message });
    }
    for (const { to } of importsOf(file)) {
      const next = byPath.get(to);
      if (next !== undefined) visit(next);
    }
  };
  for (const file of files) if (isConsole(file.path) && isProduct(file)) visit(file);
  return [...found.values()];
}

const NODE_IMPORT = /\b(?:from|import)\s*\(?\s*"node:/;
const OF_NODE = /\bprocess\./;
const OF_NODE_OR_BUFFER = /\bBuffer\b|\bprocess\./;

/** Import cycles; each is named once, by the imports that close it. */
export function cycleFindings(files: readonly SourceFile[]): Finding[] {
  const byPath = new Map(files.filter(isProduct).map((file) => [file.path, file]));
  const findings: Finding[] = [];
  const done = new Set<string>();
  const visit = (file: SourceFile, trail: readonly string[]): void => {
    if (done.has(file.path)) return;
    for (const { to, line } of importsOf(file)) {
      const start = [...trail, file.path].indexOf(to);
      if (start >= 0) {
        const cycle = [...trail, file.path].slice(start).concat(to).join(" → ");
        const message = `import cycle ${cycle}; move what both need to a file of its own`;
        findings.push({ path: file.path, line, message });
        continue;
      }
      const next = byPath.get(to);
      if (next !== undefined) visit(next, [...trail, file.path]);
    }
    done.add(file.path);
  };
  for (const file of byPath.values()) visit(file, []);
  return findings;
}

/** Product files that no other product file imports or names (as threads are, by their URL). */
export function deadFileFindings(files: readonly SourceFile[]): Finding[] {
  const product = files.filter(isProduct);
  const used = new Set(
    product.flatMap((file) => {
      const named = file.code.matchAll(/"([./\w-]+)\.(?:js|(tsx?))"/g);
      return [...named].map(([, name, kind = "ts"]) => `${join(dirname(file.path), name)}.${kind}`);
    }),
  );
  return product
    .filter(({ path }) => !used.has(path) && !ENTRY_POINTS.has(path))
    .map(({ path }) => {
      const message = "nothing imports this file; use it, delete it, or add it to ENTRY_POINTS";
      return { path, line: 1, message };
    });
}

/** Relative imports, those of types included. */
export function importsOf(file: SourceFile): Import[] {
  const statement = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
  return [...file.code.matchAll(statement)].map((match) => ({
    from: file,
    to: join(dirname(file.path), match[1]),
    line: lineAt(file, match.index),
  }));
}

function isConsole(path: string): boolean {
  return path.startsWith("console/");
}

/** The folder whose files may import each other: of screens, each is one of its own. */
function roomOf(path: string): string {
  const [, folder, screen, ...rest] = path.split("/");
  if (screen === undefined) return ".";
  return folder === "screens" && rest.length > 0 ? `${folder}/${screen}` : folder;
}

function consoleRingOf(path: string): number {
  const [folder] = roomOf(path).split("/");
  return CONSOLE_RINGS.findIndex((folders) => folders.includes(folder));
}

function folderOf(path: string): string {
  return path.split("/")[1];
}
