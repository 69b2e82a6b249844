/**
 * The payload of a tombstones object. Version 1 is the live bitmap (`codec/bitmap.ts`). Version 2
 * is packed (`columns-packing.ts`): the live bitmap; a bitmap of the documents that were deleted
 * after the terms of deleted ones were counted; count of columns, then for each its name (text) and
 * its counts (`counted-deletions.ts`). Version 2 is written only where there are counts.
 */

import { decodeBitmap, encodeBitmap } from "../../codec/bitmap.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import { type CountedDeletions, decodeTermCounts } from "./counted-deletions.ts";

/** Which documents of a segment are live, and what is known of the others. */
export interface Tombstones {
  readonly liveBitmap: Uint32Array;
  /** None of what is live here was deleted when they were counted. */
  readonly counted?: CountedDeletions | undefined;
}

/** Encodes tombstones, and tells in which version. */
export function encodeTombstones({ liveBitmap, counted }: Tombstones): {
  readonly version: number;
  readonly payload: Uint8Array;
} {
  if (counted === undefined) return { version: 1, payload: encodeBitmap(liveBitmap) };
  const packer = new ArrayPacker();
  packer.array(encodeBitmap(liveBitmap));
  packer.array(encodeBitmap(counted.liveBitmap.map((word, w) => word & ~liveBitmap[w])));
  packer.word(counted.terms.size);
  for (const [column, counts] of counted.terms) {
    packer.text(column);
    packer.array(counts);
  }
  const payload = new Uint8Array(packer.bytes);
  let at = 0;
  for (const piece of packer.pieces()) {
    payload.set(piece, at);
    at += piece.length;
  }
  return { version: 2, payload };
}

/** Decodes the tombstones of a segment with `documentCount` documents. Throws `corrupt`. */
export function decodeTombstones(
  payload: Uint8Array,
  { version, documentCount }: { readonly version: number; readonly documentCount: number },
): Tombstones {
  if (version === 1) return { liveBitmap: decodeBitmap(payload, documentCount) };
  const unpacker = new ArrayUnpacker(payload.slice(), "tombstones");
  const liveBitmap = decodeBitmap(unpacker.u8(), documentCount);
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
