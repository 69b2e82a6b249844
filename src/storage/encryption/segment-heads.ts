import { LRUCache } from "lru-cache";
import { MIB } from "../../base/byte-sizes.ts";
import { isSegmentObject } from "../object-keys.ts";
import type { ObjectKey } from "../object-store.ts";
import { ENVELOPE_HEAD_BYTES, isEnvelope } from "./encryption-envelope.ts";

/** Bytes of all heads and keys: at least 3,276 encrypted segments, or 16,384 plain ones. */
const HEADS_BYTES_MAX = 4 * MIB;
/** Bytes that a key and its entry in the cache count for. */
const ENTRY_BYTES = 256;
const PLAIN = new Uint8Array(0);

/**
 * The heads of the segments that a thread has read in part, so that further ranges cost one request
 * each. Segments are never put again with other bytes, so a head stays valid.
 */
export class SegmentHeads {
  // Without `max`, which would make the cache allocate all its entries at once.
  readonly #heads = new LRUCache<ObjectKey, Uint8Array>({
    maxSize: HEADS_BYTES_MAX,
    sizeCalculation: (head) => ENTRY_BYTES + head.length,
  });

  /** The head of an encrypted segment, no bytes for a plain one, undefined if it is not known. */
  get(key: ObjectKey): Uint8Array | undefined {
    return this.#heads.get(key);
  }

  /** Keeps the first bytes of a segment, at most ENVELOPE_HEAD_BYTES; ignores other objects. */
  set(key: ObjectKey, firstBytes: Uint8Array): void {
    if (!isSegmentObject(key)) return;
    const head = isEnvelope(firstBytes) ? firstBytes.slice(0, ENVELOPE_HEAD_BYTES) : PLAIN;
    this.#heads.set(key, head);
  }
}
