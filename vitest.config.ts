import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** What all test files of all configurations have. */
export const COMMON = {
  // Files share processes and what these have loaded, which a third of the time went into.
  isolate: false,
  setupFiles: ["test/support/random/start-file.ts"],
  // Servers and other programs that tests start need not compile the same sources again.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("build/compile-cache", import.meta.url)) },
};

/** A seed that no run had before, unless TRAWL_SEED repeats one; it is printed. */
export function freshSeed(): string {
  const seed = process.env.TRAWL_SEED ?? String(randomInt(2 ** 32));
  console.log(`random tests draw from TRAWL_SEED=${seed}`);
  return seed;
}

/** What files have besides that talk to real servers. */
const CHECKED = {
  ...COMMON,
  setupFiles: [...COMMON.setupFiles, "test/support/reference/check-fetches.ts"],
};

const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 };

/** Suites of what a real server answers. */
const SERVED = ["test/e2e/**/*.test.ts", "test/http/{contract-*,long-names}.test.ts"];
/** Those of what a server does within some seconds, where nobody else has the machine. */
const UNDISTURBED = ["test/e2e/indexes.test.ts"];

/** The suites of `npm test`: they need nothing but what npm installs, and end within minutes. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...COMMON,
          ...LIMITS,
          name: "parts",
          include: ["{src,console,test}/**/*.test.ts"],
          exclude: ["test/{heavy,s3,console}/**", ...SERVED, "node_modules/**"],
        },
      },
      {
        test: {
          ...CHECKED,
          ...LIMITS,
          name: "end to end",
          testTimeout: 180_000,
          include: [...SERVED],
          exclude: [...UNDISTURBED],
          // Two real servers for all files; tests of starts and stops start their own.
          globalSetup: ["test/support/servers/shared-server.ts"],
          // Much of their time is waiting for processes to start, to stop and to try again.
          maxWorkers: 2 * availableParallelism(),
          // A worker belongs to a project: files in turns would throw it away each time.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...CHECKED,
          ...LIMITS,
          name: "console",
          // A real browser beside a server of each file's own: it has the cores to itself.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          include: ["test/console/**/*.test.ts"],
          expect: { poll: { timeout: 30_000 } },
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...COMMON,
          ...LIMITS,
          name: "undisturbed",
          include: [...UNDISTURBED],
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
