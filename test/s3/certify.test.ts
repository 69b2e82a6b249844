/** The command `trawl certify` as users run it. */

import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { freshS3Config, openS3, S3_TEST_ENDPOINT } from "../support/stores/s3-bucket.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function certify(store: string, endpoint: string): Promise<Ended> {
  const words = [BUILT_PROGRAM, "certify", "--store", store, "--s3-endpoint", endpoint];
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env: productEnvironment() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("passes this service, and leaves nothing behind", async () => {
  const config = freshS3Config();
  const { code, stdout } = await certify(
    `s3://${config.bucket}/${config.prefix}`,
    S3_TEST_ENDPOINT,
  );
  console.log(stdout);
  expect(stdout).toMatch(/(\d+) of \1 promises kept/);
  expect(code).toBe(0);
  const store = await openS3(config);
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
});

test("ends with 1 and the reason where there is no service", async () => {
  const { code, stderr } = await certify("s3://trawl-test/x", "http://127.0.0.1:9");
  expect(stderr).toMatch(/ECONNREFUSED.*--s3-endpoint/);
  expect(code).toBe(1);
});
