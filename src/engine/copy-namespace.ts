/**
 * Copies and branches: puts the source's live documents as segments under the destination's prefix,
 * then commits one WAL entry that names them. Until that entry is there the destination does not
 * exist. The bytes stay in this process and its store; clients see none of them.
 */

import { invalid } from "../base/errors.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  type SegmentId,
} from "../base/ids.ts";
import type { ManifestSegment } from "../manifest/manifest.ts";
import type { WriteRequest } from "../model/write-request.ts";
import { newSegmentId, tombstoneName } from "../segment/segment-id.ts";
import { type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  branchSettings,
  copySettings,
  type NamespaceSettings,
} from "../write/namespace-settings.ts";
import type { WriteBatch } from "../write/wal-records.ts";
import { billedCopyBytes } from "../write/write-billing.ts";
import type { CommitJob } from "./commit-job.ts";
import type { HeldDocuments, HeldStoredSegment } from "./held-documents.ts";
import type { Namespace } from "./namespace.ts";
import type { NamespaceCatalog } from "./namespace-catalog.ts";
import { namespaceNotFound } from "./namespace-faults.ts";
import type { NamespaceParts } from "./namespace-parts.ts";
import { copyStoredSegment, putTombstones } from "./segment-objects.ts";
import { storeSegments } from "./store-segments.ts";
import { destinationExists, importJob } from "./write-jobs.ts";

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
  const { catalog, parts } = context;
  const source = await findSource(request, catalog);
  const held = source.hold(); // At once: from here on it may be deleted.
  try {
    const target = await catalog.get(destination);
    if (target.exists && target.state().documentCount > 0) throw destinationExists(destination);
    const settings = settingsOf(request, held, parts.clock.nowMs());
    const to: Filling = { at: target.at, store: parts.storeFor(settings), ids: [] };
    const head: WriteBatch = [
      { kind: "settings", settings },
      { kind: "schema", schema: held.schema },
    ];
    await fillNamespace(held, to, { ...context, head });
  } finally {
    held.letGo();
  }
  return { documentCount: held.documentCount, billedBytes: billedCopyBytes(held.logicalBytes) };
}

/** Where a copy's segments go, and which of them may be there. */
interface Filling {
  readonly at: NamespaceGeneration;
  readonly store: ObjectStore;
  readonly ids: SegmentId[];
}

/** Puts the segments and commits them with `head`, or leaves nothing. */
async function fillNamespace(
  held: HeldDocuments,
  to: Filling,
  context: CopyContext & { readonly head: WriteBatch },
): Promise<void> {
  const { catalog, head } = context;
  const { at } = to;
  let isDecided = false;
  let mayBeCommitted = false;
  try {
    await catalog.beginFilling(at);
    const segments = await putAll(held, to, context);
    const batch: WriteBatch = [...head, { kind: "import", source: held.name, segments }];
    const job = whenResolved(importJob(batch, at), () => {
      mayBeCommitted = true;
    });
    await catalog.submit(at.name, job);
    isDecided = true;
  } catch (error) {
    isDecided = await takeBack(to, catalog, mayBeCommitted);
    throw error;
  } finally {
    await catalog.endFilling(at, isDecided);
  }
}

/**
 * Removes the segments of a copy that failed, unless it was committed after all: only the store
 * knows, after an answer was lost. Tells whether that is settled; if not, the next start does it.
 */
async function takeBack(
  { at, store, ids }: Filling,
  catalog: NamespaceCatalog,
  mayBeCommitted: boolean,
): Promise<boolean> {
  try {
    if (mayBeCommitted) {
      const now = await catalog.get(at.name);
      // Where it exists the next checkpoint removes what is not part of it.
      if (now.exists && now.at.generation === at.generation) return true;
      catalog.forgetIfAbsent(at.name);
    }
    for (const id of ids) await store.delete(segmentKey(at, id));
    return true;
  } catch {
    return false; // The error that led here is the one to tell.
  }
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

/** Puts all live documents under the destination. Stored segments are copied as they are. */
async function putAll(
  held: HeldDocuments,
  filling: Filling,
  { parts, progress }: CopyContext,
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
    schema: held.schema,
    baseVersion: 0,
    random: parts.random,
    memory: parts.memory,
    yield: parts.yield,
    progress: count,
  });
  ids.push(...put.map(({ id }) => id));
  for (const segment of held.stored) {
    if (segment.liveCount === 0) continue;
    const copied = await copySegment(segment, filling, parts);
    count(copied.bytes);
    put.push(copied);
  }
  return put;
}

/** Copies one stored segment, and which of its documents are alive. */
async function copySegment(
  { view, live, liveCount, object, head, indexMark }: HeldStoredSegment,
  { at, store, ids }: Filling,
  { random }: CopyContext["parts"],
): Promise<ManifestSegment> {
  const id = newSegmentId(0, random);
  ids.push(id);
  const bytes = await copyStoredSegment({ store, key: object }, { store, key: segmentKey(at, id) });
  const { documentCount } = view;
  const deletedCount = documentCount - liveCount;
  const copied = {
    id,
    documentCount,
    bytes,
    deletedCount,
    head: encodeHead(head),
    ...(indexMark !== undefined && { indexMark }),
  };
  if (deletedCount === 0) return copied;
  const tombstoneObject = tombstoneName(id, 0, random);
  ids.push(tombstoneObject);
  await putTombstones(store, at, tombstoneObject, live);
  return { ...copied, tombstoneObject };
}

function encodeHead(head: Uint8Array): string {
  return Buffer.from(head).toString("base64");
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
    const source = await catalog.find(name);
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
