/** Opens one generation of a namespace in the write thread, by recovering it from the store. */

import { KIB } from "../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { Slices } from "../base/slices.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import type { ClockReading } from "../namespace/clock-reading.ts";
import { isAnnounced } from "../namespace/generations/namespace-generations.ts";
import { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import type { NamespaceInstance } from "../namespace/published-state.ts";
import { readsAhead } from "../namespace/recovery/namespace-listing.ts";
import type { OpeningOptions } from "../namespace/recovery/opening-options.ts";
import {
  type Recovered,
  type RecoverySource,
  recover,
} from "../namespace/recovery/recover-namespace.ts";
import { staleIndexes } from "../namespace/segments/stale-indexes.ts";
import { MEMTABLE_INDEXES, memtableIndexes } from "../segment/memtable/memtable-indexes.ts";
import { ListedObjectStore, type PrefixListing } from "../storage/listed-object-store.ts";
import { manifestPrefix, type NamespaceGeneration, segmentPrefix } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { NamespaceOptions, OpenedNamespace } from "./opened/namespace-options.ts";

/** Bytes of each such object that are asked for; a larger one is read again where it is needed. */
export const OPENING_AHEAD_BYTES_MAX = 256 * KIB;

/** What is opened. */
export interface Opening {
  readonly generation: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  /** Before anything was read of it, the listing included. */
  readonly begunAt: ClockReading;
  /** All keys of the namespace a moment ago: with them, opening takes one round of reads. */
  readonly listing?: PrefixListing | undefined;
}

/** What opening a namespace takes. */
export type OpenOptions = OpeningOptions & Pick<NamespaceOptions, "memory">;

/** Reads one generation from the store. */
export async function openNamespace(
  options: OpenOptions,
  opening: Opening,
): Promise<OpenedNamespace> {
  const { generation, instance } = opening;
  const { clock, random, memory } = options;
  const prefix = Buffer.from(random.bytes(8)).toString("hex");
  let made = 0;
  const newSegmentId = () => `${prefix}-${++made}` as SegmentId;
  const documents = new NamespaceDocuments({
    memory,
    newSegmentId,
    indexes: MEMTABLE_INDEXES,
    mergedIndexes: memtableIndexes,
  });
  const store = options.storeFor(undefined);
  const manifests = new ManifestStore({ store, clock, random, generation });
  try {
    const recovered =
      (await recoverListed(options, { ...opening, documents }, manifests)) ??
      (await recoverChecked(options, { generation, documents, store, manifests }));
    if (recovered.facts.deleted) documents.clear();
    // A build that a stop interrupted is finished before the first query. No reader exists yet, so
    // what a step replaces makes room for the next.
    const schema = activeSchema(recovered.facts);
    const slices = new Slices(options);
    while ((await slices.run(documents.rebuildStep(schema))) !== undefined) {
      documents.releaseAll();
      await options.yield();
    }
    documents.releaseAll();
    const stale = await options.reads.run(() => staleIndexes(documents.stored, schema));
    const knownAt = opening.begunAt;
    return { generation, instance, documents, manifests, stale, knownAt, ...recovered };
  } catch (error) {
    documents.clear();
    documents.releaseAll();
    throw error;
  }
}

/** Recovers through the listing; undefined if there is none, or it does not hold any more. */
async function recoverListed(
  options: OpenOptions,
  opening: Opening & { readonly documents: NamespaceDocuments },
  manifests: ManifestStore,
): Promise<Recovered | undefined> {
  const { generation, listing, documents } = opening;
  if (listing === undefined) return undefined;
  const { clock, random } = options;
  const store = new ListedObjectStore(options.storeFor(undefined), listing);
  store.readAhead(readsAhead(listing.keys, generation), OPENING_AHEAD_BYTES_MAX);
  const listed = new ManifestStore({ store, clock, random, generation });
  try {
    const recovered = await recoverChecked(options, {
      generation,
      documents,
      store,
      manifests: listed,
    });
    manifests.followFrom(listed);
    return recovered;
  } catch (error) {
    // Something was collected, or put, since the listing; or else the next try finds the same.
    if (isDatabaseError(error, "corrupt", "unavailable")) return undefined;
    throw error;
  }
}

async function recoverChecked(options: OpenOptions, of: RecoverySource): Promise<Recovered> {
  const recovered = await recover(options, of);
  if (recovered.facts.settings === undefined) await checkNothingIsLost(of.store, of.generation);
  return recovered;
}

/**
 * Segments without a manifest and without a log were put by a copy that was not committed, and is
 * announced as such; or else the manifest is lost.
 */
async function checkNothingIsLost(
  store: ObjectStore,
  generation: NamespaceGeneration,
): Promise<void> {
  const { keys } = await store.list({ prefix: segmentPrefix(generation), limit: 1 });
  if (keys.length === 0 || (await isAnnounced(store, generation))) return;
  const reason = `there is none, but ${keys[0]} exists`;
  throw new DatabaseError(
    "corrupt",
    `cannot read a manifest in ${manifestPrefix(generation)}: ${reason}`,
  );
}
