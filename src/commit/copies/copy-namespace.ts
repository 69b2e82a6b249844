/**
 * Copies and branches: one WAL entry of the destination names the source's stored segments, which
 * both share from then on (segment-pins.ts). Only what the source's log adds to them, and which
 * documents are live, is put under the destination's prefix before. Until that entry is there the
 * destination does not exist. No bytes of documents leave the store and this process.
 */

import { clip } from "../../base/bounded-text.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  type SegmentId,
} from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import type { WriteBatch } from "../../log/wal-records.ts";
import type { NamespacePatterns } from "../../model/namespace-pattern.ts";
import type { NamespaceSettings } from "../../model/namespace-settings.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { keyOf } from "../../namespace/namespace-facts.ts";
import { storeSegments } from "../../namespace/segments/store-segments.ts";
import { newSegmentId, tombstoneName } from "../../segment/format/segment-id.ts";
import { copyStoredSegment, putTombstones } from "../../segment/segment-objects.ts";
import { type NamespaceGeneration, ownerOf, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { billedCopyBytes } from "../../write/resolve/write-billing.ts";
import { branchSettings, copySettings } from "../../write/schema/namespace-settings.ts";
import type { CommitJob } from "../commit-job.ts";
import type { CopyTargetOutcome } from "../generations/deletion-intents.ts";
import type { Namespace } from "../namespace.ts";
import type { NamespaceCatalog } from "../namespace-catalog.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import type { RetainedDocuments, RetainedStoredSegment } from "../retained-documents.ts";
import { destinationExists, endUnlessExistsJob, importJob } from "../write-jobs.ts";
import { chooseShared, pinShared, type Sharing } from "./share-segments.ts";

/**
 * Tries to copy a namespace while its segments are replaced by compactions; one takes as long as
 * seconds of indexing, a try some requests.
 */
const COPY_ATTEMPTS_MAX = 8;

/**
 * Weight of what is in memory that becomes one segment of the copy: up to four times as many bytes
 * are taken from the memory for documents meanwhile. An indexer merges them later.
 */
const COPIED_SEGMENT_WEIGHT_MAX = 128 * MIB;

/** What a copy needs. */
export interface CopyOptions {
  readonly namespaceOptions: Pick<
    NamespaceOptions,
    "clock" | "random" | "memory" | "storeFor" | "yield"
  >;
  readonly catalog: NamespaceCatalog;
  /** What the client calls this server, if it calls it anything. */
  readonly region?: string | undefined;
  /** Namespaces that the client may hear of. */
  readonly visible: NamespacePatterns;
  progress(text: string): void;
}

/** What was copied. */
export interface CopyOutcome {
  readonly documentCount: number;
  readonly billedBytes: number;
}

/** Runs the copy or branch that `request` asks for. */
export async function copyNamespace(
  destination: NamespaceName,
  request: WriteRequest,
  options: CopyOptions,
): Promise<CopyOutcome> {
  for (let tried = 1; ; tried++) {
    const source = await findSource(request, options);
    const retained = source.retain(); // At once: from here on it may be deleted.
    try {
      const settings = settingsOf(request, retained, options.namespaceOptions.clock.nowMs());
      if (await fillNamespace(retained, destination, { ...options, settings })) {
        const { documentCount, logicalBytes } = retained;
        return { documentCount, billedBytes: billedCopyBytes(logicalBytes) };
      }
    } finally {
      retained.release();
    }
    if (tried === COPY_ATTEMPTS_MAX) throw movesTooFast(retained.name);
    await source.refresh();
  }
}

/** What a namespace is to be filled with beside documents. */
export interface FillOptions extends CopyOptions {
  readonly settings: NamespaceSettings;
  /**
   * Tells, once what is shared is pinned, whether the source still had it; without it, the newest
   * manifest of the source does.
   */
  readonly isKept?: () => Promise<boolean>;
}

/** False if the source's segments were replaced before it was known that they would stay. */
export async function fillNamespace(
  retained: RetainedDocuments,
  destination: NamespaceName,
  options: FillOptions,
): Promise<boolean> {
  const { catalog, namespaceOptions, settings } = options;
  await catalog.findNewest(destination);
  const target = await catalog.get(destination);
  if (target.exists && target.state().documentCount > 0) throw destinationExists(destination);
  const present = new Set(target.stored.map(({ segment }) => segment.view.id));
  // Segments under another key than the destination's cannot be the destination's.
  const isKept = keyOf({ settings }) === keyOf(retained);
  const sharing = chooseShared(retained, (id) => isKept && !present.has(id));
  const { generation } = target;
  const to = {
    generation,
    store: namespaceOptions.storeFor(settings),
    ids: [],
    pins: [],
    transientPins: [],
  };
  const head: WriteBatch = [
    { kind: "settings", settings },
    // Where these differ, the copy serves the old settings until its own index is made, too.
    { kind: "schema", schema: retained.activeSchema },
    ...(retained.activeSchema === retained.schema
      ? []
      : [{ kind: "schema" as const, schema: retained.schema }]),
  ];
  return writeCopy(retained, to, { ...options, head, sharing });
}

/** Where a copy's segments go, and which of them may be there. */
interface CopyTarget {
  readonly generation: NamespaceGeneration;
  readonly store: ObjectStore;
  readonly ids: SegmentId[];
  /** Of what it shares. */
  readonly pins: ObjectKey[];
  /** Of what it copies, until that is done. */
  readonly transientPins: ObjectKey[];
}

type CopyTargetOptions = FillOptions & { readonly head: WriteBatch; readonly sharing: Sharing };

/** Puts what is not shared and commits all with `head`, or leaves nothing. */
async function writeCopy(
  retained: RetainedDocuments,
  to: CopyTarget,
  options: CopyTargetOptions,
): Promise<boolean> {
  const { catalog, head, namespaceOptions, sharing, isKept } = options;
  const { generation } = to;
  let outcome: CopyTargetOutcome = "open";
  let mayBeCommitted = false;
  try {
    await catalog.deletionIntents.beginCopy(generation);
    const isPinned =
      (await pinShared(retained, sharing.copied, {
        ...namespaceOptions,
        isKept,
        by: generation,
        pins: to.transientPins,
      })) &&
      (await pinShared(retained, sharing.shared, {
        ...namespaceOptions,
        isKept,
        by: generation,
        pins: to.pins,
      }));
    const segments = isPinned ? await putAll(retained, to, options) : undefined;
    // Without the deletion intent, a collector may have removed what is named here.
    if (segments === undefined || (await catalog.deletionIntents.isUncovered(generation))) {
      outcome = await takeBack(to, catalog, false);
      return false;
    }
    const batch: WriteBatch = [...head, { kind: "import", source: retained.name, segments }];
    const job = whenResolved(importJob(batch, generation), () => {
      mayBeCommitted = true;
    });
    await catalog.submit(generation.name, job);
    outcome = "exists";
    // Best effort: transient pins that are left protect nothing and are collected as garbage.
    await removeAll(namespaceOptions.storeFor(undefined), to.transientPins).catch(() => {});
  } catch (error) {
    outcome = await takeBack(to, catalog, mayBeCommitted);
    throw error;
  } finally {
    await catalog.deletionIntents.endCopy(generation, outcome);
  }
  return true;
}

/**
 * Removes what a copy that failed has put, unless it was committed after all: only the store knows,
 * after an answer was lost.
 */
async function takeBack(
  { generation, store, ids, pins, transientPins }: CopyTarget,
  catalog: NamespaceCatalog,
  mayBeCommitted: boolean,
): Promise<CopyTargetOutcome> {
  try {
    // Its entry may still be under way to the store, and must not arrive when these are gone.
    const isOver =
      !mayBeCommitted || (await catalog.submit(generation.name, endUnlessExistsJob(generation)));
    if (!isOver) return "exists";
    const segments = ids.map((id) => segmentKey(generation, id));
    await removeAll(store, [...segments, ...pins, ...transientPins]);
    return "taken back";
  } catch {
    return "open"; // The error that led here is the one to tell.
  }
}

async function removeAll(store: ObjectStore, keys: readonly ObjectKey[]): Promise<void> {
  for (const key of keys) await store.delete(key);
}

function whenResolved(job: CommitJob<void>, resolved: () => void): CommitJob<void> {
  return {
    ...job,
    *bind(facts) {
      const bound = yield* job.bind(facts);
      return {
        ...bound,
        *resolve(state) {
          const outcome = yield* bound.resolve(state);
          resolved();
          return outcome;
        },
      };
    },
  };
}

/** Puts all live documents that are not shared, and names all. */
async function putAll(
  retained: RetainedDocuments,
  target: CopyTarget,
  { namespaceOptions, progress, sharing }: CopyTargetOptions,
): Promise<SegmentEntry[]> {
  const { generation, store, ids } = target;
  let total = 0;
  const count = (bytes: number) => {
    total += bytes;
    progress(`index: copied ${total} bytes`);
  };
  const put = await storeSegments(retained.fresh, {
    store,
    generation,
    schema: retained.activeSchema,
    baseVersion: 0,
    random: namespaceOptions.random,
    memory: namespaceOptions.memory,
    weightMax: COPIED_SEGMENT_WEIGHT_MAX,
    yield: namespaceOptions.yield,
    named: (id) => ids.push(id),
    progress: count,
  });
  for (const segment of sharing.shared) {
    const owner = ownerOf(segment.object);
    const { id } = segment.view;
    const entry = { id, bytes: segment.objectBytes, owner };
    put.push(await nameSegment(segment, entry, { target, random: namespaceOptions.random }));
    count(segment.objectBytes);
  }
  for (const segment of sharing.copied) {
    const id = newSegmentId(0, namespaceOptions.random);
    ids.push(id);
    const to = { store, key: segmentKey(generation, id) };
    const bytes = await copyStoredSegment({ store, key: segment.object }, to);
    put.push(
      await nameSegment(segment, { id, bytes }, { target, random: namespaceOptions.random }),
    );
    count(bytes);
  }
  return put;
}

/** Describes a segment, and puts which of its documents are live. */
async function nameSegment(
  { view, liveBitmap, liveCount, counted, head, indexFingerprint }: RetainedStoredSegment,
  entry: Pick<SegmentEntry, "id" | "bytes" | "owner">,
  to: { readonly target: CopyTarget; readonly random: Random },
): Promise<SegmentEntry> {
  const { generation, store, ids } = to.target;
  const { documentCount } = view;
  const deletedCount = documentCount - liveCount;
  const named = {
    ...entry,
    documentCount,
    deletedCount,
    head: Buffer.from(head).toString("base64"),
    indexFingerprint,
  };
  if (deletedCount === 0) return named;
  const tombstoneObject = tombstoneName(entry.id, 0, to.random);
  ids.push(tombstoneObject);
  await putTombstones(store, generation, tombstoneObject, { liveBitmap, counted });
  return { ...named, tombstoneObject };
}

function movesTooFast(name: NamespaceName): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `💔 namespace '${name}' is being indexed faster than it can be copied; retry`,
  );
}

