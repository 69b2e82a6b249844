/**
 * Names of stored segments and of their tombstones. A name begins with the manifest version that
 * its builder builds on, and only the next version may bring it in. So what no manifest of a later
 * version names never will be named, and can be removed without asking any clock:
 *
 *     <base version, 20 digits>-<16 hex digits>                              a segment
 *     <name of the segment>.live-<base version>-<16 hex digits>              its live documents
 *
 * All names are drawn at random besides: two builders on one version must not write one object.
 */

import { assert } from "../../base/assert.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";

const VERSION_DIGITS = 20;
const NAME = /^(\d{20})-[0-9a-f]{16}(?:\.live-(\d+)-[0-9a-f]{16})?$/;

/** Makes the name of a segment that is built on a manifest version; 0 if there is none yet. */
export function newSegmentId(baseVersion: number, random: Random): SegmentId {
  assert(Number.isSafeInteger(baseVersion) && baseVersion >= 0, `base version ${baseVersion}`);
  const digits = String(baseVersion).padStart(VERSION_DIGITS, "0");
  return `${digits}-${drawn(random)}` as SegmentId;
}

/** Makes the name of a segment's tombstones, likewise. */
export function tombstoneName(segment: SegmentId, baseVersion: number, random: Random): SegmentId {
  return `${segment}.live-${baseVersion}-${drawn(random)}` as SegmentId;
}

/** The manifest version that a segment or its tombstones build on; undefined for other names. */
export function baseVersionOf(name: string): number | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const version = Number(match[2] ?? match[1]);
  return Number.isSafeInteger(version) ? version : undefined;
}

function drawn(random: Random): string {
  return Buffer.from(random.bytes(8)).toString("hex");
}
