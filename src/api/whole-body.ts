import { DatabaseError } from "../base/errors.ts";
import { QUERY_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import type { BodySource } from "./write-call.ts";

/** Reads a body that is not parsed while it arrives, up to `QUERY_BODY_BYTES_MAX`. */
export async function wholeBody(body: BodySource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk === undefined) return Buffer.concat(chunks);
    bytes += chunk.length;
    if (bytes > QUERY_BODY_BYTES_MAX) {
      const limit = `the limit of ${QUERY_BODY_BYTES_MAX} bytes`;
      throw new DatabaseError("too_large", `💔 request body is over ${limit}`);
    }
    chunks.push(chunk.slice());
  }
}
