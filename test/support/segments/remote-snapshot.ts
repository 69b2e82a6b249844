/** Snapshots of which nothing is in memory. */

import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";
import { openStoredSegment } from "../../../src/segment/stored-segment-reader.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";
import type { SegmentSnapshot } from "../../../src/segment/view/segment-view.ts";
import type { ObjectKey } from "../../../src/storage/object-store.ts";
import { ARENA_MEMORY } from "./clustered-snapshot.ts";
import { encodeStoredSegment } from "./encode-stored-segment.ts";
import { RemoteSource } from "./remote-segment.ts";

/** The same snapshot with all of its segments far away. */
export function remoteSnapshot(
  near: Snapshot,
  indexes?: readonly AttributeIndex[],
): { snapshot: Snapshot; sources: RemoteSource[] } {
  const sources: RemoteSource[] = [];
  const segments = near.segments.map((segment): SegmentSnapshot => {
    const view = segment.view as OpenSegment;
    const { content, head } = encodeStoredSegment(view, near.schema, indexes);
    const source = new RemoteSource(content, ARENA_MEMORY, view.id as string as ObjectKey);
    sources.push(source);
    const { liveBitmap, liveCount, liveVersion } = segment;
    return {
      view: openStoredSegment(view.id, head, () => source),
      liveBitmap,
      liveCount,
      liveVersion,
    };
  });
  return { snapshot: { ...near, segments }, sources };
}
