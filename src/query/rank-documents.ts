/** Runs the ranking of a plan over all segments and merges their best documents. */

import { must } from "../base/assert.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import { forEachMatch, type Matcher, type Matching, matchBits, matcherOf } from "./matching.ts";
import { idComparer, orderComparer, orderHints } from "./order/document-order.ts";
import {
  type DocumentRanking,
  type RankedDocument,
  TopDocuments,
  WholeRanking,
} from "./order/top-documents.ts";
import { forEachPart } from "./ordinal-bits.ts";
import type { DocumentPlan, ProbePlan, RankNode, VectorNode } from "./plan.ts";
import type { QueryContext } from "./query-options.ts";
import { scoreSegment } from "./score-segment.ts";
import { roundScore } from "./segment-scores.ts";
import type { Snapshot } from "./snapshot.ts";
import { probeClusters } from "./vector/cluster-probe.ts";
import { scanVectors } from "./vector/vector-scan.ts";
import type { WorkCounters } from "./work-stats.ts";

/** What running a plan needs. */
export interface Execution {
  readonly snapshot: Snapshot;
  readonly context: QueryContext;
  readonly work: WorkCounters;
}

/** Ranks documents, best first, and cuts out the window that the plan asks for. */
export function rankDocuments(plan: DocumentPlan, execution: Execution): RankedDocument[] {
  const { segments } = execution.snapshot;
  const { rank, offset, limit, limitPer } = plan;
  const compare = rank.kind === "order" ? orderComparer(segments, rank.keys) : idComparer(segments);
  const ranking =
    limitPer === undefined ? new TopDocuments(offset + limit, compare) : new WholeRanking(compare);
  const match = matcherOf(plan.predicate, execution.snapshot.schema.idType, execution.work);
  if (rank.kind === "vector" && rank.probe !== undefined) {
    rankProbed(rank, rank.probe, { match, ranking }, execution);
  } else {
    attemptAll(
      segments.map((segment, index) => () => {
        const matching = match(segment);
        if (matching.form === "list" && matching.ordinals.length === 0) return;
        rankSegment(rank, { segment, index, matching, ranking }, execution);
      }),
    );
  }
  return cutWindow(plan, ranking.ranked(), segments);
}

interface SegmentPart {
  readonly segment: SegmentSnapshot;
  readonly index: number;
  readonly matching: Matching;
  readonly ranking: DocumentRanking;
}

/** Ranks documents of clusters near the query, and all of segments without clusters. */
function rankProbed(
  rank: VectorNode,
  plan: ProbePlan,
  { match, ranking }: { readonly match: Matcher; readonly ranking: DocumentRanking },
  { snapshot: { segments }, context, work }: Execution,
): void {
  const { target, access } = rank;
  const { kernels, progress } = context;
  const matching = attemptAll(
    segments.map((segment) => () => {
      const { view } = segment;
      // Wanted together: the next look is at vectors.
      const [found] = attemptAll<Matching | undefined>([
        () => match(segment),
        () => void view.clusters(target.attribute),
        () => void view.column(target.attribute)?.column,
      ]);
      return { view, matches: matchBits(must(found, "nothing was matched"), view) };
    }),
  );
  const wanted = probeClusters(matching, { plan, target, kernels, work });
  attemptAll(
    wanted.map(({ matches, isProbed }, index) => () => {
      const how = isProbed ? "gather" : access;
      const scan = { target, access: how, kernels, work, progress };
      scanVectors(scan, segments[index].view, matches, (ordinals, distances) =>
        ranking.offerAll(distances, index, ordinals),
      );
    }),
  );
}

/** Offers the segment's documents with keys of which the lowest are the best. */
function rankSegment(rank: RankNode, part: SegmentPart, { context, work }: Execution): void {
  const { segment, index, matching, ranking } = part;
  const { view } = segment;
  switch (rank.kind) {
    case "vector": {
      const { target, access } = rank;
      const { kernels, progress } = context;
      const scan = { target, access, kernels, work, progress };
      scanVectors(scan, view, matchBits(matching, view), (ordinals, distances) =>
        ranking.offerAll(distances, index, ordinals),
      );
      return;
    }
    case "score": {
      const { values, scored } = scoreSegment(rank.score, view, matchBits(matching, view), work);
      forEachPart(scored, (ordinals, keys) => {
        for (let i = 0; i < ordinals.length; i++) {
          const score = roundScore(values[ordinals[i]]);
          // Documents whose score is zero are left out.
          keys[i] = score === 0 ? Number.NaN : -score;
        }
        ranking.offerAll(keys, index, ordinals);
      });
      return;
    }
    case "order": {
      const writeHints = orderHints(segment, rank.keys[0]);
      forEachMatch(matching, (ordinals, hints) => {
        writeHints(ordinals, hints);
        ranking.offerAll(hints, index, ordinals);
      });
    }
  }
}

/** Walks the ranking, skips documents whose key had its share, then the offset. */
function cutWindow(
  { offset, limit, limitPer }: DocumentPlan,
  ranked: Iterable<RankedDocument>,
  segments: readonly SegmentSnapshot[],
): RankedDocument[] {
  const window: RankedDocument[] = [];
  const taken = new Map<string, number>();
  let skipped = 0;
  if (limit === 0) return window;
  for (const document of ranked) {
    if (limitPer !== undefined) {
      const key = limitKey(document, limitPer.attributes, segments);
      const count = taken.get(key) ?? 0;
      if (count >= limitPer.limit) continue;
      taken.set(key, count + 1);
    }
    if (skipped++ < offset) continue;
    window.push(document);
    if (window.length === limit) break;
  }
  return window;
}

/** Equal for documents with equal values; null is a value of its own. */
function limitKey(
  { segment, ordinal }: RankedDocument,
  attributes: readonly string[],
  segments: readonly SegmentSnapshot[],
): string {
  const { view } = segments[segment];
  const at = ordinal as Parameters<typeof view.idOf>[0];
  const values = attributes.map((attribute) =>
    attribute === "id" ? view.idOf(at) : (view.column(attribute)?.value(at) ?? null),
  );
  return JSON.stringify(values.map((value) => (value === null ? null : String(value))));
}
