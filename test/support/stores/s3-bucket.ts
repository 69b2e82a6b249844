/** The bucket that the suites of test/s3 use, on the service that the environment names. */

import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { openObjectStore } from "../../../src/storage/access/open-object-store.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import type { S3StoreConfig } from "../../../src/storage/store-config.ts";

/** Base URL of the service; the AWS SDK's own variables hold the credentials. */
export const S3_TEST_ENDPOINT = process.env.S3_TEST_ENDPOINT ?? "";

/** Base URL of a service that ignores conditions, for tests of refusals; may be missing. */
export const CARELESS_ENDPOINT = process.env.S3_TEST_CARELESS_ENDPOINT;

/** Name of the bucket. */
export const S3_TEST_BUCKET = "trawl-test";

/** Vitest's global set-up: makes the bucket, and fails if there is no service. */
export async function setup(): Promise<void> {
  if (S3_TEST_ENDPOINT === "") throw new Error("S3_TEST_ENDPOINT names no service");
  await makeBucket(S3_TEST_ENDPOINT);
  if (CARELESS_ENDPOINT !== undefined) await makeBucket(CARELESS_ENDPOINT);
}

async function makeBucket(endpoint: string): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: S3_TEST_BUCKET })).catch((error: Error) => {
    if (error.name !== "BucketAlreadyOwnedByYou") throw error;
  });
  client.destroy();
}

/** A fresh part of the bucket. */
export function freshS3Config(): S3StoreConfig {
  const prefix = `t/${Buffer.from(systemRandom.bytes(8)).toString("hex")}`;
  return {
    kind: "s3",
    bucket: S3_TEST_BUCKET,
    prefix,
    endpoint: S3_TEST_ENDPOINT,
    pathStyle: true,
  };
}

/** Opens a part of the bucket as the server does. */
export async function openS3(config: S3StoreConfig): Promise<ObjectStore> {
  return (await openObjectStore(config, { clock: systemClock, random: systemRandom })).store;
}

/** Arguments of a server whose data is in that part of the bucket. */
export function s3Arguments({ bucket, prefix, endpoint = "" }: S3StoreConfig): readonly string[] {
  return ["--object-store", `s3://${bucket}/${prefix}`, "--s3-endpoint", endpoint];
}
