/** Finds the files that a change consists of, by comparison with the main branch. */

import { spawnSync } from "node:child_process";

/** The changed files, or why they are unknown. */
export type Change =
  | { readonly base: string; readonly files: readonly string[] }
  | { readonly unknown: string };

/** Branches that changes are made for, in the order in which they are tried. */
const MAIN_BRANCHES = ["origin/HEAD", "origin/main", "main"];

/**
 * Compares the working tree, with files that are not committed, with its base: the commit that
 * `wanted` names, else the merge base with the main branch. The main branch itself has no base.
 */
export function changedFiles(root: string, wanted: string | undefined): Change {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const head = git("rev-parse", "HEAD");
  if (head === undefined) return { unknown: "this is not a git checkout" };
  const base =
    wanted === undefined
      ? MAIN_BRANCHES.map((branch) => git("merge-base", "HEAD", branch)).find(
          (commit) => commit !== undefined,
        )
      : git("merge-base", "HEAD", wanted);
  if (base === undefined) return { unknown: `there is no merge base with ${wanted ?? "main"}` };
  if (base === head && wanted === undefined) return { unknown: "HEAD is on the main branch" };
  // Without renames: both names of a file that was moved count as changed.
  const differing = git("diff", "--name-only", "--no-renames", base);
  const added = git("ls-files", "--others", "--exclude-standard");
  if (differing === undefined || added === undefined) return { unknown: "git cannot compare" };
  const files = `${differing}\n${added}`.split("\n").filter((path) => path !== "");
  return { base, files };
}
