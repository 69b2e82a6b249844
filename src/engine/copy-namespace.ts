/**
 * Copies and branches: puts the source's live documents as segments under the destination's prefix,
 * then commits one WAL entry that names them. Until that entry is there the destination does not
 * exist. The bytes stay in this process and its store; clients see none of them.
 */

import { DatabaseError, invalid, isDatabaseError } from "../base/errors.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  type SegmentId,
} from "../base/ids.ts";
import type { Schema } from "../model/schema.ts";
import type { WriteRequest } from "../model/write-request.ts";
import { matchesSchema, planMerge } from "../segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../segment/segment-reader.ts";
import { sealSegment } from "../segment/segment-seal.ts";
import { type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  branchSettings,
  copySettings,
  type NamespaceSettings,
} from "../write/namespace-settings.ts";
import type { ImportedSegment, WriteBatch } from "../write/wal-records.ts";
import { billedCopyBytes } from "../write/write-billing.ts";
import type { HeldDocuments, Namespace } from "./namespace.ts";
import type { NamespaceCatalog } from "./namespace-catalog.ts";
import { namespaceNotFound } from "./namespace-faults.ts";
import type { NamespaceParts } from "./namespace-parts.ts";
import { putSegment } from "./segment-objects.ts";
import { destinationExists, importJob } from "./write-jobs.ts";

/** What a copy needs. */
export interface CopyContext {
  readonly parts: Pick<NamespaceParts, "clock" | "random" | "storeFor" | "yield">;
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
  const target = await catalog.get(destination);
  if (target.exists && target.state().documentCount > 0) throw destinationExists(destination);
  const settings = settingsOf(request, source, parts.clock.nowMs());
  const held = source.hold();
  const put: PutSegments = { at: target.at, store: parts.storeFor(settings), segments: [] };
  let isDecided = false;
  try {
    await catalog.beginFilling(target.at);
    await putAll(held, put, context);
    const batch: WriteBatch = [
      { kind: "settings", settings },
      { kind: "schema", schema: held.schema },
      { kind: "import", source: source.name, segments: put.segments },
    ];
    await catalog.submit(destination, importJob(batch, target.at));
    isDecided = true;
  } catch (error) {
    // Only where nothing can have been committed: an unknown outcome is decided by the next opening.
    if (!isDatabaseError(error, "unavailable")) {
      for (const { id } of put.segments) await put.store.delete(segmentKey(target.at, id));
      isDecided = true;
    }
    throw error;
  } finally {
    held.letGo();
    await catalog.endFilling(target.at, isDecided);
  }
  return { documentCount: held.documentCount, billedBytes: billedCopyBytes(held.logicalBytes) };
}

/** Where a copy's segments go, and which are there. */
interface PutSegments {
  readonly at: NamespaceGeneration;
  readonly store: ObjectStore;
  readonly segments: ImportedSegment[];
}

async function putAll(held: HeldDocuments, put: PutSegments, context: CopyContext): Promise<void> {
  const { parts } = context;
  let bytes = 0;
  for (const { view, live, liveCount } of held.segments) {
    const whole = view as OpenSegment;
    // Without the dead, and with all indexes of the schema also where they are still being built.
    const isFit = liveCount === view.documentCount && matchesSchema(whole, held.schema);
    const sealed = isFit ? sealSegment(whole) : rebuilt(whole, live, held.schema);
    const id = Buffer.from(parts.random.bytes(8)).toString("hex") as SegmentId;
    const size = await putSegment(put.store, put.at, id, sealed);
    put.segments.push({ id, documentCount: liveCount, bytes: size });
    bytes += size;
    context.progress(`index: copied ${bytes} bytes`);
    await parts.yield();
  }
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
  const source = await catalog.find(name);
  if (source === undefined) throw namespaceNotFound(name);
  return source;
}

function settingsOf(request: WriteRequest, source: Namespace, nowMs: number): NamespaceSettings {
  const { settings } = source.facts;
  if (settings === undefined) throw new DatabaseError("not_found", "the source is gone");
  if (request.copyFrom?.kind === "branch") return branchSettings(settings, source.name, nowMs);
  const { encryption, shardCount } = request;
  return copySettings(
    settings,
    { ...(encryption && { encryption }), ...(shardCount !== undefined && { shardCount }) },
    nowMs,
  );
}

/** A segment's live documents as a segment with the indexes that the schema asks for. */
function rebuilt(view: OpenSegment, live: Uint32Array, schema: Schema): Uint8Array {
  const plan = planMerge([{ view, live }], schema);
  const block = new Uint8Array(plan.bytes);
  plan.writeTo(block);
  return sealSegment(openSegment(view.id, block, { arena: 0, offset: 0 }));
}
