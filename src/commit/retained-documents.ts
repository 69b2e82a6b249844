/** Documents that a long reader in the write thread holds on to, while commits go on. */

import { assert } from "../base/assert.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { Schema } from "../model/schema.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import type { SegmentSnapshot } from "../segment/view/segment-view.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import type { OpenedNamespace } from "./opened/namespace-options.ts";

/** A segment as it was when it was retained. */
export interface RetainedSegment extends SegmentSnapshot {
  readonly view: OpenSegment;
}

/** A stored segment as it was when it was retained. */
export interface RetainedStoredSegment extends RetainedSegment {
  readonly object: ObjectKey;
  readonly head: Uint8Array;
  /** Size of the object. */
  readonly objectBytes: number;
  readonly indexFingerprint: string;
}

/** One state of a namespace; readable until `release`. */
export interface RetainedDocuments {
  readonly generation: NamespaceGeneration;
  readonly name: NamespaceName;
  /** Segments of the memtable. */
  readonly fresh: readonly RetainedSegment[];
  readonly stored: readonly RetainedStoredSegment[];
  readonly schema: Schema;
  /** The schema that indexes have. */
  readonly activeSchema: Schema;
  readonly settings: NamespaceSettings;
  /** Version of the manifest that these segments are of, before what the log adds; 0: none. */
  readonly manifestVersion: number;
  readonly documentCount: number;
  readonly logicalBytes: number;
  release(): void;
}

/** Retains what a namespace that exists is now. */
export function retainDocuments(
  { generation, documents }: OpenedNamespace,
  now: Pick<RetainedDocuments, "manifestVersion" | "release"> & { readonly facts: NamespaceFacts },
): RetainedDocuments {
  const { facts, manifestVersion, release } = now;
  const { schema, settings } = facts;
  assert(settings !== undefined, `nothing to retain of ${generation.name}`);
  const active = activeSchema(facts);
  const segments = retainSegments(documents);
  return {
    generation,
    name: generation.name,
    settings,
    schema,
    activeSchema: active,
    manifestVersion,
    ...segments,
    release,
  };
}

/** Which documents are live now; the segments themselves never change. */
function retainSegments(
  documents: NamespaceDocuments,
): Pick<RetainedDocuments, "fresh" | "stored" | "documentCount" | "logicalBytes"> {
  return {
    fresh: documents.memtable.segments.map(({ frozen }) => frozen),
    stored: documents.stored.map(({ object, head, objectBytes, indexFingerprint, segment }) => {
      return { ...segment.frozen, object, head, objectBytes, indexFingerprint };
    }),
    documentCount: documents.documentCount,
    logicalBytes: documents.logicalBytes,
  };
}
