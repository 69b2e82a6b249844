/**
 * The payload of a tombstones object, packed (`columns-packing.ts`): the live bitmap
 * (`codec/bitmap.ts`); 1 if the terms of deleted documents are counted, else 0, and nothing
 * follows. After 1 come a bitmap of the documents that were deleted since they were counted; the
 * count of columns, then for each its name (text) and its counts (`counted-deletions.ts`).
 */

import { joinPieces } from "../../base/pieces.ts";
import { runSteps } from "../../base/steps.ts";
import { decodeBitmap, encodeBitmap } from "../../codec/bitmap.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import { type CountedDeletions, decodeTermCounts } from "./counted-deletions.ts";

/** Which documents of a segment are live, and what is known of the others. */
export interface Tombstones {
  readonly liveBitmap: Uint32Array;
  /** None of what is live here was deleted when they were counted. */
  readonly counted?: CountedDeletions | undefined;
}

/** Encodes tombstones. */
export function encodeTombstones({ liveBitmap, counted }: Tombstones): Uint8Array {
  const packer = new ArrayPacker();
  packer.array(encodeBitmap(liveBitmap));
  packer.word(counted === undefined ? 0 : 1);
  if (counted !== undefined) {
    packer.array(encodeBitmap(counted.liveBitmap.map((word, w) => word & ~liveBitmap[w])));
    packer.word(counted.terms.size);
    for (const [column, counts] of counted.terms) {
      packer.text(column);
      packer.array(counts);
    }
  }
  return joinPieces(runSteps(packer.pieces()));
}

/** Decodes the tombstones of a segment with `documentCount` documents. Throws `corrupt`. */
export function decodeTombstones(payload: Uint8Array, documentCount: number): Tombstones {
  const unpacker = new ArrayUnpacker(payload.slice(), "tombstones");
  const liveBitmap = decodeBitmap(unpacker.u8(), documentCount);
  if (unpacker.word() === 0) return { liveBitmap };
  const since = decodeBitmap(unpacker.u8(), documentCount);
  if (since.some((word, w) => (word & liveBitmap[w]) !== 0)) {
    throw corrupt("tombstones", "documents are live that were deleted after they were counted");
  }
  const terms = new Map<string, Uint8Array>();
  for (let columns = unpacker.word(); columns > 0; columns--) {
    const column = unpacker.text();
    // Not a view: threads send counts to each other, and would send all that is around them.
    const counts = unpacker.u8().slice();
    decodeTermCounts(counts);
    terms.set(column, counts);
  }
  const counted = { liveBitmap: since.map((word, w) => word | liveBitmap[w]), terms };
  return { liveBitmap, counted };
}
