import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { COMMON, freshSeed } from "./vitest.config.ts";

const PARTS = {
  ...COMMON,
  // Their files are few and long: nothing is saved by one process for all.
  isolate: true,
  testTimeout: 900_000,
  hookTimeout: 120_000,
};
const env = { ...COMMON.env, TRAWL_SEED: freshSeed() };

/** The files of which `npm test` runs a share: see test/support/effort.ts. */
const SHARED = globSync("{src,test}/**/*.test.ts").filter((path) =>
  /support\/effort\.ts"/.test(readFileSync(path, "utf8")),
);

/**
 * The suites of `npm run test:heavy`: processes killed in loops, long fuzzing, large bodies, and
 * all cases of the suites of which `npm test` runs a share.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...PARTS,
          env,
          name: "heavy",
          include: ["test/heavy/**/*.test.ts"],
          // They start servers, measure their memory, and need the cores for themselves.
          maxWorkers: 1,
        },
      },
      {
        test: {
          ...PARTS,
          env: { ...env, TRAWL_TEST_FULL: "1" },
          name: "in full",
          include: SHARED,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
