import { defineConfig } from "vitest/config";

/** The suites of `npm test`: they need nothing but what npm installs, and end within minutes. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/heavy/**", "node_modules/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
