/** Response compression: only for clients that ask for it by name, never for small answers. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { EngineAnswer } from "../api/engine.ts";
import { COMPRESSED_BODY_BYTES_MIN } from "../base/limits.ts";

const compress = promisify(gzip);

/** Level 1: numbers in JSON gain little from higher ones, which cost several times the time. */
const GZIP_LEVEL = 1;

/** Returns the answer compressed if `acceptEncoding` asks for gzip and the body is worth it. */
export async function compressAnswer(
  answer: EngineAnswer,
  acceptEncoding: string | undefined,
): Promise<EngineAnswer> {
  if (answer.body.byteLength < COMPRESSED_BODY_BYTES_MIN || !asksForGzip(acceptEncoding)) {
    return answer;
  }
  const body = await compress(answer.body, { level: GZIP_LEVEL });
  const headers = { ...answer.headers, "content-encoding": "gzip", vary: "accept-encoding" };
  return { ...answer, headers, body };
}

/**
 * Tells whether an `Accept-Encoding` header names gzip with a weight above 0 and not below that of
 * `identity`. A `*` is no wish for compression.
 */
export function asksForGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? "").split(",")) {
    const [name, ...options] = part.split(";").map((text) => text.trim().toLowerCase());
    const weight = options.find((option) => option.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const wanted = Math.max(weights.get("gzip") ?? 0, weights.get("x-gzip") ?? 0);
  return wanted > 0 && wanted >= (weights.get("identity") ?? 0);
}
