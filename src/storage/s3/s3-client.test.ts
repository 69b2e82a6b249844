import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import type { S3StoreConfig } from "../store-config.ts";
import { openS3Client, S3_TIMES } from "./s3-client.ts";

const saved = { ...process.env };
let home: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeEach(async () => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("AWS_")) delete process.env[name];
  }
  home = await temporaryDirectory();
  process.env.AWS_CONFIG_FILE = join(home.path, "config");
  await writeFile(process.env.AWS_CONFIG_FILE, "[profile other]\nregion = eu-other-9\n");
});
afterEach(async () => {
  process.env = { ...saved };
  await home.remove();
});

async function regionOf(config: Partial<S3StoreConfig>): Promise<string> {
  const whole = { kind: "s3", bucket: "bucket", prefix: "", pathStyle: true, ...config } as const;
  const { client } = await openS3Client(whole, S3_TIMES);
  return client.config.region().finally(() => client.destroy());
}

test("the region is the setting's, the environment's, the profile's, or the default", async () => {
  const endpoint = "http://127.0.0.1:1";
  expect(await regionOf({ endpoint })).toBe("us-east-1");
  await expect(regionOf({})).rejects.toThrow(
    "the region of s3://bucket is unknown; set --s3-region (or AWS_REGION)",
  );
  process.env.AWS_PROFILE = "other";
  expect(await regionOf({ endpoint })).toBe("eu-other-9");
  expect(await regionOf({})).toBe("eu-other-9");
  process.env.AWS_REGION = "eu-environment-1";
  expect(await regionOf({ endpoint })).toBe("eu-environment-1");
  expect(await regionOf({ endpoint, region: "eu-setting-1" })).toBe("eu-setting-1");
});
