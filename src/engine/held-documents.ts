/** Documents that a long reader in the write thread holds on to, while commits go on. */

import { assert } from "../base/assert.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { Schema } from "../model/schema.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { LiveSegment } from "../segment/live-segment.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import type { NamespaceSettings } from "../write/schema/namespace-settings.ts";
import type { OpenedNamespace } from "./namespace-parts.ts";
import { servedSchema } from "./served-texts.ts";

/** A segment as it was when it was held. */
export interface HeldSegment extends SegmentSnapshot {
  readonly view: OpenSegment;
}

/** A stored segment as it was when it was held. */
export interface HeldStoredSegment extends HeldSegment {
  readonly object: ObjectKey;
  readonly head: Uint8Array;
  /** Size of the object. */
  readonly objectBytes: number;
  readonly indexMark: string | undefined;
}

/** One state of a namespace; readable until `letGo`. */
export interface HeldDocuments {
  readonly at: NamespaceGeneration;
  readonly name: NamespaceName;
  /** Segments of the memtable. */
  readonly fresh: readonly HeldSegment[];
  readonly stored: readonly HeldStoredSegment[];
  readonly schema: Schema;
  /** The schema that indexes have. */
  readonly served: Schema;
  readonly settings: NamespaceSettings;
  /** Version of the manifest that these segments are of, before what the log adds; 0: none. */
  readonly manifestVersion: number;
  readonly documentCount: number;
  readonly logicalBytes: number;
  letGo(): void;
}

/** Holds what a namespace that exists is now. */
export function holdDocuments(
  { at, documents }: OpenedNamespace,
  now: Pick<HeldDocuments, "manifestVersion" | "letGo"> & { readonly facts: NamespaceFacts },
): HeldDocuments {
  const { facts, manifestVersion, letGo } = now;
  const { schema, settings } = facts;
  assert(settings !== undefined, `nothing to hold of ${at.name}`);
  const served = servedSchema(facts);
  const segments = holdSegments(documents);
  return { at, name: at.name, settings, schema, served, manifestVersion, ...segments, letGo };
}

/** Copies which documents are alive now; the segments themselves never change. */
function holdSegments(
  documents: NamespaceDocuments,
): Pick<HeldDocuments, "fresh" | "stored" | "documentCount" | "logicalBytes"> {
  return {
    fresh: documents.memtable.segments.map(frozen),
    stored: documents.stored.map(({ object, head, objectBytes, indexMark, segment }) => {
      return { ...frozen(segment), object, head, objectBytes, indexMark };
    }),
    documentCount: documents.documentCount,
    logicalBytes: documents.logicalBytes,
  };
}

function frozen({ view, live, liveCount, liveVersion }: LiveSegment): HeldSegment {
  return { view, live: live.slice(), liveCount, liveVersion };
}
