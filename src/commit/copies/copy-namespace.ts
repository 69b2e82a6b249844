/**
 * Copies and branches: one WAL entry of the destination names the source's stored segments, which
 * both share from then on (segment-pins.ts). Only what the source's log adds to them, and which
 * documents are alive, is put under the destination's prefix before. Until that entry is there the
 * destination does not exist. No bytes of documents leave the store and this process.
 */

import { DatabaseError, invalid } from "../../base/errors.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  type SegmentId,
} from "../../base/ids.ts";
import { COPY_ATTEMPTS_MAX } from "../../base/limits.ts";
import type { Random } from "../../base/random.ts";
import type { FillingOutcome } from "../../engine/generation-marks.ts";
import type { HeldDocuments, HeldStoredSegment } from "../../engine/held-documents.ts";
import type { Namespace } from "../../engine/namespace.ts";
import type { NamespaceParts } from "../../engine/namespace-parts.ts";
import { chooseShared, pinShared, type Sharing } from "../../engine/share-segments.ts";
import type { WriteBatch } from "../../log/wal-records.ts";
import type { ManifestSegment } from "../../manifest/manifest.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { namespaceNotFound } from "../../namespace/namespace-faults.ts";
import { storeSegments } from "../../namespace/segments/store-segments.ts";
import { newSegmentId, tombstoneName } from "../../segment/format/segment-id.ts";
import { copyStoredSegment, putTombstones } from "../../segment/segment-objects.ts";
import { homeOf, type NamespaceGeneration, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { billedCopyBytes } from "../../write/resolve/write-billing.ts";
import {
  branchSettings,
  copySettings,
  type NamespaceSettings,
} from "../../write/schema/namespace-settings.ts";
import { keyOf } from "../commit-group.ts";
import type { CommitJob } from "../commit-job.ts";
import type { NamespaceCatalog } from "../namespace-catalog.ts";
import { destinationExists, endUnlessExistsJob, importJob } from "../write-jobs.ts";

/** What a copy needs. */
export interface CopyContext {
  readonly parts: Pick<NamespaceParts, "clock" | "random" | "memory" | "storeFor" | "yield">;
  readonly catalog: NamespaceCatalog;
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
  context: CopyContext,
): Promise<CopyOutcome> {
  for (let tried = 1; ; tried++) {
    const source = await findSource(request, context.catalog);
    const held = source.hold(); // At once: from here on it may be deleted.
    try {
      if (await copyHeld(held, destination, { ...context, request })) {
        const { documentCount, logicalBytes } = held;
        return { documentCount, billedBytes: billedCopyBytes(logicalBytes) };
      }
    } finally {
      held.letGo();
    }
    if (tried === COPY_ATTEMPTS_MAX) throw movesTooFast(held.name);
    await source.refresh();
  }
}

/** False if the source's segments were replaced before it was known that they would stay. */
async function copyHeld(
  held: HeldDocuments,
  destination: NamespaceName,
  context: CopyContext & { readonly request: WriteRequest },
): Promise<boolean> {
  const { catalog, parts, request } = context;
  await catalog.findNewest(destination);
  const target = await catalog.get(destination);
  if (target.exists && target.state().documentCount > 0) throw destinationExists(destination);
  const settings = settingsOf(request, held, parts.clock.nowMs());
  const present = new Set(target.stored.map(({ segment }) => segment.view.id));
  // Segments under another key than the destination's cannot be the destination's.
  const isKept = keyOf({ settings }) === keyOf(held);
  const sharing = chooseShared(held, (id) => isKept && !present.has(id));
  const { at } = target;
  const to = { at, store: parts.storeFor(settings), ids: [], pins: [], passingPins: [] };
  const head: WriteBatch = [
    { kind: "settings", settings },
    // Where these differ, the copy serves the old settings until its own index is made, too.
    { kind: "schema", schema: held.served },
    ...(held.served === held.schema ? [] : [{ kind: "schema" as const, schema: held.schema }]),
  ];
  return fillNamespace(held, to, { ...context, head, sharing });
}

/** Where a copy's segments go, and which of them may be there. */
interface Filling {
  readonly at: NamespaceGeneration;
  readonly store: ObjectStore;
  readonly ids: SegmentId[];
  /** Of what it shares. */
  readonly pins: ObjectKey[];
  /** Of what it copies, until that is done. */
  readonly passingPins: ObjectKey[];
}

type FillingContext = CopyContext & { readonly head: WriteBatch; readonly sharing: Sharing };

/** Puts what is not shared and commits all with `head`, or leaves nothing. */
async function fillNamespace(
  held: HeldDocuments,
  to: Filling,
  context: FillingContext,
): Promise<boolean> {
  const { catalog, head, parts, sharing } = context;
  const { at } = to;
  let outcome: FillingOutcome = "open";
  let mayBeCommitted = false;
  try {
    await catalog.marks.beginFilling(at);
    const isPinned =
      (await pinShared(held, sharing.copied, { ...parts, by: at, pins: to.passingPins })) &&
      (await pinShared(held, sharing.shared, { ...parts, by: at, pins: to.pins }));
    const segments = isPinned ? await putAll(held, to, context) : undefined;
    // Without the mark, a collector may have removed what is named here.
    if (segments === undefined || (await catalog.marks.isUncovered(at))) {
      outcome = await takeBack(to, catalog, false);
      return false;
    }
    const batch: WriteBatch = [...head, { kind: "import", source: held.name, segments }];
    const job = whenResolved(importJob(batch, at), () => {
      mayBeCommitted = true;
    });
    await catalog.submit(at.name, job);
    outcome = "exists";
    // Those that stay spare nothing, and are collected.
    await removeAll(parts.storeFor(undefined), to.passingPins).catch(() => {});
  } catch (error) {
    outcome = await takeBack(to, catalog, mayBeCommitted);
    throw error;
  } finally {
    await catalog.marks.endFilling(at, outcome);
  }
  return true;
}

/**
 * Removes what a copy that failed has put, unless it was committed after all: only the store knows,
 * after an answer was lost.
 */
async function takeBack(
  { at, store, ids, pins, passingPins }: Filling,
  catalog: NamespaceCatalog,
  mayBeCommitted: boolean,
): Promise<FillingOutcome> {
  try {
    // Its entry may still be under way to the store, and must not arrive when these are gone.
    const isOver = !mayBeCommitted || (await catalog.submit(at.name, endUnlessExistsJob(at)));
    if (!isOver) return "exists";
    const segments = ids.map((id) => segmentKey(at, id));
    await removeAll(store, [...segments, ...pins, ...passingPins]);
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
    bind: (facts) => {
      const bound = job.bind(facts);
      return {
        ...bound,
        resolve: (state) => {
          const outcome = bound.resolve(state);
          resolved();
          return outcome;
        },
      };
    },
  };
}

/** Puts all live documents that are not shared, and names all. */
async function putAll(
  held: HeldDocuments,
  filling: Filling,
  { parts, progress, sharing }: FillingContext,
): Promise<ManifestSegment[]> {
  const { at, store, ids } = filling;
  let total = 0;
  const count = (bytes: number) => {
    total += bytes;
    progress(`index: copied ${total} bytes`);
  };
  const put = await storeSegments(held.fresh, {
    store,
    at,
    schema: held.served,
    baseVersion: 0,
    random: parts.random,
    memory: parts.memory,
    yield: parts.yield,
    named: (id) => ids.push(id),
    progress: count,
  });
  for (const segment of sharing.shared) {
    const home = homeOf(segment.object);
    const { id } = segment.view;
    const entry = { id, bytes: segment.objectBytes, home };
    put.push(await nameSegment(segment, entry, { filling, random: parts.random }));
    count(segment.objectBytes);
  }
  for (const segment of sharing.copied) {
    const id = newSegmentId(0, parts.random);
    ids.push(id);
    const to = { store, key: segmentKey(at, id) };
    const bytes = await copyStoredSegment({ store, key: segment.object }, to);
    put.push(await nameSegment(segment, { id, bytes }, { filling, random: parts.random }));
    count(bytes);
  }
  return put;
}

/** Describes a segment, and puts which of its documents are alive. */
async function nameSegment(
  { view, live, liveCount, head, indexMark }: HeldStoredSegment,
  entry: Pick<ManifestSegment, "id" | "bytes" | "home">,
  to: { readonly filling: Filling; readonly random: Random },
): Promise<ManifestSegment> {
  const { at, store, ids } = to.filling;
  const { documentCount } = view;
  const deletedCount = documentCount - liveCount;
  const named = {
    ...entry,
    documentCount,
    deletedCount,
    head: Buffer.from(head).toString("base64"),
    ...(indexMark !== undefined && { indexMark }),
  };
  if (deletedCount === 0) return named;
  const tombstoneObject = tombstoneName(entry.id, 0, to.random);
  ids.push(tombstoneObject);
  await putTombstones(store, at, tombstoneObject, live);
  return { ...named, tombstoneObject };
}

function movesTooFast(name: NamespaceName): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `💔 namespace '${name}' is being indexed faster than it can be copied; retry`,
  );
}

async function findSource(request: WriteRequest, catalog: NamespaceCatalog): Promise<Namespace> {
  const { copyFrom } = request;
  if (copyFrom === undefined) throw new Error("a copy without a source");
  const fault = namespaceNameFault(copyFrom.namespace);
  if (fault !== undefined) throw invalid(`💔 copy_from_namespace: ${fault}`);
  if (copyFrom.region !== undefined) {
    throw invalid(
      `💔 copy_from_namespace.source_region: this server knows no region '${copyFrom.region}'; ` +
        "leave it out to copy within this server",
    );
  }
  const name = namespaceName(copyFrom.namespace);
  for (;;) {
    const source = await catalog.findNewest(name);
    if (source === undefined) throw namespaceNotFound(name);
    if (!source.retired) return source;
  }
}

function settingsOf(
  request: WriteRequest,
  source: HeldDocuments,
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
