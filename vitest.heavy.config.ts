import { defineConfig } from "vitest/config";

/** The suites of `npm run test:heavy`: processes killed in loops, long fuzzing, large bodies. */
export default defineConfig({
  test: {
    include: ["test/heavy/**/*.test.ts"],
    passWithNoTests: true,
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
