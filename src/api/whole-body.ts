import { DatabaseError } from "../base/errors.ts";
import { joinInSteps } from "../base/pieces.ts";
import type { Slices } from "../base/slices.ts";
import { QUERY_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import type { BodySource } from "./write-call.ts";

/**
 * Reads a body that is not parsed while it arrives, up to `QUERY_BODY_BYTES_MAX`. Its chunks are
 * joined in slices: 60 MB in one go take up to 90 ms.
 */
export async function wholeBody(
  body: BodySource,
  slices: Pick<Slices, "run">,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk === undefined) return slices.run(joinInSteps(chunks));
    bytes += chunk.length;
    if (bytes > QUERY_BODY_BYTES_MAX) {
      const limit = `the limit of ${QUERY_BODY_BYTES_MAX} bytes`;
      throw new DatabaseError("too_large", `💔 request body is over ${limit}`);
    }
    chunks.push(chunk.slice());
  }
}
