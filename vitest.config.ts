import { defineConfig } from "vitest/config";

const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 };

/** The suites of `npm test`: they need nothing but what npm installs, and end within minutes. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...LIMITS,
          name: "parts",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/heavy/**", "test/e2e/**", "test/s3/**", "node_modules/**"],
        },
      },
      {
        test: {
          ...LIMITS,
          name: "end to end",
          testTimeout: 180_000,
          include: ["test/e2e/**/*.test.ts"],
          // One real server for all files; tests of starts and stops start their own.
          globalSetup: ["test/support/shared-server.ts"],
        },
      },
    ],
  },
});
