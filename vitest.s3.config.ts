import { defineConfig } from "vitest/config";
import { COMMON, freshSeed } from "./vitest.config.ts";

/**
 * The suites that need an S3 service: S3_TEST_ENDPOINT names it, AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY are its keys. scripts/ci-s3.sh starts one and runs them.
 */
export default defineConfig({
  test: {
    setupFiles: COMMON.setupFiles,
    env: { ...COMMON.env, TRAWL_SEED: freshSeed() },
    include: ["test/s3/**/*.test.ts"],
    // They wait more than they compute: for servers that start, and for the service.
    maxWorkers: 2,
    globalSetup: ["test/support/stores/s3-bucket.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
