/** A copy of the sources with one deliberate break at a time, and whether anybody notices it. */

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutation } from "./mutations.ts";
import { runSeeds } from "./run-seeds.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What the simulation and the tests of one file need. */
const COPIED = ["src", "test/simulation", "test/support", "test/conformance", "package.json"];

/** What became of a break. */
export interface Verdict {
  readonly isNoticed: boolean;
  /** The seed and its first fault, or the test file; what was tried where nobody noticed. */
  readonly how: string;
}

/**
 * Copies the sources into a folder of its own and returns the path. All breaks are made in one
 * copy, one after the other, so that Node does not compile the unchanged files for each.
 */
export function copySources(): string {
  const root = mkdtempSync(join(tmpdir(), "trawl-mutant-"));
  for (const path of COPIED) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  return root;
}

/** Makes the break in a copy of the sources, runs what has to notice it, and takes it back. */
export async function tryMutation(
  root: string,
  mutation: Mutation,
  seedCount: number,
): Promise<Verdict> {
  const path = join(root, mutation.file);
  const text = readFileSync(path, "utf8");
  try {
    breakSource(root, mutation);
    const { noticedBy } = mutation;
    if (noticedBy !== "simulation")
      return { isNoticed: !(await passes(root, [noticedBy])), how: noticedBy };
    const first = mutation.firstSeed ?? 1;
    const faulty = await runSeeds({ first, count: seedCount, root, stopsAtFault: true });
    if (faulty.length === 0) return { isNoticed: false, how: `${seedCount} seeds` };
    const [{ seed, faults }] = faulty;
    return { isNoticed: true, how: `seed ${seed}: ${faults[0]}` };
  } finally {
    writeFileSync(path, text);
  }
}

/** Says why a break cannot be applied; undefined if it can. */
export function mutationFault({ file, find, replace }: Mutation, root = ROOT): string | undefined {
  const count = readFileSync(join(root, file), "utf8").split(find).length - 1;
  if (count !== 1) return `${file} holds the text ${count} times: ${find}`;
  return find === replace ? `${file}: nothing would change` : undefined;
}

function breakSource(root: string, mutation: Mutation): void {
  const fault = mutationFault(mutation, root);
  if (fault !== undefined) throw new Error(fault);
  const path = join(root, mutation.file);
  const text = readFileSync(path, "utf8");
  // A function, since the replacement may hold dollar signs.
  writeFileSync(
    path,
    text.replace(mutation.find, () => mutation.replace),
  );
}

/** Runs test files of a copy; says whether they pass. */
export function passes(root: string, files: readonly string[]): Promise<boolean> {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--root", root, ...files], {
    cwd: root,
    stdio: "ignore",
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code === 0));
  });
}
