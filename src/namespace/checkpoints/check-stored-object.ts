/** Checks the bytes of one object of a namespace, whatever kind it is. */

import { OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import { FORMAT_VERSIONS } from "../../base/format-versions.ts";
import { decodeFrame, type FrameKind } from "../../codec/frame.ts";
import { checkStoredSegment } from "../../segment/segment-objects.ts";
import {
  decodeEnvelopeHead,
  ENVELOPE_HEAD_BYTES,
  isEnvelope,
} from "../../storage/encryption/encryption-envelope.ts";
import { isSegmentObject, isTombstoneObject } from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";

/**
 * Checks all that can be checked without a customer's key: frame and checksums, or the head of what
 * is encrypted. `store` decrypts nothing. Throws `corrupt`, `too_new` or `too_old`.
 */
export async function checkStoredObject(store: ObjectStore, key: ObjectKey): Promise<void> {
  const head = await store.getRange(key, 0, ENVELOPE_HEAD_BYTES);
  if (head === undefined) throw missing(key);
  if (isEnvelope(head)) {
    decodeEnvelopeHead(head, key);
    return;
  }
  const kind = kindOf(key);
  if (kind === "segment") {
    await checkStoredSegment(store, key);
    return;
  }
  const object = await store.getRange(key, 0, OBJECT_BYTES_MAX);
  if (object === undefined) throw missing(key);
  await decodeFrame(object, { kind, object: key, ...FORMAT_VERSIONS[kind] });
}

function kindOf(key: ObjectKey): Exclude<FrameKind, "backup"> {
  if (isTombstoneObject(key)) return "tombstones";
  if (isSegmentObject(key)) return "segment";
  return key.includes("/manifest/") ? "manifest" : "WAL entry";
}

function missing(key: ObjectKey): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${key}: it is missing`);
}
