/** Rules about what is written beside the code. */

import type { Finding, SourceFile } from "./source-file.ts";

/** A path of a source file in backticks. Names with a star or without an ending are no paths. */
const NAMED_FILE = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|sh))`/g;

/**
 * Files that documents name and that are not among `paths`. A name may leave out the folders that
 * its document is about. Decisions are left alone: they say what was.
 */
export function namedFileFindings(
  documents: readonly SourceFile[],
  paths: readonly string[],
): Finding[] {
  const known = new Set(paths.flatMap((path) => tails(path)));
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED_FILE)].flatMap((match): Finding[] => {
      if (known.has(match[1]) || match[1].startsWith("x.")) return [];
      const line = text.slice(0, match.index).split("\n").length;
      return [{ path, line, message: `there is no ${match[1]}` }];
    }),
  );
}

/** `a/b/c` → `a/b/c`, `b/c`, `c`. */
function tails(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(i).join("/"));
}
