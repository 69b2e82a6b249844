/** Indexes that stored segments lack, since the schema asked for them later. */

import type { IndexBuild, IndexOption } from "../../model/index-build.ts";
import type { Schema } from "../../model/schema.ts";
import { attemptAll } from "../../segment/format/bytes-missing.ts";
import { indexFingerprint } from "../../segment/index-fingerprint.ts";
import type { StoredSegment } from "../../segment/memtable/stored-segments.ts";
import { missingIndexes } from "../../segment/missing-indexes.ts";

/** An index that an indexer has yet to build. */
export interface StaleIndex {
  readonly attribute: string;
  readonly index: IndexOption;
  /** They lack it. */
  readonly segments: readonly StoredSegment[];
}

/**
 * What an indexer has yet to build. Throws `BytesMissing` where segments of another schema have to
 * be looked at.
 */
export function staleIndexes(stored: readonly StoredSegment[], schema: Schema): StaleIndex[] {
  const fingerprint = indexFingerprint(schema);
  const lacking = attemptAll(
    stored.map((segment) => () => {
      if (segment.indexFingerprint === fingerprint) return [];
      return missingIndexes(segment.segment.view, schema);
    }),
  );
  const stale = new Map<string, StaleIndex & { readonly segments: StoredSegment[] }>();
  lacking.forEach((missing, i) => {
    for (const { attribute, index } of missing) {
      const key = JSON.stringify([attribute, index]);
      const known = stale.get(key);
      if (known === undefined) stale.set(key, { attribute, index, segments: [stored[i]] });
      else known.segments.push(stored[i]);
    }
  });
  return [...stale.values()];
}

/** How far it is, by the documents that live now. */
export function staleBuild(
  { attribute, index, segments }: StaleIndex,
  stored: readonly StoredSegment[],
): IndexBuild {
  const liveCount = (of: readonly StoredSegment[]) =>
    of.reduce((sum, { segment }) => sum + segment.liveCount, 0);
  const documentsTotal = liveCount(stored);
  return { attribute, index, documentsDone: documentsTotal - liveCount(segments), documentsTotal };
}
