/** Rules about the folders inside a folder of `src`: their layers, and who imports whom. */

import { dirname } from "node:path";
import { type Import, importsOf } from "./import-rules.ts";
import { type Finding, isProduct, type SourceFile } from "./source-file.ts";

/** Folders inside a folder by their layers, lower ones first; "." is what lies beside them. */
export type FolderLayers = Readonly<Record<string, readonly (readonly string[])[]>>;

/** The largest folders. A file imports lower layers and its own, never a higher one. */
const LAYERS: FolderLayers = {
  "src/query": [
    // Interfaces of operators, plans as data, and what operators exchange.
    ["documents", "operator"],
    // Operators, and the list of all of them.
    ["aggregate", "filter", "order", "project", "score", "vector", "."],
    ["bind", "executor", "planner"],
  ],
  "src/segment": [
    // Interfaces of segments and indexes, and the form of their bytes.
    ["deletions", "format", "view"],
    // Indexes.
    ["columns", "documents", "ids", "postings", "sparse", "text", "vectors"],
    // Whole segments.
    [".", "memtable"],
  ],
};

/** Imports of a higher layer of the same folder, and folders without a layer there. */
export function layerFindings(
  files: readonly SourceFile[],
  layers: FolderLayers = LAYERS,
): Finding[] {
  return Object.entries(layers).flatMap(([folder, order]) => {
    const layerOf = (path: string) =>
      order.findIndex((names) => names.includes(childOf(folder, path)));
    const inside = files.filter((file) => isProduct(file) && file.path.startsWith(`${folder}/`));
    return inside.flatMap((file): Finding[] => {
      const { path } = file;
      const layer = layerOf(path);
      if (layer < 0) {
        const message = `${childOf(folder, path)} has no layer in ${folder}; add it to LAYERS`;
        return [{ path, line: 1, message }];
      }
      return importsOf(file)
        .filter(({ to }) => to.startsWith(`${folder}/`) && layerOf(to) > layer)
        .map(({ to, line }) => {
          const message =
            `a lower layer of ${folder} may not import ${to}; ` +
            "move what it needs down, or take it as a parameter from above";
          return { path, line, message };
        });
    });
  });
}

/**
 * Folders of one folder that import each other, where files beside folders count as a folder, too.
 * Each pair is named once, by its rarer direction.
 */
export function mutualFindings(files: readonly SourceFile[]): Finding[] {
  const arrows = folderArrows(files.filter(isProduct));
  const findings: Finding[] = [];
  for (const [folder, imports] of arrows) {
    for (const [arrow, some] of imports) {
      const [from, to] = arrow.split(" ");
      const others = imports.get(`${to} ${from}`);
      if (from > to || others === undefined) continue;
      const [{ from: file, line, to: target }] = some.length < others.length ? some : others;
      const message =
        `imports ${target}, but ${from} and ${to} of ${folder} may not import each other; ` +
        "move what both need below both";
      findings.push({ path: file.path, line, message });
    }
  }
  return findings;
}

/** Imports between the folders of each folder of `src`, by `from to`. */
function folderArrows(files: readonly SourceFile[]): Map<string, Map<string, Import[]>> {
  const arrows = new Map<string, Map<string, Import[]>>();
  for (const file of files) {
    for (const found of importsOf(file)) {
      const folder = commonFolder(file.path, found.to);
      if (!folder.startsWith("src/")) continue;
      const [from, to] = [childOf(folder, file.path), childOf(folder, found.to)];
      if (from === to) continue;
      const imports = arrows.get(folder) ?? new Map<string, Import[]>();
      arrows.set(folder, imports);
      const arrow = `${from} ${to}`;
      imports.set(arrow, [...(imports.get(arrow) ?? []), found]);
    }
  }
  return arrows;
}

/** The deepest folder that holds both files. */
function commonFolder(path: string, other: string): string {
  let folder = dirname(path);
  while (folder !== "." && !other.startsWith(`${folder}/`)) folder = dirname(folder);
  return folder;
}

/** The folder inside `folder` that a file is in; "." for what lies beside those. */
function childOf(folder: string, path: string): string {
  const [child, ...rest] = path.slice(folder.length + 1).split("/");
  return rest.length === 0 ? "." : child;
}
