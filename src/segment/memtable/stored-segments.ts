/**
 * The stored segments of a namespace and which of their documents are live, as its one writer
 * keeps them beside the memtable. Lookups read id filters and tables by range and may throw
 * `BytesMissing`; they change nothing then. The change is computed before the commit that makes it
 * it, so that applying it needs no bytes of the store.
 */

import type { Ordinal, SegmentId } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import type { DocumentId } from "../../model/value.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { Tombstones } from "../deletions/tombstones.ts";
import { attemptAll, attemptAllInSteps } from "../format/bytes-missing.ts";
import type { OpenSegment } from "../segment-reader.ts";
import { type HashedIds, hashIds, hashKeys, type IdKeys } from "../view/id-keys.ts";
import { LiveSegment } from "./live-segment.ts";
import type { AddedSegment } from "./memtable-delta.ts";

/** A segment in the store and the documents of it that are live. */
export interface StoredSegment {
  readonly object: ObjectKey;
  /** The start of its content, which says where everything is. */
  readonly head: Uint8Array;
  /** Size of the object. */
  readonly objectBytes: number;
  /** The stored tombstones, if there are any, and how many documents they delete. */
  readonly tombstones: { readonly object: string; readonly deletedCount: number } | undefined;
  /** Index fingerprint of the schema that the segment was made by (`index-fingerprint.ts`). */
  readonly indexFingerprint: string;
  readonly segment: LiveSegment;
}

/** Ids that one step looks for in a segment. */
const STEP_IDS = 2048;

/** Documents of stored segments that die. */
export type StoredDeletions = ReadonlyMap<LiveSegment, readonly number[]>;

/**
 * Makes a stored segment whose live documents are those of `tombstones`, which it takes over, or
 * all.
 */
export function storedSegment(
  view: OpenSegment,
  at: Omit<StoredSegment, "segment">,
  tombstones?: Tombstones,
): StoredSegment {
  return { ...at, segment: new LiveSegment(view, tombstones) };
}

/** How readers learn of a stored segment. */
export function describeStored({ object, head, segment }: StoredSegment): AddedSegment {
  const { view, liveBitmap, liveCount, counted } = segment;
  const { id, documentCount } = view;
  const added: AddedSegment = { id, at: { kind: "stored", object, head }, documentCount };
  if (liveCount === documentCount) return added;
  return { ...added, tombstones: { liveBitmap: liveBitmap.slice(), counted } };
}

/** A list of stored segments; no id is live in two of them. */
export class StoredSegments {
  #stored: readonly StoredSegment[] = [];
  #documentCount = 0;
  #logicalBytes = 0;

  /** Unordered. */
  get stored(): readonly StoredSegment[] {
    return this.#stored;
  }

  /** Live documents. */
  get documentCount(): number {
    return this.#documentCount;
  }

  /**
   * Logical bytes of the live documents. Where a segment has deleted ones, which are not read for
   * this, its documents count as equally large.
   */
  get logicalBytes(): number {
    return Math.round(this.#logicalBytes);
  }

  /** Where the live document with an id is. Throws `BytesMissing`. */
  locate(id: DocumentId): { segment: LiveSegment; ordinal: Ordinal } | undefined {
    const idType = this.#stored.at(0)?.segment.view.idType;
    if (idType === undefined || (typeof id === "bigint") !== (idType === "uint")) return undefined;
    const hashed = hashIds(idType, [id]);
    const found = attemptAll(
      this.#stored.map(({ segment }) => () => {
        const ordinal = segment.view.ordinalAt(hashed, 0);
        return ordinal !== undefined && segment.isLive(ordinal) ? { segment, ordinal } : undefined;
      }),
    );
    return found.find((place) => place !== undefined);
  }

  /** The live documents with some ids, by segment. Throws `BytesMissing`. */
  find(ids: IdKeys): Steps<StoredDeletions> {
    return findIn(
      this.#stored.map(({ segment }) => segment),
      [{ keys: ids, indexes: undefined }],
    );
  }

  /** Deletes documents; returns those that were live until now. */
  delete(deletions: StoredDeletions): Map<LiveSegment, number[]> {
    const deleted = new Map<LiveSegment, number[]>();
    for (const [segment, ordinals] of deletions) {
      const news = ordinals.filter((ordinal) => segment.delete(ordinal as Ordinal));
      if (news.length === 0) continue;
      deleted.set(segment, news);
      this.#documentCount -= news.length;
      this.#logicalBytes -= news.length * bytesPerDocument(segment.view);
    }
    return deleted;
  }

  /** Exchanges the whole list; what both lists have keeps its live documents. */
  replace(next: readonly StoredSegment[]): void {
    this.#stored = next;
    this.#documentCount = 0;
    this.#logicalBytes = 0;
    for (const { segment } of next) {
      this.#documentCount += segment.liveCount;
      this.#logicalBytes += segment.liveCount * bytesPerDocument(segment.view);
    }
  }

  /** The segment with an id. */
  get(id: SegmentId): StoredSegment | undefined {
    return this.#stored.find(({ segment }) => segment.view.id === id);
  }
}

/** Ids, all of them or those at some indexes. */
export interface SoughtIds {
  readonly keys: IdKeys;
  readonly indexes: Uint32Array | undefined;
}

/**
 * The live documents of some segments with some ids. Throws `BytesMissing` with what all of the
 * segments want. Cost: one hash for each id, one look at a filter for each id and segment.
 */
export function* findIn(
  segments: readonly LiveSegment[],
  sought: readonly SoughtIds[],
): Steps<StoredDeletions> {
  if (segments.length === 0) return new Map();
  const hashed: HashedSought[] = [];
  for (const { keys, indexes } of sought) {
    // Lookups in segments need the keys and hashes only.
    hashed.push({ ids: { ids: [], keys, hashes: yield* hashKeys(keys) }, indexes });
  }
  const ordinals = yield* attemptAllInSteps(segments, (segment) => collect(segment, hashed));
  return new Map(
    segments.flatMap((segment, i) => (ordinals[i].length > 0 ? [[segment, ordinals[i]]] : [])),
  );
}

/** Sought ids, ready for many segments. */
interface HashedSought {
  readonly ids: HashedIds;
  readonly indexes: Uint32Array | undefined;
}

function* collect(segment: LiveSegment, sought: readonly HashedSought[]): Steps<number[]> {
  const found: number[] = [];
  for (const { ids, indexes } of sought) yield* collectInto(found, segment, ids, indexes);
  return found;
}

function* collectInto(
  into: number[],
  segment: LiveSegment,
  ids: HashedIds,
  indexes: Uint32Array | undefined,
): Steps<void> {
  const { view } = segment;
  const count = indexes?.length ?? ids.keys.count;
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % STEP_IDS === 0) yield;
    const ordinal = view.ordinalAt(ids, indexes === undefined ? i : indexes[i]);
    if (ordinal !== undefined && segment.isLive(ordinal)) into.push(ordinal);
  }
}

function bytesPerDocument({ logicalBytes, documentCount }: OpenSegment): number {
  return documentCount === 0 ? 0 : logicalBytes / documentCount;
}
