/**
 * Replaying one entry of the log: what recovery does with each entry after a manifest, and what a
 * server does with its own entries and with those that others write. All that may fail or has to
 * wait comes first and takes nothing where it fails; then the whole entry is applied at once.
 */

import type { SequenceNumber } from "../../base/ids.ts";
import type { Slices } from "../../base/slices.ts";
import type { Steps } from "../../base/steps.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import type { ReadWalEntry } from "../../log/wal-reader.ts";
import { decodeBatches, type WriteBatch } from "../../log/wal-records.ts";
import { attemptAllInSteps } from "../../segment/format/bytes-missing.ts";
import type { PreparedSegments } from "../../segment/memtable/memtable.ts";
import type { StoredDeletions, StoredSegment } from "../../segment/memtable/stored-segments.ts";
import { type NamespaceGeneration, walKey } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { type IndexToBuild, indexesToBuild } from "../../write/schema/merge-schema.ts";
import { activeSchema } from "../active-text-options.ts";
import type { NamespaceDocuments } from "../namespace-documents.ts";
import { factsAfter, type NamespaceFacts } from "../namespace-facts.ts";
import type { PublishedDelta } from "../published-state.ts";
import { openImports } from "./open-stored-segment.ts";

/** An entry, decoded. */
export interface LogEntry {
  readonly sequence: SequenceNumber;
  /** By its writer's clock. */
  readonly timeMs: number;
  /** Size of its object. */
  readonly bytes: number;
  readonly batches: readonly WriteBatch[];
}

/** A batch with everything that applying it takes. */
export interface PreparedBatch {
  readonly batch: WriteBatch;
  /** The segments that it imports. */
  readonly imported: readonly StoredSegment[];
  /** The documents of stored segments that it replaces or deletes. */
  readonly deletions: StoredDeletions;
  /** Its own documents, in memory already; taken over when it is applied, or else given back. */
  readonly prepared: PreparedSegments | undefined;
}

/** An entry that can be applied without fail. */
export interface PreparedEntry {
  readonly sequence: SequenceNumber;
  readonly timeMs: number;
  readonly batches: readonly PreparedBatch[];
}

/** The namespace before an entry, and where its segments are read from. */
export interface ReplayBase {
  readonly generation: NamespaceGeneration;
  readonly facts: NamespaceFacts;
  readonly documents: NamespaceDocuments;
  readonly store: ObjectStore;
  readonly reads: SegmentReads;
  /** The documents stay as they are, whatever else is done in between. */
  readonly slices: Slices;
}

/** Decodes an entry's records. Throws `corrupt` or `too_new`, naming its object. */
export function decodeLogEntry(
  { entry, bytes }: ReadWalEntry,
  generation: NamespaceGeneration,
): LogEntry {
  const { sequence, timeMs, records } = entry;
  return { sequence, timeMs, bytes, batches: decodeBatches(records, walKey(generation, sequence)) };
}

/**
 * Opens what the entry imports, looks up what it deletes in stored segments, and builds the
 * segments of its documents. Throws what loading fails with, and `out_of_memory` where there is no
 * memory. An import is alone in its entry, so that nothing else looks for ids in its segments.
 */
export async function prepareEntry(entry: LogEntry, base: ReplayBase): Promise<PreparedEntry> {
  const { generation, reads, slices } = base;
  const { sequence, timeMs, batches } = entry;
  const imports = await Promise.all(batches.map((batch) => openImports(batch, generation, base)));
  const deletions = await reads.runInSteps(
    () => deletionsOf(batches, base),
    (steps) => slices.run(steps),
  );
  const built = await slices.run(buildSegments(entry, base));
  return {
    sequence,
    timeMs,
    batches: batches.map((batch, i) => {
      return { batch, imported: imports[i], deletions: deletions[i], prepared: built[i] };
    }),
  };
}

function deletionsOf(
  batches: readonly WriteBatch[],
  { documents }: ReplayBase,
): Steps<StoredDeletions[]> {
  return attemptAllInSteps(batches, (batch) => documents.deletionsOf(batch));
}

/** The segments of each batch's documents; all of them or, if it ends early, none. */
function* buildSegments(
  { batches, timeMs }: LogEntry,
  base: ReplayBase,
): Steps<(PreparedSegments | undefined)[]> {
  const { documents } = base;
  const hasStored = documents.stored.length > 0;
  const built: (PreparedSegments | undefined)[] = [];
  let { facts } = base;
  let areAll = false;
  try {
    for (const batch of batches) {
      facts = factsAfter(facts, batch, { timeMs, hasStored });
      built.push(yield* documents.prepare(batch, activeSchema(facts)));
    }
    areAll = true;
    return built;
  } finally {
    if (!areAll) for (const segments of built) documents.discard(segments);
  }
}

/** The facts after an entry. Pure. */
export function factsAfterEntry(
  facts: NamespaceFacts,
  { sequence, timeMs, batches }: PreparedEntry,
  hasStored: boolean,
): NamespaceFacts {
  let after = facts;
  for (const { batch } of batches) after = factsAfter(after, batch, { timeMs, hasStored });
  return { ...after, sequence };
}

/** Result of applying an entry. */
export interface AppliedEntry {
  readonly facts: NamespaceFacts;
  /** Published together. */
  readonly deltas: PublishedDelta[];
  /**
   * Indexes that documents lack now. Each batch is compared with the one before it: a batch may
   * write texts that a later one of the same entry has indexed.
   */
  readonly builds: readonly IndexToBuild[];
}

/** Applies the next entry. */
export function applyEntry(
  { sequence, timeMs, batches }: PreparedEntry,
  base: Pick<ReplayBase, "facts" | "documents">,
): AppliedEntry {
  const { documents } = base;
  const hasStored = documents.stored.length > 0;
  const deltas: PublishedDelta[] = [];
  const builds: IndexToBuild[] = [];
  let { facts } = base;
  for (const { batch, imported, deletions, prepared } of batches) {
    const { schema } = facts;
    facts = factsAfter(facts, batch, { timeMs, hasStored });
    builds.push(...indexesToBuild(schema, facts.schema));
    if (facts.deleted) {
      documents.discard(prepared);
      continue;
    }
    if (imported.length > 0) deltas.push(documents.addStored(imported, sequence));
    const application = {
      schema: activeSchema(facts),
      sequence,
      deletions,
      ...(prepared && { prepared }),
    };
    deltas.push(documents.apply(batch, application) ?? documents.unchanged());
  }
  return { facts: { ...facts, sequence }, deltas, builds };
}

/** Gives back the memory of an entry that is not applied. */
export function discardEntry({ batches }: PreparedEntry, documents: NamespaceDocuments): void {
  for (const { prepared } of batches) documents.discard(prepared);
}
