/** Query requests: plan and run every subquery over one snapshot. */

import type { QueryRequest } from "../model/query.ts";
import type { QueryResult } from "../model/query-result.ts";
import { attemptAll, NotResident } from "../segment/format/bytes-missing.ts";
import type { ScoreScope } from "./bind/bind-score.ts";
import { atPlace } from "./bind/fault-place.ts";
import { documentFrequency, textStatistics } from "./bind/text-statistics.ts";
import { executePlan } from "./executor.ts";
import { explainPlan } from "./explain.ts";
import type { Plan } from "./plan.ts";
import { planNeeds } from "./plan-needs.ts";
import { planQuery } from "./planner.ts";
import { type QueryContext, requireIndex } from "./query-options.ts";
import { fuseResults } from "./score/fuse-results.ts";
import type { Snapshot } from "./snapshot.ts";
import { newCounters, type QueryCounters } from "./work-stats.ts";

/** What a request answers. */
export interface RequestOutcome {
  /** One for each subquery; exactly one if they are fused. */
  readonly results: QueryResult[];
  readonly counters: QueryCounters;
}

/**
 * Runs a request, synchronously, so that it sees one state. Operands must be embedded already. All
 * subqueries are planned before any is run: a fault in one refuses the request at once.
 */
export function runRequest(
  snapshot: Snapshot,
  request: QueryRequest,
  context: QueryContext,
): RequestOutcome {
  const plans = planTogether(request, snapshot, context);
  const work = newCounters();
  work.exhaustiveCount = snapshot.unindexedCount;
  const results = withNeeds(plans, snapshot, () =>
    attemptAll(plans.map((plan) => () => executePlan(plan, { snapshot, context, work }))),
  );
  const fused = request.fusion && fuseResults(results, request.fusion);
  return { results: fused === undefined ? results : [fused], counters: work };
}

/** Describes what `runRequest` would do. */
export function explainRequest(
  snapshot: Snapshot,
  request: QueryRequest,
  context: QueryContext,
): string {
  const planned = planTogether(request, snapshot, context);
  const plans = planned.map((plan) => explainPlan(plan, snapshot));
  if (request.kind === "single") return plans[0];
  const parts = plans.map((plan, index) => `Subquery ${index}\n${plan}`);
  const { fusion } = request;
  if (fusion !== undefined) {
    const weights = fusion.weights.join(", ");
    parts.unshift(
      `Fuse: RRF, rank constant ${fusion.rankConstant}, weights ${weights}, limit ${fusion.limit}`,
    );
  }
  return parts.join("\n");
}

/**
 * Plans all subqueries. Where bytes are missing for that, throws one `NotResident` for all of them
 * and for what the plans are known to look at.
 */
function planTogether(request: QueryRequest, snapshot: Snapshot, context: QueryContext): Plan[] {
  const scope = scopeOf(snapshot, context);
  try {
    return planAll(request, scope);
  } catch (error) {
    if (!(error instanceof NotResident)) throw error;
    // Plans of the same shape, with other weights, say what else is looked at.
    const missed = [error];
    const plans = planAll(request, unweighed(scope, missed));
    return withNeeds(plans, snapshot, () =>
      attemptAll(
        missed.map((miss) => () => {
          throw miss;
        }),
      ),
    );
  }
}

/** Runs `work`; where bytes are missing, those that the plans are known to need are missed too. */
function withNeeds<T>(plans: readonly Plan[], { segments }: Snapshot, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NotResident)) throw error;
    attemptAll([
      () => {
        throw error;
      },
      ...plans.flatMap((plan) => segments.flatMap(({ view }) => planNeeds(plan, view))),
    ]);
    throw error;
  }
}

/** Gives weights without meaning where bytes are missing, and notes what was missing. */
function unweighed(scope: ScoreScope, missed: NotResident[]): ScoreScope {
  const noted = <T>(look: () => T, instead: T): T => {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof NotResident)) throw error;
      missed.push(error);
      return instead;
    }
  };
  return {
    ...scope,
    textStatistics: (attribute) =>
      noted(() => scope.textStatistics(attribute), { documentCount: 1, termCount: 1 }),
    documentFrequency: (attribute, term) =>
      noted(() => scope.documentFrequency(attribute, term), 1),
  };
}

function planAll({ kind, queries }: QueryRequest, scope: ScoreScope): Plan[] {
  return queries.map((query, index) =>
    atPlace(kind === "multi" ? `queries[${index}]` : undefined, () => planQuery(query, scope)),
  );
}

/** Binds names and weighs terms over a snapshot. */
export function scopeOf(snapshot: Snapshot, context: QueryContext): ScoreScope {
  const { schema, segments } = snapshot;
  return {
    schema,
    purpose: "query",
    probing: context.probing,
    requireIndex: (attribute, index) => requireIndex(context, attribute, index),
    textStatistics: (attribute) => textStatistics(segments, attribute),
    documentFrequency: (attribute, term) => documentFrequency(segments, attribute, term),
  };
}