async function findSource(
  request: WriteRequest,
  { catalog, region, visible }: Pick<CopyOptions, "catalog" | "region" | "visible">,
): Promise<Namespace> {
  const { copyFrom } = request;
  if (copyFrom === undefined) throw new Error("a copy without a source");
  const fault = namespaceNameFault(copyFrom.namespace);
  if (fault !== undefined) throw invalid(`💔 copy_from_namespace: ${fault}`);
  if (copyFrom.region !== undefined && copyFrom.region !== region) {
    throw invalid(
      `💔 copy_from_namespace.source_region: this server knows no region ` +
        `'${clip(copyFrom.region)}'; leave it out to copy within this server` +
        (region === undefined ? "" : `, or send '${clip(region)}' as in the request's path`),
    );
  }
  const name = namespaceName(copyFrom.namespace);
  for (;;) {
    const source = await catalog.findNewest(name);
    if (source === undefined) throw catalog.notFound(name, visible);
    if (!source.isRetired) return source;
  }
}

function settingsOf(
  request: WriteRequest,
  source: RetainedDocuments,
  nowMs: number,
): NamespaceSettings {
  const { settings } = source;
  if (request.copyFrom?.kind === "branch") return branchSettings(settings, source.name, nowMs);
  const { encryption, shardCount } = request;
  return copySettings(
    settings,
    { ...(encryption && { encryption }), ...(shardCount !== undefined && { shardCount }) },
    nowMs,
  );
}
