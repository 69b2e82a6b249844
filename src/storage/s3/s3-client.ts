/** The AWS SDK, loaded only where a bucket is used: its import takes some 120 ms. */

import type { S3Client } from "@aws-sdk/client-s3";
import { DatabaseError } from "../../base/errors.ts";
import { type S3StoreConfig, storeName } from "../store-config.ts";

/** Connections of one thread to a bucket: as many as the cache has reads under way. */
export const S3_SOCKETS_MAX = 64;
/** Time for a connection to a bucket's server to stand; far regions take 0.5 s. */
const S3_CONNECT_MS_MAX = 5_000;
/** Time for an answer to begin after its request was sent, with one body's usual sending. */
const S3_ANSWER_MS_MAX = 30_000;
/** Time that a connection with a request may be silent in both directions. */
const S3_SILENCE_MS_MAX = 20_000;

/** The SDK's module: the classes of its commands. */
export type S3Sdk = typeof import("@aws-sdk/client-s3");

/** Bounds on the time of a request; tests make them short. */
export interface S3Times {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** Until the answer's head is there, after a body's sending was given its time. */
  readonly answerMs: number;
  /** Without a byte in either direction. */
  readonly silenceMs: number;
}

/** The times of every server. */
export const S3_TIMES: S3Times = {
  connectMs: S3_CONNECT_MS_MAX,
  answerMs: S3_ANSWER_MS_MAX,
  silenceMs: S3_SILENCE_MS_MAX,
};

/** What most services other than Amazon's take for their region, or do not look at. */
const REGION_DEFAULT = "us-east-1";

/**
 * Loads the SDK and makes a client. Nothing is sent before the first request. Throws `unavailable`
 * if Amazon's region of the bucket is set nowhere.
 */
export async function openS3Client(
  config: S3StoreConfig,
  times: S3Times,
): Promise<{ readonly sdk: S3Sdk; readonly client: S3Client }> {
  const sdk = await import("@aws-sdk/client-s3");
  const { endpoint, pathStyle } = config;
  const region = config.region ?? (await regionFound(sdk)) ?? (endpoint && REGION_DEFAULT);
  if (region === undefined) {
    const what = `the region of ${storeName(config)} is unknown`;
    throw new DatabaseError("unavailable", `${what}; set --s3-region (or AWS_REGION)`);
  }
  const client = new sdk.S3Client({
    ...(endpoint !== undefined && { endpoint }),
    region,
    forcePathStyle: pathStyle,
    // The layer above repeats what may be repeated. A conditional put that was repeated here would
    // take its own first success for somebody else's.
    maxAttempts: 1,
    // Objects carry checksums of their own; the SDK's need trailers, which many services lack.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Waiting for "100 Continue" would cost a new connection for every larger body.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: times.connectMs,
      socketTimeout: times.silenceMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: S3_SOCKETS_MAX },
      httpsAgent: { keepAlive: true, maxSockets: S3_SOCKETS_MAX },
      logger: QUIET,
    },
    logger: QUIET,
  });
  return { sdk, client };
}

/** Returns the region of the environment or of the profile. */
async function regionFound(sdk: S3Sdk): Promise<string | undefined> {
  const client = new sdk.S3Client({ logger: QUIET });
  const found = await client.config.region().catch(() => undefined);
  client.destroy();
  return found;
}

/** What the SDK finds worth a line is told by errors, or is none of the user's business. */
const QUIET = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
