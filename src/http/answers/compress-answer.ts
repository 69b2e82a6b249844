/** Response compression: only for clients that ask for it by name, never for small answers. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Negotiator from "negotiator";
import type { HttpAnswer } from "../../api/engine.ts";

/** Answers from this size on are compressed for clients that ask (contract: above 500 bytes). */
const COMPRESSED_BODY_BYTES_MIN = 1024;
const compress = promisify(gzip);

/** Level 1: numbers in JSON gain little from higher ones, which cost several times the time. */
export const GZIP_LEVEL = 1;

/** What a compressed answer says of itself. */
export const GZIP_HEADERS = { "content-encoding": "gzip", vary: "accept-encoding" };

/**
 * Returns the answer compressed if `acceptEncoding` asks for gzip and the body is worth it; those
 * in pieces are for `streamAnswer`.
 */
export async function compressAnswer(
  answer: HttpAnswer,
  acceptEncoding: string | undefined,
): Promise<HttpAnswer> {
  if (
    answer.more !== undefined ||
    // It was compressed when it was made.
    answer.headers["content-encoding"] !== undefined ||
    answer.body.byteLength < COMPRESSED_BODY_BYTES_MIN ||
    !asksForGzip(acceptEncoding)
  ) {
    return answer;
  }
  const body = await compress(answer.body, { level: GZIP_LEVEL });
  return { ...answer, headers: { ...answer.headers, ...GZIP_HEADERS }, body };
}

const GZIP_NAMES = ["gzip", "x-gzip"];

/**
 * Tells whether an `Accept-Encoding` header names gzip with a weight above 0 and not below that of
 * `identity`. A `*` is no wish for compression.
 */
export function asksForGzip(acceptEncoding = ""): boolean {
  const negotiator = new Negotiator({
    headers: { "accept-encoding": acceptEncoding.toLowerCase() },
  });
  const wanted = negotiator
    .encodings(undefined, { preferred: GZIP_NAMES })
    .find((name) => name === "identity" || GZIP_NAMES.includes(name));
  return wanted !== undefined && wanted !== "identity";
}
