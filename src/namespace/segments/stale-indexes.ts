/** Indexes that stored segments lack, since the schema asked for them later. */

import type { IndexBuild } from "../../model/index-build.ts";
import type { Schema } from "../../model/schema.ts";
import { attemptAll } from "../../segment/format/bytes-missing.ts";
import { indexFingerprint } from "../../segment/index-fingerprint.ts";
import { missingIndexes } from "../../segment/missing-indexes.ts";
import type { StoredSegment } from "../../segment/stored-segments.ts";

/**
 * What an indexer has yet to build, and for how many documents. Throws `BytesMissing` where
 * segments of another schema have to be looked at.
 */
export function staleIndexes(stored: readonly StoredSegment[], schema: Schema): IndexBuild[] {
  const fingerprint = indexFingerprint(schema);
  const stale = attemptAll(
    stored.map((segment) => () => {
      if (segment.indexFingerprint === fingerprint) return [];
      return missingIndexes(segment.segment.view, schema);
    }),
  );
  const documentsTotal = stored.reduce((sum, { segment }) => sum + segment.liveCount, 0);
  const builds = new Map<string, IndexBuild>();
  stale.forEach((missing, i) => {
    const { liveCount } = stored[i].segment;
    for (const { attribute, index } of missing) {
      const key = JSON.stringify([attribute, index]);
      const documentsDone = (builds.get(key)?.documentsDone ?? documentsTotal) - liveCount;
      builds.set(key, { attribute, index, documentsDone, documentsTotal });
    }
  });
  return [...builds.values()];
}
