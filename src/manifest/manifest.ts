/**
 * The versioned root of a namespace: what its log amounts to up to `indexedUpTo`. Everything after
 * that is read from the WAL. Pure data and pure edits; the next version wins or loses in
 * manifest-store.ts.
 */

import { assert } from "../base/assert.ts";
import type { SegmentId, SequenceNumber } from "../base/ids.ts";
import type { SegmentEntry } from "../model/segment-entry.ts";
import type { ManifestState } from "./manifest-state.ts";

/** One version of the root; never changed, only followed by the next. */
export interface Manifest {
  /** The first is 1, each next is one more. */
  readonly version: number;
  /** Generation of the namespace. */
  readonly generation: number;
  /** Entries up to this one are in `state` and `segments`; the log is needed from the next on. */
  readonly indexedUpTo: SequenceNumber;
  /** When the namespace was created, in milliseconds since the Unix epoch; fixed. */
  readonly createdAtMs: number;
  /** When this version was made. */
  readonly updatedAtMs: number;
  /** Time of the last entry up to `indexedUpTo` that wrote documents. */
  readonly lastWriteAtMs: number;
  /** Schema and settings after `indexedUpTo`. */
  readonly state: ManifestState;
  /** Segments from old to new, with distinct ids. */
  readonly segments: readonly SegmentEntry[];
}

/** What an edit changes; the rest stays. */
export interface ManifestEdit {
  readonly updatedAtMs: number;
  readonly indexedUpTo?: SequenceNumber;
  readonly lastWriteAtMs?: number;
  readonly state?: ManifestState;
  readonly segments?: readonly SegmentEntry[];
}

/** The first version of a new generation: nothing is indexed. */
export function firstManifest(
  generationNumber: number,
  createdAtMs: number,
  state: ManifestState,
): Manifest {
  return {
    version: 1,
    generation: generationNumber,
    indexedUpTo: 0 as SequenceNumber,
    createdAtMs,
    updatedAtMs: createdAtMs,
    lastWriteAtMs: createdAtMs,
    state,
    segments: [],
  };
}

/** The version after `manifest`, with `edit` applied. */
export function editManifest(manifest: Manifest, edit: ManifestEdit): Manifest {
  const next = { ...manifest, ...edit, version: manifest.version + 1 };
  const fault = manifestFault(next) ?? successionFault(manifest, next);
  assert(fault === undefined, `manifest ${next.version}: ${fault}`);
  return next;
}

/** The list with `added` in the place of `removed`, at the position of the first removed one. */
export function replaceSegments(
  segments: readonly SegmentEntry[],
  removed: ReadonlySet<SegmentId>,
  added: readonly SegmentEntry[],
): readonly SegmentEntry[] {
  const found = segments.filter(({ id }) => removed.has(id)).length;
  assert(found === removed.size, `${removed.size} segments to remove, ${found} found`);
  const first = segments.findIndex(({ id }) => removed.has(id));
  const at = first < 0 ? segments.length : first;
  const kept = (list: readonly SegmentEntry[]) => list.filter(({ id }) => !removed.has(id));
  return [...kept(segments.slice(0, at)), ...added, ...kept(segments.slice(at))];
}

/** Says which rule about one manifest is broken, or returns undefined. */
export function manifestFault(manifest: Manifest): string | undefined {
  const { version, generation: generationNumber, indexedUpTo, segments } = manifest;
  if (!isCount(version) || version < 1) return `version ${version} is not from 1 on`;
  if (!isCount(generationNumber) || generationNumber < 1)
    return `generation ${generationNumber} is not from 1 on`;
  if (!isCount(indexedUpTo)) return `indexedUpTo ${indexedUpTo} is no sequence number`;
  for (const name of ["createdAtMs", "updatedAtMs", "lastWriteAtMs"] as const) {
    if (!isCount(manifest[name])) return `${name} ${manifest[name]} is no time`;
  }
  if (new Set(segments.map(({ id }) => id)).size !== segments.length) {
    return "two segments have one id";
  }
  for (const segment of segments) {
    const fault = segmentFault(segment);
    if (fault !== undefined) return `segment ${segment.id}: ${fault}`;
  }
  return undefined;
}

/** Says which rule about a manifest and the one before it is broken, or returns undefined. */
function successionFault(before: Manifest, after: Manifest): string | undefined {
  if (after.version !== before.version + 1) return `version ${after.version} skips`;
  if (after.generation !== before.generation) return "the generation changes";
  if (after.createdAtMs !== before.createdAtMs) return "createdAtMs changes";
  if (after.indexedUpTo < before.indexedUpTo) return "indexedUpTo goes back";
  return undefined;
}

function segmentFault(segment: SegmentEntry): string | undefined {
  const { documentCount, bytes, deletedCount, tombstoneObject } = segment;
  if (!isCount(documentCount) || !isCount(bytes) || !isCount(deletedCount)) return "bad count";
  if (deletedCount > documentCount) return `${deletedCount} of ${documentCount} are deleted`;
  if (deletedCount > 0 && tombstoneObject === undefined) return "deletions without tombstones";
  return undefined;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
