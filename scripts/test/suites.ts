/** The test suites: which command runs each, and which test files each has. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A suite that Vitest runs. */
export interface Suite {
  /** `npm run test:NAME`; `npm test` runs `quick`. */
  readonly name: string;
  /** Projects of vitest.config.ts. */
  readonly projects: readonly string[];
  /** Random tests draw from a new seed in each run, unless TRAWL_SEED is set. */
  readonly hasFreshSeed?: boolean;
}

/** The suite of `npm test`. */
export const QUICK = "quick";

/** See the file's head. docs/testing.md says what each proves, needs and takes. */
export const SUITES: readonly Suite[] = [
  { name: QUICK, projects: ["unit", "contract"] },
  { name: "console", projects: ["console"] },
  { name: "programs", projects: ["programs", "examples"] },
  { name: "recall", projects: ["recall"] },
  { name: "heavy", projects: ["heavy", "full"], hasFreshSeed: true },
  { name: "s3", projects: ["s3"], hasFreshSeed: true },
];

/** Test files by project, as globs from the checkout; `unit` has what no other project has. */
export const PROJECT_FILES = {
  contract: ["test/contract/**/*.test.ts", "test/journeys/**/*.test.ts"],
  console: ["test/browser/**/*.test.ts"],
  programs: ["test/programs/**/*.test.ts"],
  examples: ["test/examples/**/*.test.ts"],
  recall: ["test/recall/**/*.test.ts"],
  heavy: ["test/heavy/**/*.test.ts"],
  s3: ["test/s3/**/*.test.ts"],
} as const;

/** Test files that import test/support/effort.ts: `npm test` runs a share of their cases. */
export function shortenedTestFiles(root: string): string[] {
  const files = globSync("{src,test}/**/*.test.ts", { cwd: root });
  return files.filter((path) =>
    /support\/effort\.ts"/.test(readFileSync(join(root, path), "utf8")),
  );
}
