/** Query requests: plan and run every subquery over one snapshot. */

import type { Steps } from "../../base/steps.ts";
import type { ModelRerank, QueryRequest } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { QueryWork } from "../../model/request-stats.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import { type ReadingSteps, readInPlace } from "../../segment/format/reading-steps.ts";
import type { ScoreScope } from "../bind/bind-score.ts";
import { documentFrequency } from "../bind/document-frequency.ts";
import { atPlace } from "../bind/fault-place.ts";
import { PatternBudget } from "../bind/pattern-budget.ts";
import { textStatistics } from "../bind/text-statistics.ts";
import { lookOr, missAll, together } from "../operator/missing-bytes.ts";
import type { Plan } from "../operator/plan.ts";
import { type QueryOptions, requireIndex } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { addWorkStats, newWorkStats, type QueryStats } from "../operator/work-stats.ts";
import { explainPlan } from "../planner/explain.ts";
import { explainWork } from "../planner/explain-work.ts";
import { planQuery } from "../planner/planner.ts";
import { fuseResults } from "../score/fuse-results.ts";
import { executePlans, planNeeds } from "./executor.ts";

/** What a request answers. */
export interface RequestOutcome {
  /** One for each subquery; exactly one if they are fused. Those to rerank are as they were found. */
  readonly results: QueryResult[];
  /** Of all subqueries together. */
  readonly stats: QueryStats;
  /** Of each subquery. */
  readonly works: readonly QueryWork[];
}

/**
 * Runs a request, in steps; the snapshot must stay as it is. Operands must be embedded already. All
 * subqueries are planned before any is run: a fault in one refuses the request at once.
 */
export function* runRequest(
  snapshot: Snapshot,
  request: QueryRequest,
  options: QueryOptions,
): ReadingSteps<RequestOutcome> {
  const plans = yield* planInPlace(request, snapshot, options);
  yield;
  const counted = plans.map((plan) => ({ plan, work: newWorkStats() }));
  options.planned?.(counted);
  const results = yield* executePlans(counted, { snapshot, options });
  const fused = request.fusion && (yield* fuseResults(results, request.fusion));
  const works = counted.map(({ work }) => work);
  const stats = newWorkStats();
  for (const work of works) addWorkStats(stats, work);
  stats.exhaustiveCount = snapshot.unindexedCount;
  return { results: fused === undefined ? results : [fused], stats, works };
}

const planStep = (): string => "planning";

/** Runs a request and describes what was done for it. */
export function* analyzeRequest(
  snapshot: Snapshot,
  request: QueryRequest,
  options: QueryOptions,
): ReadingSteps<RequestOutcome & { readonly planText: string }> {
  const outcome = yield* runRequest(snapshot, request, options);
  const planText = yield* explainRequest(snapshot, request, options, outcome.works);
  return { ...outcome, planText };
}

/** Describes what `runRequest` would do, or has done where the `works` of its outcome are given. */
export function* explainRequest(
  snapshot: Snapshot,
  request: QueryRequest,
  options: QueryOptions,
  works: readonly QueryWork[] = [],
): ReadingSteps<string> {
  const planned = yield* planInPlace(request, snapshot, options);
  const plans = planned.map((plan, index) => {
    const work = works.slice(index, index + 1).map(explainWork);
    return [explainPlan(plan, snapshot), ...work].join("\n");
  });
  const rerank = request.rerank === undefined ? [] : [explainRerank(request.rerank)];
  if (request.kind === "single") return [...rerank, plans[0]].join("\n");
  const parts = plans.map((plan, index) => `Subquery ${index}\n${plan}`);
  const { fusion } = request;
  if (fusion !== undefined) {
    const weights = fusion.weights.join(", ");
    parts.unshift(
      `Fuse: RRF, rank constant ${fusion.rankConstant}, weights ${weights}, limit ${fusion.limit}`,
    );
  }
  return [...rerank, ...parts].join("\n");
}

function explainRerank({ model, attribute, limit, offset }: ModelRerank): string {
  return `Rerank: by ${attribute}, model ${model}, limit ${limit}, offset ${offset}`;
}

/** Plans all subqueries. Where bytes are missing for that, only this is done again. */
function planInPlace(
  request: QueryRequest,
  snapshot: Snapshot,
  options: QueryOptions,
): ReadingSteps<readonly Plan[]> {
  return readInPlace(() => planTogether(request, snapshot, options), options.memory);
}

/**
 * Plans all subqueries. Where bytes are missing for that, throws one `BytesMissing` for all of them
 * and for what the plans are known to look at.
 */
function* planTogether(
  request: QueryRequest,
  snapshot: Snapshot,
  options: QueryOptions,
): Steps<readonly Plan[]> {
  options.enter?.(planStep, "plan");
  const scope = scopeOf(snapshot, options);
  const missed: BytesMissing[] = [];
  try {
    return yield* planAll(request, scope);
  } catch (error) {
    if (!(error instanceof BytesMissing)) throw error;
    missed.push(error);
  }
  // Plans of the same shape, with other weights, say what else is looked at.
  const shapes = yield* planAll(request, unweighed(scope, missed));
  return missAll(
    missed,
    shapes.flatMap((plan) => planNeeds(plan, snapshot)),
  );
}

/** Gives weights without meaning where bytes are missing, and notes what was missing. */
function unweighed(scope: ScoreScope, missed: BytesMissing[]): ScoreScope {
  return {
    ...scope,
    textStatistics: (attribute) =>
      lookOr(() => scope.textStatistics(attribute), { documentCount: 1, termCount: 1 }, missed),
    documentFrequency: (attribute, term) =>
      lookOr(() => scope.documentFrequency(attribute, term), 1, missed),
  };
}

function* planAll({ kind, queries }: QueryRequest, given: ScoreScope): Steps<Plan[]> {
  const scope = { ...given, patterns: given.patterns.renewed() };
  if (kind === "single") return [yield* planQuery(queries[0], scope)];
  const plans: Plan[] = [];
  for (const [index, query] of queries.entries()) {
    plans.push(yield* atPlace(`queries[${index}]`, planQuery(query, scope)));
  }
  return plans;
}

/** Binds names and weighs terms over a snapshot. */
export function scopeOf({ schema, segments }: Snapshot, options: QueryOptions): ScoreScope {
  const optionsOf = (attribute: string) => schema.attributes.get(attribute)?.fullTextSearch;
  return {
    schema,
    purpose: "query",
    patterns: new PatternBudget(options.memory),
    probing: options.probing,
    lateProbing: options.lateProbing,
    requireIndex: (attribute, index) => requireIndex(options, attribute, index),
    textStatistics: (attribute) => textStatistics(segments, attribute, together),
    documentFrequency: (attribute, term) =>
      documentFrequency(segments, { attribute, term, options: optionsOf(attribute) }, together),
  };
}
