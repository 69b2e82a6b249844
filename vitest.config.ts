import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { PROJECT_FILES, shortenedTestFiles } from "./scripts/test/suites.ts";

const ROOT = fileURLToPath(new URL(".", import.meta.url));

/** Settings of all projects. */
const COMMON = {
  // Files share processes and the modules that these have loaded: a third less time.
  isolate: false,
  globalSetup: ["test/support/build-program.ts"],
  setupFiles: ["test/support/random/start-file.ts"],
  // Servers and other programs that tests start do not compile the same sources again.
  env: { NODE_COMPILE_CACHE: join(ROOT, "build/compile-cache") },
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

/** Files over real servers: each response is compared with the reference. */
const SERVED = {
  ...COMMON,
  setupFiles: [...COMMON.setupFiles, "test/support/reference/check-fetches.ts"],
  testTimeout: 180_000,
};

/** Two servers for all files of a project; tests of starts and stops start their own. */
const SHARED_SERVERS = {
  ...SERVED,
  globalSetup: [...COMMON.globalSetup, "test/support/servers/shared-server.ts"],
};

/** Long files: sharing a process would save nothing. */
const LONG = { ...COMMON, isolate: true, testTimeout: 900_000, hookTimeout: 120_000 };

/** Projects run one after the other: each has the cores to itself. */
const PROJECTS = [
  {
    ...COMMON,
    name: "unit",
    include: ["{src,console,test}/**/*.test.ts"],
    exclude: [...Object.values(PROJECT_FILES).flat(), "node_modules/**"],
  },
  { ...SHARED_SERVERS, name: "contract", include: PROJECT_FILES.contract },
  { ...SHARED_SERVERS, name: "programs", include: PROJECT_FILES.programs },
  { ...SHARED_SERVERS, name: "examples", include: PROJECT_FILES.examples },
  {
    ...SERVED,
    name: "console",
    include: PROJECT_FILES.console,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
  { ...LONG, name: "recall", include: PROJECT_FILES.recall },
  // Its files measure the memory of servers, and need the cores for these.
  { ...LONG, name: "heavy", include: PROJECT_FILES.heavy, maxWorkers: 1 },
  {
    ...LONG,
    name: "full",
    include: shortenedTestFiles(ROOT),
    env: { ...COMMON.env, TRAWL_TEST_FULL: "1" },
  },
  {
    ...COMMON,
    name: "s3",
    include: PROJECT_FILES.s3,
    isolate: true,
    globalSetup: [...COMMON.globalSetup, "test/support/stores/s3-bucket.ts"],
    testTimeout: 180_000,
  },
];

/** All test files. scripts/test/run-suite.ts chooses the projects of a suite. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    reporters: ["./scripts/test/brief-reporter.ts"],
    projects: PROJECTS.map((project, groupOrder) => ({
      test: { ...project, include: [...project.include], sequence: { groupOrder } },
    })),
  },
});
