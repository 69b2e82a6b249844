import { isDatabaseError } from "../../../src/base/errors.ts";
import { BlockSource } from "../../../src/segment/format/byte-source.ts";
import { OpenSegment } from "../../../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../../src/segment/segment-seal.ts";

/**
 * What a store's reader says of a segment whose bytes were changed before its checksums were made:
 * whether it is refused as `corrupt`; any other error is returned.
 */
export function verdictAfter(
  view: OpenSegment,
  change: (block: Uint8Array<ArrayBuffer>) => void,
): unknown {
  const block = Uint8Array.from(view.block);
  change(block);
  const source = new BlockSource({ arena: 0, offset: 0, bytes: block });
  try {
    verifySegment(sealSegment(new OpenSegment(view.id, block, source)));
    return "taken";
  } catch (error) {
    return isDatabaseError(error, "corrupt") ? "refused" : error;
  }
}
