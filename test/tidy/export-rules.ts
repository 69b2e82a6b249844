/** Rules about exports: each is there for another file, and the product itself uses it. */

import { dirname, join } from "node:path";
import { type Finding, isProduct, lineAt, type SourceFile } from "./source-file.ts";

const DECLARATION =
  /^export (?:(?:declare|abstract|async) )*(function\*?|class|const|let|interface|type) (\w+)/gm;
const IMPORT = /\bimport\s+(?:type\s+)?(?:\{([^}]*)\}|\* as \w+)\s+from\s+"(\.[^"]+)"/g;
const DYNAMIC_IMPORT = /\bimport\(\s*"(\.[^"]+)"/g;

/** Exports that only tests use, with reasons. */
const EXEMPT = new Set([
  // What programs import that have Trawl in their own process.
  "src/library/open-trawl.ts openTrawl",
  "src/library/filter-types.ts Filter",
  "src/library/rank-types.ts RankBy",
  // Stores get segments by their pages; tests damage whole ones, which need checksums for that.
  "src/segment/segment-seal.ts sealSegment",
  // A script makes the file once; who writes it stands beside who reads it.
  "src/embed/static/meaning-vectors.ts encodeMeaningVectors",
]);

/**
 * Exports that no other file imports, and those that only tests do while their own file has no use
 * for them: the product is then without them. A type that its own file uses may be exported, since
 * it is part of what the file's other exports promise. What is imported as a whole counts as used.
 */
export function deadExportFindings(files: readonly SourceFile[]): Finding[] {
  const used = usedNames(files);
  return files.filter(isProduct).flatMap((file) => {
    const declarations = [...file.bare.matchAll(DECLARATION)];
    return declarations.flatMap((match): Finding[] => {
      const [, kind, name] = match;
      const named = used.get(`${file.path} ${name}`);
      const whole = used.get(`${file.path} *`);
      const users = whole === "product" ? whole : (named ?? whole);
      if (users === "product" || EXEMPT.has(`${file.path} ${name}`)) return [];
      const mentions = [...file.bare.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length;
      // The overloads of a function are declarations of one name.
      const usesItself = mentions > declarations.filter(([, , other]) => other === name).length;
      const isType = kind === "interface" || kind === "type";
      if (usesItself && (isType || users === "tests")) return [];
      const who = users === "tests" ? "only tests import" : "nothing imports";
      const message = `${who} ${name}; ${usesItself ? "do not export it" : "delete it"}`;
      return [{ path: file.path, line: lineAt(file, match.index), message }];
    });
  });
}

/** Who imports what: by the path of the exporting file and the name (`*`: all of them). */
function usedNames(files: readonly SourceFile[]): Map<string, "product" | "tests"> {
  const used = new Map<string, "product" | "tests">();
  for (const file of files) {
    const user = isProduct(file) ? "product" : "tests";
    const use = (from: string, name: string) => {
      const key = `${join(dirname(file.path), from)} ${name}`;
      if (used.get(key) !== "product") used.set(key, user);
    };
    for (const [, names, from] of file.code.matchAll(IMPORT)) {
      for (const name of (names ?? "*").split(",")) {
        use(
          from,
          name
            .replace(/^\s*type\s/, "")
            .split(/\sas\s/)[0]
            .trim(),
        );
      }
    }
    for (const [, from] of file.code.matchAll(DYNAMIC_IMPORT)) use(from, "*");
  }
  return used;
}
