/** How manifests, and the log entries of copies, name a stored segment. Plain immutable data. */

import type { NamespaceName, SegmentId } from "../base/ids.ts";

/** A segment, and what a reader has to know before it reads anything of it. */
export interface SegmentEntry {
  readonly id: SegmentId;
  /** Documents in the segment, deleted ones included. */
  readonly documentCount: number;
  /** Size of the segment's object. */
  readonly bytes: number;
  /** Name of the object with its tombstones; absent if nothing was deleted. */
  readonly tombstoneObject?: string;
  /** Documents that the tombstones delete. */
  readonly deletedCount: number;
  /**
   * Start of the segment's content, in base64: it says where its sections are, so that a reader
   * needs no request to learn it.
   */
  readonly head: string;
  /** Index fingerprint of the schema that it was made by (`segment/index-fingerprint.ts`). */
  readonly indexFingerprint: string;
  /** The owner of the object, where several namespaces share it; absent: this namespace's own. */
  readonly owner?: SegmentOwner;
}

/** The namespace under whose prefix a segment's object lies. */
export interface SegmentOwner {
  readonly name: NamespaceName;
  readonly generation: number;
}
